"""Release: a named mechanism on a query, perhaps on a sample or in a scope, some number of times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from attrs import evolve, field, frozen
from attrs.validators import optional

from accountant.display.brief import Brief
from accountant.errors import InvalidValue, ShiftError
from accountant.fields import about, at_least, at_most, instance, text, whole
from accountant.promise.neighbours import Neighbours
from accountant.release.mechanism import Mechanism
from accountant.release.query import Query
from accountant.release.sampling import Sampling

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
        """The attributes of a record that the release names, each time with the part of it that names them."""
        if self.query is not None and self.query.attributes:
            yield "query.attributes", self.query.attributes
        if self.scope is not None:
            yield "scope.partition", frozenset({self.scope.partition})
