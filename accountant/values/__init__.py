"""Plain data into values and back: reading with all faults at once, writing, schemas, files, rows."""
