"""Audits: mechanisms are run, and what they lose at least is compared with what the account says they lose at most."""
