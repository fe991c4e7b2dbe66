"""Samplers of the literature, for comparison: by data augmentation, and by a Gaussian approximation of the statistics."""
