"""Release: a named mechanism on a query, perhaps on a sample or in a scope, some number of times."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import field, frozen

from accountant.display.brief import Brief
from accountant.errors import ShiftError
from accountant.fields import about, at_least, at_most, text, whole
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


@frozen
class Release(Brief):
    """One line of a plan. `times` is the only place where repetition is counted."""

    name: str = field(converter=text, metadata=about("what the release is called"))
    mechanism: Mechanism
    query: Query | None = None
    times: int = field(
        default=1,
        converter=whole,
        validator=[at_least(1), at_most(10**18)],
        metadata=about("how often it is released, each time with fresh noise"),
    )
    sampling: Sampling | None = None
    scope: Scope | None = None

    def named(self) -> Iterator[tuple[str, frozenset[str]]]:
        """The attributes of a record that the release names, each time with the part of it that names them."""
        if self.query is not None and self.query.attributes:
            yield "query.attributes", self.query.attributes
        if self.scope is not None:
            yield "scope.partition", frozenset({self.scope.partition})
