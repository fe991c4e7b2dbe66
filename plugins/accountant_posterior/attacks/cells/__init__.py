"""Simulated attacks on all cells of a table at once: work is done once for each distinct setting, in arrays."""
