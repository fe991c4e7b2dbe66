"""Signing: who says so, held apart from whether it is so."""
