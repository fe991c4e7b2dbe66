"""Mechanism and Release: a randomisation; and a named one on a query, perhaps on a sample or in a scope, many times."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attrs import evolve, field, frozen
from attrs.validators import optional

from accountant.display.brief import Brief
from accountant.errors import InvalidValue, ShiftError
from accountant.fields import about, at_least, at_most, instance, text, whole
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import Neighbours, Relation
from accountant.promise.theorem import Theorem
from accountant.release.query import Query, Shift
from accountant.release.sampling import Sampling
from accountant.values.family import Family, Kind

if TYPE_CHECKING:
    from accountant.loss import Noise, PrivacyLoss
    from accountant.numbers.interval import Interval
    from accountant.promise.cohort import Cohort


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
        return Release.of(self, query)

    def named(self, name: str) -> Release:
        """The release of what needs no query, under a name: `Claim.of("zcdp", rho="0.05").named("vendor dashboard")`."""
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

    def among(self, cohort: Cohort) -> Mechanism | None:
        """What it does to units of a cohort, where that is known to be less than what it does to others; None otherwise.

        Guarantee: between datasets whose steps change units of the cohort only, this mechanism and the one that is
        returned lose the same at worst.
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
        from accountant.values.nested import inside

        yield from inside(self, Mechanism)

    def replaced(self, change: Callable[[Mechanism], Mechanism]) -> Mechanism:
        """The same with every mechanism that it is made of, itself included, changed."""
        from accountant.values.nested import replaced

        new = change(self)
        return new if new is not self else replaced(self, Mechanism, lambda part: part.replaced(change))

    def all_published(self) -> tuple[Invariant, ...]:
        """The statistics that this mechanism, or any that it is made of, shows exactly."""
        return tuple(dict.fromkeys(known for _, part in self.nested() for known in part.publishes()))

    @property
    def asks_query(self) -> bool:
        """Whether this mechanism, or any that it is made of, needs a query."""
        return any(part.needs_query for _, part in self.nested())


MECHANISMS: Family[type[Mechanism]] = Family(
    "accountant_mechanisms", "mechanism", Mechanism, classes=True, named_by="kind", cites=("theorem",)
)

_ONE_RECORD = frozenset({(1, 0), (0, 1)})
_ONE_CHANGE = frozenset({(1, 1)})


@frozen
class Scope(Brief):
    """The records that a release looks at: those with one value of an attribute, which splits all records into parts.

    Guarantee: a record lies in one part at most, so releases of different parts of one partition see different records.
    """

    partition: str = field(converter=text, metadata=about("the attribute that splits the records into parts"))
    part: str = field(converter=text, metadata=about("the value that the attribute has in this part"))

    def check(self, neighbours: Neighbours) -> None:
        """Raise ShiftError, with the remedy, if it is not known what may become of a unit between such neighbours."""
        if neighbours.group > 1:
            raise ShiftError(
                f"units of a group of {neighbours.group} may be in different parts, which is not accounted for; leave the "
                f"scope out and say how far the query moves over all records, with '{self.partition}' among its attributes"
            )
        if not neighbours.relation.moves <= _ONE_RECORD and neighbours.relation.moves != _ONE_CHANGE:
            raise ShiftError(
                f"scopes between '{neighbours.relation.name}' neighbours are not accounted for; promise 'add-remove' or "
                "'replace-one' neighbours"
            )

    def may_change(self, neighbours: Neighbours) -> bool:
        """Whether a unit may be in one part in a dataset and in another part, or in none, in its neighbour."""
        return neighbours.relation.moves == _ONE_CHANGE and neighbours.affects(frozenset({self.partition}))


_MECHANISM = instance(Mechanism, 'give one, such as Gaussian(sigma="8"), or read plain data with read_plan')
_QUERY = instance(Query, 'give one, such as Count(["age"])')
_SAMPLING = instance(Sampling, 'give one, such as Poisson(rate="0.01")')
_SCOPE = instance(Scope, "give one as Scope(partition, part)")


def _called(mechanism: Mechanism, query: Query | None) -> str:
    """What a release is called that nobody named: its mechanism, its query and what that looks at."""
    if query is None:
        return mechanism.called
    looked_at = "" if not query.attributes else f" of {', '.join(sorted(query.attributes))}"
    return f"{mechanism.called} on {query.kind}{looked_at}"


@frozen
class Release(Brief):
    """One line of a plan. `times` is the only place where repetition is counted."""

    instead: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("steps", "count", "repeat", "repeated", "repetitions"), "did you mean 'times'?"
    )
    """What to write for parameters that people expect here and that there are not, by name."""

    name: str = field(converter=text, metadata=about("what the release is called"))
    mechanism: Mechanism = field(validator=_MECHANISM)
    query: Query | None = field(default=None, validator=optional(_QUERY))
    times: int = field(
        default=1,
        converter=whole,
        validator=[at_least(1), at_most(10**18)],
        metadata=about("how often it is released, each time with fresh noise"),
    )
    sampling: Sampling | None = field(default=None, validator=optional(_SAMPLING))
    scope: Scope | None = field(default=None, validator=optional(_SCOPE))

    @classmethod
    def of(cls, mechanism: Mechanism, query: Query | None = None) -> Release:
        """A release that is called after what it is made of, until it is given a name."""
        _MECHANISM(None, None, mechanism)
        if query is None and mechanism.asks_query:
            kind = next(part.kind for _, part in mechanism.nested() if part.needs_query)
            raise InvalidValue(
                f"'{kind}' needs to know what it is applied to; say so with .on(query), such as .on(Count())"
            )
        if query is not None:
            _QUERY(None, None, query)
        return cls(_called(mechanism, query), mechanism, query)

    @property
    def unnamed(self) -> bool:
        """Whether it is called after what it is made of, as if nobody gave it a name."""
        return self.name == _called(self.mechanism, self.query)

    def named(self, name: str) -> Release:
        """The same release under another name."""
        return evolve(self, name=name)

    def repeated(self, times: int) -> Release:
        """The same release so many times as often, each time with fresh noise and on a fresh sample."""
        return evolve(self, times=self.times * whole(times))

    def sampled(self, sampling: Sampling) -> Release:
        """The same release on a random sample of the records, drawn anew each time."""
        if self.sampling is not None:
            raise InvalidValue(
                f"'{self.name}' is on a '{self.sampling.kind}' sample already; a sample of a sample is not known"
            )
        return evolve(self, sampling=sampling)

    def mentions(self) -> Iterator[tuple[str, frozenset[str]]]:
        """The attributes of a unit's record that the release names, each time with the part of it that names them."""
        if self.query is not None and self.query.attributes and self.query.of is None:
            yield "query.attributes", self.query.attributes
        if self.scope is not None:
            yield "scope.partition", frozenset({self.scope.partition})
