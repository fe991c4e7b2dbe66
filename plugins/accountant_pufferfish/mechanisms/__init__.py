"""Mechanisms calibrated to what is public."""
