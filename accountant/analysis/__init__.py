"""What is asked of accounts and promises: least noise, comparison, implication, audits."""
