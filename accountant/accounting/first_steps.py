"""First steps: where the derivations of an account begin, made once for all its readings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from accountant.accounting.entry import Entry
from accountant.accounting.theorems import GROUP, INSIDE, KNOWN_DRAW, STILL
from accountant.promise.guarantee import Step
from accountant.release.claim import Claim
from accountant.release.release import Mechanism
from accountant.values.writing import in_words, kind_data

_INSIDE = "a mechanism inside "
_INSIDE_ONLY = " that agree on what is published exactly, and so much for each step between others that do"


class FirstSteps:
    """What the releases lose, each on its own: where all derivations from them begin, whatever is read."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.ends: list[int] = []

    def __repr__(self) -> str:
        return f"<FirstSteps: {len(self.steps):,} steps for {len(self.ends):,} releases>"

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> FirstSteps:
        """The steps of all entries, and the number of the last one of each."""
        found = cls()
        found.ends += [found._release(entry) for entry in entries]
        return found

    def _add(self, *args: Any) -> int:
        self.steps.append(Step(*args))
        return len(self.steps)

    def _release(self, entry: Entry) -> int:
        release, mechanism = entry.release, entry.release.mechanism
        uses: tuple[int, ...] = ()
        if release.query is not None:
            moved = f"'{release.name}': the {release.query.kind} moves {entry.faced} between {entry.compared}"
            uses = (
                self._add(f"{moved}{_INSIDE_ONLY}", INSIDE) if entry.inside else self._add(moved, release.query.theorem),
            )
        if entry.faced.is_zero:
            return self._add(f"'{release.name}' loses nothing", STILL, uses)
        if release.sampling is None:
            return self._mechanism(entry, f"'{release.name}'", mechanism, uses, f", {times(release.times)}")
        uses = (self._mechanism(entry, f"'{release.name}'", mechanism, uses, " on the records that it sees"),)
        drawn = f"'{release.name}' sees a sample by {_describe(release.sampling)}, {times(release.times)}"
        if entry.insider:
            return self._add(f"{drawn}; the attacker knows which", KNOWN_DRAW, uses)
        return self._add(drawn, release.sampling.theorem_between(entry.neighbours), uses)

    def _mechanism(self, entry: Entry, subject: str, mechanism: Mechanism, uses: tuple[int, ...], how: str = "") -> int:
        """What a mechanism loses, by its own theorem and by those of the mechanisms that it is made of."""
        if isinstance(mechanism, Claim):
            claimed = self._add(f"{subject} satisfies {mechanism.describe()}", mechanism.theorem, uses)
            if entry.neighbours.group > 1:
                grown = mechanism.between(entry.neighbours.group).describe()
                claimed = self._add(f"{subject} satisfies {grown} between {entry.neighbours.compared}", GROUP, (claimed,))
            lost = f"{subject} loses at most the worst case of that{how}"
            return self._add(lost, mechanism.divergence.worst_case_theorem, (claimed,))
        whole = subject if subject.startswith(_INSIDE) else f"{_INSIDE}{subject}"
        inside = tuple(self._mechanism(entry, whole, part, uses) for _, part in mechanism.inside())
        settled = f"{subject} loses most by the worst of these moves"
        uses = (*uses, *(self._add(settled, theorem, uses) for theorem in mechanism.settled_by(entry.shift)))
        if (apiece := mechanism.apiece) is not None:
            unit = entry.neighbours.unit
            said = f"{subject} loses at most so much each time for each {unit} in which datasets differ, two or more"
            uses = (*uses, self._add(said, mechanism.theorem, uses, apiece))
        return self._add(f"{subject} has the loss of {_describe(mechanism)}{how}", mechanism.theorem, inside or uses)


def times(count: int) -> str:
    """How often, in words."""
    return "once" if count == 1 else f"{count:,} times"


def _describe(item: Any) -> str:
    return in_words(kind_data(item))
