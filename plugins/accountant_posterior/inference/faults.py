"""What is wrong with a file of numbers, all of it at once."""

from __future__ import annotations

from accountant import Fault, PlanError


class Faults:
    """Faults with their places; all are raised together."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Fault] = []

    def add(self, message: str, place: str) -> None:
        """Remember a fault."""
        self.found.append(Fault(message, place, file=self.file))

    def end(self) -> None:
        """Raise PlanError if there are any."""
        if self.found:
            raise PlanError(tuple(self.found))
