"""Members: which releases see the units of a cohort, and what is known of what these lose.

Datasets that are connected by steps which change units of a cohort only are among all that are compared, so that what
bounds these bounds them. Less is lost where releases look at parts of the records that the cohort is not in, and where a
mechanism says what it does to such units. See docs/explanation/budgets-by-cohort.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from accountant.accounting.entry import Entry
from accountant.accounting.theorems import COHORT
from accountant.display.brief import Brief
from accountant.numbers.interval import Interval
from accountant.promise.cohort import Cohort
from accountant.promise.guarantee import Guarantee, Step

UNSEEN = "no release looks at these units"


@frozen
class Members(Brief):
    """The units that an account is about."""

    cohort: Cohort
    attained: bool
    """Whether some of them lose what is read from below, and not only some others."""
    seen: bool
    """Whether any release looks at them."""

    def stated(self, found: Guarantee) -> Guarantee:
        """What was read, said of these units only."""
        value = found.value if self.attained else Interval(0.0, found.value.upper)
        steps, remark = found.derivation, found.remark if self.seen else UNSEEN
        step = Step(f"{found.name}{found.at_words} for {self.cohort}", COHORT, (len(steps),) if steps else (), value)
        return evolve(found, value=value, cohort=self.cohort, remark=remark, derivation=(*steps, step))


def seen_by(entries: Sequence[Entry], cohort: Cohort) -> tuple[tuple[Entry, ...], Members]:
    """The entries of the releases that look at units of a cohort, as these see them, and how much is known of that."""
    found = [(entry, _seen(entry, cohort)) for entry in entries]
    kept = tuple(seen for _, seen in found if seen is not None)
    attained = all(_attained(entry, seen, cohort) for entry, seen in found if seen is not None)
    return kept, Members(cohort, attained, bool(kept))


def _seen(entry: Entry, cohort: Cohort) -> Entry | None:
    """What a release is to units of a cohort; None where it looks at others only."""
    scope = entry.release.scope
    if scope is not None and cohort.values is not None and cohort.by == {scope.partition}:
        if scope.part not in cohort.values:
            return None
        # All of them have the value of the part in both datasets: none comes to it, and none leaves.
        return entry.staying if cohort.fixed is not None else entry
    less = entry.release.mechanism.among(cohort)
    return entry if less is None else evolve(entry, release=evolve(entry.release, mechanism=less))


def _attained(entry: Entry, seen: Entry, cohort: Cohort) -> bool:
    """Whether units of the cohort are as free as all others in what a release reads, or it says what they lose.

    Of cells of some size it is not known that there are any.
    """
    if entry.release.mechanism is not seen.release.mechanism:
        return True
    read = None if entry.release.query is None else entry.release.query.attributes
    return cohort.values is not None and read is not None and not read & cohort.by
