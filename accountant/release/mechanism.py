"""Mechanism: the randomisation of a release."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
from attrs import frozen

from accountant.display.brief import Brief
from accountant.errors import InvalidValue, ShiftError
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import Relation
from accountant.promise.theorem import Theorem
from accountant.release.query import Query, Shift
from accountant.values.family import Family, Kind

if TYPE_CHECKING:
    from accountant.loss import Noise, PrivacyLoss
    from accountant.numbers.interval import Interval
    from accountant.release.release import Release


@frozen
class Mechanism(Brief, metaclass=Kind):
    """A randomisation, known by its privacy loss.

    A subclass is a frozen attrs class whose fields are its parameters, with the name it has in plans as `kind` and the
    theorem that gives its loss as `theorem`. Mechanisms among the parameters are asked what they need and cover as well.
    """

    kind: ClassVar[str]
    theorem: ClassVar[Theorem]
    needs_query: ClassVar[bool] = True
    relations: ClassVar[tuple[str, ...] | None] = None
    """The neighbour relations that its theorem covers, by name; None where how far the query moves says everything."""
    any_relation: ClassVar[bool] = False
    """Whether, without a query, it loses the same however datasets are related: nothing is stated for one relation only."""
    alternatives: ClassVar[tuple[str, ...]] = ()
    """Optional parameters that say the same in different ways: exactly one is given."""
    in_training: ClassVar[str | None] = None
    """The parameter, if any, that those who train models give as a multiple of the norm to which they clip gradients. One
    mechanism says so: the noise of DP-SGD."""
    instead: ClassVar[Mapping[str, str]] = {}
    """What to write for parameters that people expect here and that there are not, by name."""

    def __attrs_post_init__(self) -> None:
        given = [name for name in self.alternatives if getattr(self, name) is not None]
        if self.alternatives and len(given) != 1:
            words = " or ".join(f"'{name}'" for name in self.alternatives)
            raise InvalidValue(f"'{self.kind}' needs either {words}, got {'both' if given else 'neither'}")

    @abstractmethod
    def loss(self, shift: Shift) -> PrivacyLoss:
        """A privacy loss that dominates every pair of output laws whose query answers differ by at most `shift`.

        The shift is never zero: a query that does not move costs nothing whatever the mechanism.
        """

    def on(self, query: Query) -> Release:
        """The release of a query's answer, randomised so: `Gaussian(sigma="8").on(Histogram(["age", "sex"]))`."""
        from accountant.release.release import Release

        return Release.of(self, query)

    def named(self, name: str) -> Release:
        """The release of what needs no query, under a name: `Claim.of("zcdp", rho="0.05").named("vendor dashboard")`."""
        from accountant.release.release import Release

        return Release.of(self).named(name)

    @property
    def called(self) -> str:
        """What a release of it is called, where nobody gives it a name."""
        return self.kind

    def attained(self, shift: Shift) -> tuple[PrivacyLoss, ...]:
        """The losses of all pairs of output laws of the mechanism that the worst moves of a shift may compare.

        Empty where they are not known: what `loss` returns then merely dominates them. Guarantee: for any datasets whose
        answers differ by a worst move, the loss of their own two laws is among these.
        """
        return ()

    def added_noise(self) -> Noise | None:
        """The law of the noise that every coordinate of an answer of any size gets on its own, and that is all there is.

        None where there is more to it, or where it is not said: then less is known of what a sample hides.
        """
        return None

    def error(self, share: Fraction) -> Interval | None:
        """How far from the exact number a published one is at most, with at least a probability; None where unknown.

        The least such distance, for each coordinate of the answer by itself, from both sides: at the upper end it holds,
        below the lower end it does not. By default what the law of the added noise says. Who adds no noise of that kind,
        or changes the answer in another way, may say it here.
        """
        noise = self.added_noise()
        if noise is None:
            return None
        from accountant.release.error import distance

        return distance(noise, share)

    @property
    def apiece(self) -> Interval | None:
        """Epsilon for each unit in which datasets differ, however many these are, where no two differ in just one.

        None where neighbours are compared, since what is lost between them says it. Guarantee: no output is more than
        e^(k apiece) times as likely under one of two datasets that are compared and differ in k units as under the other,
        and for no smaller number is that so.
        """
        return None

    def settled_by(self, shift: Shift) -> tuple[Theorem, ...]:
        """The theorems, beside its own, that settle which of the moves that a shift stands for is the worst."""
        return ()

    def check(self, relation: Relation) -> None:
        """Raise ShiftError, with what is supported, if nothing is known about the mechanism between such neighbours."""
        if self.relations is not None and relation.name not in self.relations:
            supported = " or ".join(f"'{name}'" for name in self.relations)
            raise ShiftError(
                f"'{self.kind}' is accounted for between {supported} neighbours only, not between '{relation.name}' ones"
            )

    def publishes(self) -> tuple[Invariant, ...]:
        """The statistics that the output shows exactly, whatever the data."""
        return ()

    def check_declared(self, invariants: Collection[Invariant]) -> None:
        """Raise InvalidValue if the invariants of a specification do not fix what the mechanism publishes exactly."""
        missing = [known for known in self.publishes() if not any(other.determines(known) for other in invariants)]
        if missing:
            names = " and ".join(f"'{known.name}'" for known in missing)
            written = ", ".join(known.written() for known in missing)
            raise InvalidValue(
                f"'{self.kind}' publishes {names} exactly, but the specification does not declare it: for datasets that "
                f"differ in it nothing is promised; add {written} to the specification's invariants"
            )

    def scaled(self, factor: Fraction) -> Mechanism | None:
        """The same with `factor` times the noise, or None where there is no noise to scale."""
        return None

    def unprocessed(self) -> Mechanism:
        """The mechanism whose output this one merely changes; itself where it does more than that."""
        return self

    def nested(self) -> Iterator[tuple[str, Mechanism]]:
        """This mechanism and all that it is made of, each with the path that leads to it, such as '.parts[0].mechanism'."""
        yield "", self
        for path, inner in self.inside():
            for further, part in inner.nested():
                yield path + further, part

    def inside(self) -> Iterator[tuple[str, Mechanism]]:
        """The mechanisms among its parameters, each with the path that leads to it."""
        yield from _inside(self)

    def replaced(self, change: Callable[[Mechanism], Mechanism]) -> Mechanism:
        """The same with every mechanism that it is made of, itself included, changed."""
        new = change(self)
        return _replaced(self, change) if new is self else new

    def all_published(self) -> tuple[Invariant, ...]:
        """The statistics that this mechanism, or any that it is made of, shows exactly."""
        return tuple(dict.fromkeys(known for _, part in self.nested() for known in part.publishes()))

    @property
    def asks_query(self) -> bool:
        """Whether this mechanism, or any that it is made of, needs a query."""
        return any(part.needs_query for _, part in self.nested())


