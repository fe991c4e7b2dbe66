"""Accounting unit by unit: what each unit's own releases lose, from a table of who took part in what."""
