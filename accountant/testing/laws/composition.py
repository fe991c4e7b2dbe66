"""Laws of composition: what releases cost together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

from attrs import frozen

from accountant.accounting.account import Account
from accountant.accounting.composed import Composed
from accountant.accounting.entry import Entry
from accountant.accounting.readings import Readings, same_loss
from accountant.loss import PrivacyLoss, compose
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.plan.plan import Plan
from accountant.plugin.cases import MechanismCase
from accountant.promise.divergence import DIVERGENCES
from accountant.promise.neighbours import NEIGHBOURS, Neighbours
from accountant.promise.specification import Specification
from accountant.registry.registry import Registry
from accountant.release.release import Release
from accountant.testing.claims import loss_of
from accountant.testing.counterexamples import broken, delta, meet, method, read, show
from accountant.testing.digits import apart
from accountant.testing.once import Once
from accountant.testing.places import few_epsilons, points
from accountant.values.writing import at_words

_COUNT = 3
_SHARED = Once(most=2)


@frozen
class Turn:
    """Which definitions are read: of all in order those whose turn it is, out of so many turns."""

    of: int = 0
    turns: int = 1

    @property
    def places(self) -> tuple[int, None, int]:
        """From where on, to the end, and how many apart."""
        return self.of % self.turns, None, self.turns


ALL = Turn()


def count_equals_repetition(case: MechanismCase, registry: Registry, turn: Turn = ALL) -> None:
    """A release `count` times is the same as `count` releases, in delta and in every definition whose turn it is."""
    single = [(case, 1)] * _COUNT
    losses = {
        f"{_COUNT} times": compose([(loss_of(case), _COUNT)]),
        # Every release asks the mechanism itself: one that answers otherwise the second time is wrong.
        f"{_COUNT} releases": compose([(case.mechanism.loss(case.shift), 1) for _ in range(_COUNT)]),
        "twice, then once more": compose([(compose([(loss_of(case), 2)]), 1), (loss_of(case), 1)]),
    }
    for other in list(losses)[1:]:
        _same_delta("count must equal repetition", losses[f"{_COUNT} times"], losses[other], (f"{_COUNT} times", other))
    for words, counted, repeated in _compared(registry, turn, [(case, _COUNT)], single, asked=Entry):
        if not meet(counted, repeated):
            broken(
                "count must equal repetition",
                release=case.name,
                value=words,
                **{f"{_COUNT}_times": counted, f"{_COUNT}_releases": repeated},
            )


def equal_losses_read_alike(losses: Sequence[PrivacyLoss]) -> None:
    """Losses that are equal, and so composed as one that happens several times, lose the same."""
    for first, second in itertools.combinations(losses, 2):
        if first != second:
            continue
        for point in few_epsilons(first):
            one, other = delta(first, point), delta(second, point)
            if not meet(one, other):
                left, right = apart(one, other)
                broken(
                    "losses that are equal must lose the same",
                    first=show(first),
                    second=show(second),
                    at_epsilon=plain(point),
                    delta_of_the_first=left,
                    delta_of_the_second=right,
                    look_at=method(first, "__eq__"),
                )


def order_is_irrelevant(case: MechanismCase, other: MechanismCase, registry: Registry, turn: Turn = ALL) -> None:
    """Two releases cost the same in either order, in delta and in every definition whose turn it is."""
    _same_delta(
        "the order of releases must not matter",
        compose([(loss_of(case), 1), (loss_of(other), 2)]),
        compose([(loss_of(other), 2), (loss_of(case), 1)]),
        ("in one order", "in the other"),
    )
    for words, first, second in _compared(registry, turn, [(case, 1), (other, 2)], [(other, 2), (case, 1)]):
        if not meet(first, second):
            broken(
                "the order of releases must not matter",
                releases=f"{case.name} once and {other.name} twice",
                value=words,
                in_one_order=first,
                in_the_other=second,
            )


def adding_never_lowers(case: MechanismCase, other: MechanismCase, registry: Registry, turn: Turn = ALL) -> None:
    """Further releases never lower what all cost together, in any definition whose turn it is, and in delta."""
    alone, both = loss_of(case), compose([(loss_of(case), 1), (loss_of(other), 2)])
    for point in few_epsilons(alone):
        before, after = delta(alone, point), delta(both, point)
        if before.lower > after.upper:
            broken(
                "adding a release must not lower the loss",
                loss=show(alone),
                added_twice=show(loss_of(other)),
                at_epsilon=plain(point),
                delta_alone=before,
                delta_with_both=after,
            )
    for words, before, after in _compared(registry, turn, [(case, 1)], [(case, 1), (other, 2)]):
        if before.lower > after.upper:
            broken(
                "adding a release must not lower the loss",
                release=case.name,
                added_twice=other.name,
                value=words,
                alone=before,
                together=after,
            )


def _same_delta(statement: str, left: PrivacyLoss, right: PrivacyLoss, names: tuple[str, str]) -> None:
    if same_loss(left, right):
        return
    for point in few_epsilons(left):
        one, other = delta(left, point), delta(right, point)
        if not meet(one, other):
            broken(
                statement,
                loss=show(left),
                at_epsilon=plain(point),
                **{f"delta_{names[0]}": one, f"delta_{names[1]}": other},
            )


Parts = Sequence[tuple[MechanismCase, int]]


@frozen
class _Known(Entry):
    """A release whose loss is the one that all laws of a case read: what is computed of it is computed once."""

    @property
    def base(self) -> PrivacyLoss:
        return loss_of(MechanismCase(self.release.name, self.mechanism, self.shift))


def _compared(
    registry: Registry, turn: Turn, left: Parts, right: Parts, asked: type[Entry] = _Known
) -> Iterator[tuple[str, Interval, Interval]]:
    """The values that two accounts give in definitions, as a budget would be checked; for all laws of a case once.

    The releases of the second account may be `asked` for their losses each for itself.
    """
    shared = _SHARED.find(left[0][0], id(registry), Readings)
    accounts = [_account(registry, parts, shared, entry) for parts, entry in ((left, _Known), (right, asked))]
    for name, definition in itertools.islice(registry[DIVERGENCES].items(), *turn.places):
        reading, at = next(points(definition, most=1))
        words = f"{reading.value} of '{name}'{at_words(at)}"
        one, other = (_measured(whole, name, at, words) for whole in accounts)
        yield words, one, other


def _measured(whole: Account, name: str, at: dict[str, Fraction], words: str) -> Interval:
    return read(whole.loss, words, lambda: whole.measure(name, at).value)


def _account(registry: Registry, parts: Parts, readings: Readings, entry: type[Entry]) -> Account:
    """The account of a plan with these releases, whatever queries have these shifts."""
    specification = Specification(Neighbours(next(iter(registry[NEIGHBOURS].values()))))
    entries = []
    for index, (case, times) in enumerate(parts, start=1):
        release = Release(f"release {index}", case.mechanism, times=times)
        entries.append(entry(release, case.shift, specification.neighbours))
    plan = Plan("law", specification, tuple(each.release for each in entries))
    return Account(plan, Composed(tuple(entries), registry, plan.precision, readings))
