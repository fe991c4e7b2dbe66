"""Risk profiles: what is tolerated, and whether an account stays within it."""
