"""Composition: two-sided readings of many losses together, one file a route."""
