"""What is asked of accounts and promises: just enough noise, comparison, implication, audits."""
