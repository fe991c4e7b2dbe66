"""What is known, by family and name: families, discovery, admission, digests."""
