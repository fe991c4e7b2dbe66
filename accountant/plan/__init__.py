"""What a user writes down: plans, their one declared form, reading and writing them."""
