"""Hypothesis strategies for everything the laws speak about, in exact numbers."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

import attrs
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from accountant.errors import ShiftError
from accountant.loss import (
    NO_LOSS,
    TOTAL_LOSS,
    BracketLoss,
    FiniteLoss,
    GaussianLoss,
    PrivacyLoss,
    ResponseLoss,
    compose,
)
from accountant.plan.plan import Plan
from accountant.plugin.cases import CASES, ConformanceCase, MechanismCase, ParameterCase
from accountant.promise.divergence import DIVERGENCES
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import NEIGHBOURS, Neighbours
from accountant.promise.specification import Budget, Specification
from accountant.registry.registry import Registry, default_registry
from accountant.release.claim import Claim, rests_on_claims
from accountant.release.query import QUERIES, Query, Shift
from accountant.release.release import Mechanism, Release
from accountant.release.sampling import SAMPLINGS, Sampling
from accountant.testing.instances import instances, underivable
from accountant.testing.places import DELTAS

T = TypeVar("T")
_WORDS = ("age", "sex", "smoking", "income")


def exact_numbers(lowest: Fraction | int = 0, highest: Fraction | int = 10) -> SearchStrategy[Fraction]:
    """Exact numbers between two bounds, with small denominators."""
    return st.fractions(min_value=lowest, max_value=highest, max_denominator=24)


@st.composite
def priors(draw: DrawFn, size: int = 3, smallest: int = 1) -> tuple[Fraction, ...]:
    """Probabilities of `size` outcomes that sum to 1; with `smallest` = 0 some may be impossible."""
    weights = draw(st.lists(st.integers(smallest, 9), min_size=size, max_size=size).filter(any))
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


@st.composite
def finite_losses(draw: DrawFn, size: int = 4, smallest: int = 0) -> FiniteLoss:
    """Exact pairs on at most `size` outcomes; with `smallest` = 0 the loss may be infinite."""
    return FiniteLoss(zip(draw(priors(size, smallest)), draw(priors(size, smallest)), strict=True))


@st.composite
def extreme_losses(draw: DrawFn) -> FiniteLoss:
    """Pairs on two outcomes, one of them rare and up to a billion times as likely under P; sometimes P alone has it."""
    ratio = draw(st.sampled_from((Fraction(3, 2), Fraction(4), Fraction(50), Fraction(10**4), Fraction(10**9))))
    rare = Fraction(1, draw(st.sampled_from((2, 3, 10, 10**3, 10**6, 10**12, 10**30))))
    seen = draw(st.sampled_from((rare, rare, 1 - rare)))
    other = draw(st.sampled_from((seen / ratio, seen / ratio, Fraction(0))))
    return FiniteLoss([(seen, other), (1 - seen, 1 - other)])


@st.composite
def tilted_chains(draw: DrawFn, longest: int = 6) -> list[tuple[Fraction, ...]]:
    """Output laws in a row, each tilted against the one before in the same way: what a group loses adds up most."""
    weights, ratio = (
        draw(priors(draw(st.integers(2, 4)))),
        draw(st.sampled_from((Fraction(21, 20), Fraction(3, 2), Fraction(3)))),
    )
    laws = []
    for step in range(draw(st.integers(3, longest + 1))):
        tilted = [weight * ratio ** (place * step) for place, weight in enumerate(weights)]
        laws.append(tuple(weight / sum(tilted) for weight in tilted))
    return laws


@st.composite
def leaning_chains(draw: DrawFn, longest: int = 4) -> list[tuple[Fraction, ...]]:
    """Laws of two outcomes in a row, one of them ever likelier and rare at first: steps that are alike cost most there."""
    rare = [Fraction(digit, 10**power) for power in range(1, 9) for digit in (1, 2, 5)]
    likely = st.sampled_from([*rare, Fraction(3, 5), Fraction(9, 10)])
    chosen = draw(st.lists(likely, min_size=3, max_size=longest + 1, unique=True))
    return [(chance, 1 - chance) for chance in sorted(chosen)]


@st.composite
def leaking_chains(draw: DrawFn, longest: int = 4) -> list[tuple[Fraction, ...]]:
    """Laws in a row of which each gains a little that the one before did not have, and all that it had so many times."""
    ratio = draw(st.sampled_from((Fraction(1), Fraction(3, 2), Fraction(3))))
    leak, chances = draw(st.sampled_from(DELTAS)) / 2, [Fraction(0)]
    for _ in range(draw(st.integers(2, longest))):
        chances.append(min(ratio * chances[-1] + leak, Fraction(1)))
    return [(chance, 1 - chance) for chance in chances]


def chains(longest: int = 4) -> SearchStrategy[list[tuple[Fraction, ...]]]:
    """Output laws of a mechanism on datasets in a row, each a neighbour of the next."""
    return st.lists(priors(), min_size=2, max_size=longest + 1)


@st.composite
def channels(draw: DrawFn, inputs: int = 4, outputs: int = 3) -> tuple[tuple[Fraction, ...], ...]:
    """Post-processings: for each old outcome a law on new ones, often just one new outcome for certain."""
    certain = [tuple(Fraction(int(place == chosen)) for place in range(outputs)) for chosen in range(outputs)]
    row = st.sampled_from(certain) | priors(outputs, 0)
    return tuple(draw(row) for _ in range(inputs))


def _simple_losses() -> SearchStrategy[PrivacyLoss]:
    positive = st.fractions(min_value=Fraction(1, 8), max_value=4, max_denominator=8)
    slack = st.fractions(min_value=0, max_value=Fraction(1, 4), max_denominator=32)
    return st.one_of(
        finite_losses(),
        st.builds(GaussianLoss, positive),
        st.builds(ResponseLoss, positive, slack),
    )


def one_of_each() -> tuple[PrivacyLoss, ...]:
    """A loss of every family of the core: drawn ones may leave a family out for long."""
    skewed = FiniteLoss([("1/2", "1/4"), ("1/2", "3/4")])
    leaky = ResponseLoss(1, Fraction(1, 1000))
    both = compose([(leaky, 2), (GaussianLoss(1), 1)])
    return skewed, TOTAL_LOSS, GaussianLoss(1), leaky, both, BracketLoss(both, GaussianLoss(1)), BracketLoss(leaky, NO_LOSS)


def losses() -> SearchStrategy[PrivacyLoss]:
    """Losses of all families of the core: finite, Gaussian, leaky response, brackets and compositions of them."""
    simple = _simple_losses()
    counted = st.tuples(simple, st.integers(1, 4))
    brackets = st.builds(lambda loss, other: BracketLoss(compose([(loss, 1), (other, 1)]), loss), simple, simple)
    return st.one_of(simple, st.lists(counted, min_size=2, max_size=3).map(compose), brackets)


def mechanism_cases(registry: Registry | None = None, plugin: str | None = None) -> SearchStrategy[MechanismCase]:
    """The mechanisms on shifts that plugins offer, and claims of the parameters they offer."""
    known = registry or default_registry()
    return st.sampled_from(as_mechanisms(known.offered(CASES, plugin).values(), known))


def as_mechanisms(cases: Iterable[ConformanceCase], registry: Registry) -> list[MechanismCase]:
    """Conformance cases as mechanisms, parameters turned into claims; oracles are no instances."""
    claimed = (_claimed(case, registry) if isinstance(case, ParameterCase) else case for case in cases)
    return [case for case in claimed if isinstance(case, MechanismCase)]


def _claimed(case: ParameterCase, registry: Registry) -> MechanismCase:
    definition = registry.find(DIVERGENCES, case.divergence)
    return MechanismCase(case.name, Claim(definition, case.parameter), Shift.along([1]))


def mechanisms(registry: Registry | None = None, plugin: str | None = None) -> SearchStrategy[Mechanism]:
    """Mechanisms that plugins offer for conformance."""
    return mechanism_cases(registry, plugin).map(lambda case: case.mechanism)


def shifts() -> SearchStrategy[Shift]:
    """Moves of a query: along known coordinates, or known by their norms only."""
    moves = st.fractions(min_value=-4, max_value=4, max_denominator=6).filter(bool)
    along = st.lists(moves, min_size=1, max_size=3).map(Shift.along)
    return st.one_of(along, along.map(lambda shift: Shift(shift.l1, shift.l2_squared, shift.linf)))


def neighbours(registry: Registry | None = None) -> SearchStrategy[Neighbours]:
    """Neighbours of every registered relation; where it allows edits, sometimes of some attributes only."""
    known = registry or default_registry()

    def of(name: str) -> SearchStrategy[Neighbours]:
        relation = known[NEIGHBOURS][name]
        some = st.none() | st.sets(st.sampled_from(_WORDS), min_size=1) if relation.edits else st.none()
        return st.builds(Neighbours, st.just(relation), st.sampled_from(("person", "household")), some)

    return st.sampled_from(sorted(known[NEIGHBOURS])).flatmap(of)


def queries(registry: Registry | None = None) -> SearchStrategy[Query]:
    """Queries of every registered kind whose fields say what may be drawn."""
    known = registry or default_registry()
    attributes = st.none() | st.sets(st.sampled_from(_WORDS), min_size=1)
    kinds: list[type[Any]] = [cls for cls in known[QUERIES].values() if not underivable(cls)]
    drawn = st.one_of([instances(cls, known) for cls in kinds])
    return st.builds(lambda query, named: attrs.evolve(query, attributes=named), drawn, attributes)


def plans(registry: Registry | None = None) -> SearchStrategy[Plan]:
    """Plans of one to three releases of the mechanisms that plugins offer, with any budgets and invariants."""
    known = registry or default_registry()
    cases = list(known.offered(CASES).values())
    budgets = [
        Budget(known.find(DIVERGENCES, case.divergence), case.parameter)
        for case in cases
        if isinstance(case, ParameterCase)
    ]
    offered = [case.mechanism for case in as_mechanisms(cases, known)]
    kinds: list[type[Any]] = [cls for cls in known[SAMPLINGS].values() if not underivable(cls)]

    @st.composite
    def drawn(draw: DrawFn) -> Plan:
        compared = draw(neighbours(known))
        covered = [item for item in offered if _accepted(item, compared)]
        chosen = draw(st.lists(st.sampled_from(covered), min_size=1, max_size=3))
        samplings = st.none() | st.one_of([instances(cls, known) for cls in kinds])
        releases = [
            Release(
                f"release {number}",
                mechanism,
                draw(queries(known).filter(partial(_moves, compared))) if mechanism.asks_query else None,
                draw(st.integers(1, 5)),
                _sampling(draw(samplings), mechanism, compared),
            )
            for number, mechanism in enumerate(chosen, start=1)
        ]
        named = [Invariant(name) for name in draw(st.lists(st.sampled_from(_WORDS), max_size=2, unique=True))]
        specification = Specification(
            compared,
            (*named, *(invariant for mechanism in chosen for invariant in mechanism.all_published())),
            budgets=tuple(draw(st.lists(st.sampled_from(budgets), max_size=2)) if budgets else ()),
        )
        return Plan(draw(st.sampled_from(("A plan", "Ein Plan – mit Umlaut: ü"))), specification, tuple(releases))

    return drawn()


def _sampling(sampling: Sampling | None, mechanism: Mechanism, compared: Neighbours) -> Sampling | None:
    """A sampling where a plan may have it."""
    if sampling is None or rests_on_claims(mechanism) or compared.relation.edits:
        return None
    return sampling if _accepted(sampling, compared) else None


def _moves(compared: Neighbours, query: Query) -> bool:
    """Whether a query says how far it moves between such neighbours: a stated shift may be of others."""
    try:
        query.shift(compared)
    except ShiftError:
        return False
    return True


def _accepted(item: Mechanism | Sampling, compared: Neighbours) -> bool:
    """Whether a mechanism, with all that it is made of, or a sampling is accounted for between such neighbours."""
    try:
        if isinstance(item, Sampling):
            item.check(compared)
        else:
            for _, part in item.nested():
                part.check(compared.relation)
    except ShiftError:
        return False
    return True
