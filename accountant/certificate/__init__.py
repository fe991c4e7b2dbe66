"""Certificates: written, and recomputed by a stranger."""
