"""What is promised: definitions, neighbours, invariants, budgets, public facts, risks; theorems and guarantees."""
