"""Oracles: one line of mathematics by an author, written once, from which the laws build everything that they compare.

A case is an instance; an oracle is a function. It must not use what it is held against: the output law of a mechanism is
not derived from its claimed loss, the answer of a query not from its shift. `item` names what it speaks of.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from attrs import field, frozen

from accountant.display.brief import Brief
from accountant.errors import InvalidValue
from accountant.fields import optional_text, text
from accountant.numbers.exact import ExactLike
from accountant.numbers.interval import Interval
from accountant.plan.bridge import BRIDGES
from accountant.promise.neighbours import NEIGHBOURS, POLICIES
from accountant.promise.public_facts import PUBLIC_FACTS
from accountant.promise.risk import RISK_PROFILES
from accountant.release.query import QUERIES, Shift
from accountant.release.release import MECHANISMS
from accountant.release.sampling import SAMPLINGS
from accountant.values.family import Family

Chance = Fraction | Interval
"""A probability: exact, or between two ends that are stated."""


@frozen
class MechanismOracle(Brief):
    """What a mechanism does to one number, as a function of its parameters and the true answer.

    `law(mechanism, answer)` gives every output its chance; `tail(mechanism, answer, threshold)` is the chance that the
    output is above a threshold, for outputs that are numbers. One of the two is given, or neither where only parameters are
    to be drawn. Every coordinate of an answer is treated so on its own. `answers(mechanism)` lists the answers there are
    where not every number is one. `instances()` is a Hypothesis strategy for the mechanism where its fields do not say what
    may be drawn.

    Where a mechanism looks at several numbers at once, as scores or the reports of many, `moves(mechanism)` lists two
    answers each, in any form that `law` knows, and a shift that allows them.
    """

    family: ClassVar[Family[Any]] = MECHANISMS
    item: str = field(converter=text)
    law: Callable[[Any, Any], Mapping[Hashable, Chance]] | None = None
    tail: Callable[[Any, Fraction, Fraction], Chance] | None = None
    answers: Callable[[Any], Iterable[ExactLike]] | None = field(default=None, kw_only=True)
    instances: Callable[[], Any] | None = field(default=None, kw_only=True)
    moves: Callable[[Any], Iterable[tuple[Any, Any, Shift]]] | None = field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        given = [part for part in (self.law, self.tail) if part is not None]
        if len(given) > 1 or (not given and self.instances is None):
            raise InvalidValue(f"the oracle of '{self.item}' needs either 'law' or 'tail', or 'instances' alone")
        if self.moves is not None and (self.law is None or self.answers is not None):
            raise InvalidValue(f"the oracle of '{self.item}' has 'moves': these go with 'law', and with no 'answers'")

    @property
    def says_outputs(self) -> bool:
        """Whether it says how likely outputs are."""
        return self.law is not None or self.tail is not None

    @property
    def name(self) -> str:
        """What the oracle is called among the cases."""
        return f"outputs of {self.item}"


@frozen
class QueryOracle(Brief):
    """What a query computes: `answer(query, records)`, for any few of the records that `records(query)` lists.

    Records are mappings from attributes to values where the query looks at attributes, and any values otherwise. None where
    there is no such dataset, such as one of more records than a query says there are.
    """

    family: ClassVar[Family[Any]] = QUERIES
    item: str = field(converter=text)
    answer: Callable[[Any, tuple[Any, ...]], Iterable[ExactLike] | None]
    records: Callable[[Any], Iterable[Any]]
    instances: Callable[[], Any] | None = field(default=None, kw_only=True)

    @property
    def name(self) -> str:
        """What the oracle is called among the cases."""
        return f"answers of {self.item}"


@frozen
class SamplingOracle(Brief):
    """How a sampling chooses: `chance(sampling, taken, of)` that exactly the places `taken` are chosen out of `of` records.

    None where nothing can be chosen out of so many.
    """

    family: ClassVar[Family[Any]] = SAMPLINGS
    item: str = field(converter=text)
    chance: Callable[[Any, frozenset[int], int], Fraction | None]
    instances: Callable[[], Any] | None = field(default=None, kw_only=True)

    @property
    def name(self) -> str:
        """What the oracle is called among the cases."""
        return f"draws of {self.item}"


@frozen
class RelationOracle(Brief):
    """Which datasets are neighbours: `related(first, second)`, for tuples of records in any order.

    Records are tuples of values, one for each attribute.
    """

    family: ClassVar[Family[Any]] = NEIGHBOURS
    item: str = field(converter=text)
    related: Callable[[tuple[Any, ...], tuple[Any, ...]], bool]

    @property
    def name(self) -> str:
        """What the oracle is called among the cases."""
        return f"neighbours by {self.item}"


@frozen
class PolicyOracle(Brief):
    """Which datasets are neighbours by a policy: `related(policy, first, second)`, of those that `datasets(policy)` lists.

    Datasets are tuples of records, a record is a tuple of pairs of an attribute and a value, or None for a null record.
    Those that lie between neighbours of the usual relations are listed as well. `instances()` is a Hypothesis strategy for
    the policy.
    """

    family: ClassVar[Family[Any]] = POLICIES
    item: str = field(converter=text)
    related: Callable[[Any, tuple[Any, ...], tuple[Any, ...]], bool]
    datasets: Callable[[Any], Iterable[tuple[Any, ...]]]
    instances: Callable[[], Any]

    @property
    def name(self) -> str:
        """What the oracle is called among the cases."""
        return f"neighbours by {self.item}"


@frozen
class PublicOracle(Brief):
    """What public information leaves possible: `scenarios(public)` lists the laws of the data that are considered.

    Each scenario gives every secret that it leaves possible, in words, the law of the data under it: datasets, which are
    tuples of one record for each unit in order, None for a unit that is not there, with their chances. Secrets of one
    scenario are compared in pairs.
    """

    family: ClassVar[Family[Any]] = PUBLIC_FACTS
    item: str = field(converter=text)
    scenarios: Callable[[Any], Iterable[Mapping[str, Mapping[tuple[Any, ...], Fraction]]]]
    instances: Callable[[], Any]

    @property
    def name(self) -> str:
        """What the oracle is called among the cases."""
        return f"scenarios of {self.item}"


@frozen
class RiskProfileOracle(Brief):
    """Which risk profiles of a kind are tried, as a Hypothesis strategy, where its fields do not say what may be drawn."""

    family: ClassVar[Family[Any]] = RISK_PROFILES
    item: str = field(converter=text)
    instances: Callable[[], Any]

    @property
    def name(self) -> str:
        """What the oracle is called among the cases."""
        return f"profiles of {self.item}"


@frozen
class BridgeOracle(Brief):
    """What histories of a library look like, and how it writes that something happened again.

    `histories()` is a Hypothesis strategy for small histories in plain data, each of which can be read. `again(history,
    times)` is the history in which everything happened so many times, as the library writes it; `joined(first, second)` the
    one in which both happened. `known` lists histories whose releases somebody worked out by hand, as pairs. All are read
    between `neighbours`, or as they say themselves.
    """

    family: ClassVar[Family[Any]] = BRIDGES
    item: str = field(converter=text)
    histories: Callable[[], Any]
    again: Callable[[Any, int], Any]
    joined: Callable[[Any, Any], Any]
    known: tuple[tuple[Any, tuple[Mapping[str, Any], ...]], ...]
    neighbours: str | None = field(default=None, converter=optional_text)

    def __attrs_post_init__(self) -> None:
        if not self.known:
            raise InvalidValue(f"the oracle of '{self.item}' needs at least one known history with its releases")

    @property
    def name(self) -> str:
        """What the oracle is called among the cases."""
        return f"histories of {self.item}"


Oracle = (
    MechanismOracle
    | QueryOracle
    | SamplingOracle
    | RelationOracle
    | PolicyOracle
    | PublicOracle
    | RiskProfileOracle
    | BridgeOracle
)