def _inside(value: object) -> Iterator[tuple[str, Mechanism]]:
    for member in attrs.fields(type(value)) if attrs.has(type(value)) else ():  # type: ignore[arg-type]
        path, item = f".{member.alias or member.name}", getattr(value, member.name)
        several = (
            [(f"{path}[{index}]", part) for index, part in enumerate(item)] if isinstance(item, tuple) else [(path, item)]
        )
        for place, part in several:
            if isinstance(part, Mechanism):
                yield place, part
            else:
                yield from ((place + further, inner) for further, inner in _inside(part))


def _replaced(value: Any, change: Callable[[Mechanism], Mechanism]) -> Any:
    """The same value of an attrs class with the mechanisms among its fields changed."""

    def new(item: Any) -> Any:
        if isinstance(item, tuple):
            return tuple(new(part) for part in item)
        if isinstance(item, Mechanism):
            return item.replaced(change)
        return _replaced(item, change) if attrs.has(type(item)) else item

    members = {member.name: getattr(value, member.name) for member in attrs.fields(type(value)) if member.init}
    changed = {name: new(item) for name, item in members.items()}
    return value if changed == members else attrs.evolve(value, **changed)


MECHANISMS: Family[type[Mechanism]] = Family(
    "accountant_mechanisms", "mechanism", Mechanism, classes=True, named_by="kind", cites=("theorem",)
)
