"""What all values that promise something say of themselves in the same words."""

from __future__ import annotations

from collections.abc import Mapping

from accountant.display.card import Label, Tone
from accountant.promise.specification import Specification
from accountant.promise.words import ComparedPairs

_TONES: Mapping[str, Tone] = {"implied": "good", "refuted": "bad"}
BUDGETS = {"implied": "kept", "refuted": "exceeded"}
"""What a verdict on a budget is called."""
RISKS = {"implied": "tolerated", "refuted": "not tolerated"}
"""What a verdict on a risk is called."""
VACUOUS = Label("vacuous", "doubtful")
_NOBODY = "VACUOUS: no two such datasets exist, at any distance, so nothing is promised."


def verdict_label(verdict: str, words: Mapping[str, str] | None = None) -> Label:
    """The value of a verdict in its colour, by its own name or by what it is called where it stands."""
    return Label((words or {}).get(verdict, verdict), _TONES.get(verdict, "doubtful"))


def between(promised: Specification, known: ComparedPairs | None = None) -> list[tuple[str, str]]:
    """Between which datasets a number holds, and what it does not say; `known` may say more than the promise does."""
    compared, least = known or ComparedPairs(promised.neighbours, promised.invariants), promised.universe.closest.least
    notes = list(compared.conditions)
    if least is None:
        notes.insert(0, _NOBODY)
    elif least > promised.neighbours.group:
        notes.insert(0, f"No two such datasets exist: all that agree on what is exact differ in at least {least} units.")
    return [("between", compared.between), *([("note", " ".join(notes))] if notes else [])]


def derivation_title(count: int) -> str:
    """What stands before so many folded steps."""
    return "derivation, 1 step" if count == 1 else f"derivation, {count:,} steps"
