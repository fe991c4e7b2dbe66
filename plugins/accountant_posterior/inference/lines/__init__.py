"""Lines: what noisy sums of products say about the coefficients of a linear regression."""
