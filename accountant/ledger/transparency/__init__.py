"""Transparency: what somebody outside needs to see that a ledger was only ever added to."""
