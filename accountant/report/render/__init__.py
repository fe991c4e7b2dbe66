"""Ways to write a document down."""
