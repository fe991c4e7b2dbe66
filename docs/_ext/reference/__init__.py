"""The reference: what is generated from the code, one file for each thing that it is generated from."""
