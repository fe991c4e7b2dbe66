"""What a promise is relative to: laws of the data, pairs of secrets, and what is public."""
