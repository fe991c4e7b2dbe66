"""Engines that count what does not fit in a list: one in the process, one on a cluster."""
