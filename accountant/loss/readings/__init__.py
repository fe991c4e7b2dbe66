"""What is read off a loss, and how values, inverses, suprema and minima are enclosed."""
