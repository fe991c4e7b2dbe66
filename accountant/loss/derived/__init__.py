"""Losses made of losses: mixtures, samples, replacements, symmetrised ones."""
