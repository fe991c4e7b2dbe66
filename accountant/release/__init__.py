"""What is released: queries, mechanisms, claims, samplings, scopes."""
