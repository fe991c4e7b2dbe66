"""Losses in closed form."""
