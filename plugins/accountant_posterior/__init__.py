"""What a promise means for a person: risk profiles, posterior readings, count attacks and reports."""
