"""Swap: swapping done to records, from the budget before anything is touched to the audit of what was done."""
