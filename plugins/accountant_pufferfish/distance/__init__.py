"""How far mass must move to turn one law into another."""
