"""Kinds of public information that plans may name."""
