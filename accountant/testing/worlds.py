"""Worlds: plans for so few people that everything which may happen can be written down.

A world knows what its releases really do, outcome by outcome and in rationals, so that whatever is said about its plan can
be held against every pair of datasets that the words speak of.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from attrs import field, frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from accountant.accounting.account import Account, account
from accountant.certificate.certificate import Certificate
from accountant.certificate.certify import certify
from accountant.errors import AccountantError
from accountant.fields import optional_exact
from accountant.finite.domain import Records, multisets
from accountant.numbers.interval import upper_fraction
from accountant.plan.plan import Plan
from accountant.plan.reader import read_plan
from accountant.promise.divergence import DIVERGENCES, Divergence
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import Neighbours
from accountant.promise.statement import Outcomes
from accountant.promise.words import ComparedPairs
from accountant.registry.registry import Registry, default_registry
from accountant.release.query import Shift
from accountant.release.release import MECHANISMS
from accountant.testing import exact_noise
from accountant.testing.exact_noise import ExactNoise
from accountant.testing.examples import USUAL, Depth, search

ATTRIBUTES = ("age", "illness")
"""What a record of a world has; each attribute is 0 or 1."""
MOST = 2
"""How many records a dataset of a world has at most."""
_LIMIT = "2"

Law = Mapping[tuple[int, ...], Fraction]


@frozen
class Noisy:
    """Counts with exact noise, kept between 0 and the largest count.

    Definition: of all records that agree on `attributes`, one count for each combination, or, for a single count, how many
    have the value 1 in all of them. What is cut off says nothing more: beyond the counts, likelihood ratios are constant.
    A ratio of None adds no noise; no counts at all tell nothing.
    """

    attributes: tuple[str, ...] | None
    ratio: Fraction | None = field(converter=optional_exact)
    single: bool = False
    times: int = 1
    rate: Fraction | None = field(default=None, converter=optional_exact)
    claimed: bool = False
    """Whether the plan does not say what is done, but only claims how much it loses."""
    settled: bool = True
    """Whether it is known to lose so much, or may as well lose nothing."""

    def answers(self, dataset: Records) -> tuple[int, ...]:
        """The counts without noise."""
        if self.attributes is None:
            return ()
        found = [tuple(dict(record)[name] for name in self.attributes) for record in dataset]
        if self.single:
            return (sum(all(values) for values in found),)
        return tuple(found.count(values) for values in itertools.product((0, 1), repeat=len(self.attributes)))

    def law(self, dataset: Records, *, hidden: bool) -> Law:
        """How likely each output is; where the sample is `hidden`, over who is sampled as well."""
        if self.rate is None or not hidden:
            return self._of(self.answers(dataset))
        total: dict[tuple[int, ...], Fraction] = {}
        for chosen in itertools.product((False, True), repeat=len(dataset)):
            share = Fraction(1)
            for taken in chosen:
                share *= self.rate if taken else 1 - self.rate
            sample = tuple(record for record, taken in zip(dataset, chosen, strict=True) if taken)
            for output, chance in self._of(self.answers(sample)).items():
                total[output] = total.get(output, Fraction(0)) + share * chance
        return total

    def _of(self, answers: tuple[int, ...]) -> Law:
        laws = [self._cell(answer) for answer in answers]
        outputs = itertools.product(*(law.items() for law in laws))
        return {tuple(value for value, _ in output): _product(chance for _, chance in output) for output in outputs}

    def _cell(self, answer: int) -> dict[int, Fraction]:
        ratio = self.ratio
        if ratio is None:
            return {answer: Fraction(1)}
        inside = {value: (1 - ratio) * ratio ** abs(value - answer) / (1 + ratio) for value in range(1, MOST)}
        return {0: ratio**answer / (1 + ratio), **inside, MOST: ratio ** (MOST - answer) / (1 + ratio)}


def _product(chances: Iterator[Fraction]) -> Fraction:
    result = Fraction(1)
    for chance in chances:
        result *= chance
    return result


@frozen(eq=False)
class World:
    """A plan, and what its releases do to every dataset of at most two records."""

    plan: Plan = field(repr=lambda plan: str(plan.as_data()))
    truth: tuple[Noisy, ...]
    registry: Registry = field(factory=default_registry, repr=False)
    _pairs: dict[Any, tuple[tuple[Records, Records], ...]] = field(factory=dict, init=False, repr=False)
    _outcomes: dict[Any, Outcomes] = field(factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls,
        *truth: Noisy,
        specification: Mapping[str, Any],
        registry: Registry | None = None,
        **further: Any,
    ) -> World:
        """The world of these releases under a specification given as plain data; a plan may say more."""
        known = _with_noise(registry or default_registry())
        budget, parameter = _usual(known)
        data = {
            "title": "a small world",
            "specification": specification,
            "budget": [{"divergence": budget.name, parameter: _LIMIT}],
            "release": [_written(f"release {number}", noisy, budget) for number, noisy in enumerate(truth)],
            **further,
        }
        return cls(read_plan(data, registry=known), truth, known)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """In a counterexample only the plan matters, as it would be written."""
        printer.text(repr(self))

    @cached_property
    def account(self) -> Account:
        """The account of the plan."""
        return account(self.plan, registry=self.registry)

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate of the plan."""
        return certify(self.plan, registry=self.registry)

    @cached_property
    def datasets(self) -> tuple[Records, ...]:
        """All that the data may be."""
        values = itertools.product((0, 1), repeat=len(ATTRIBUTES))
        return multisets([tuple(zip(ATTRIBUTES, value, strict=True)) for value in values], MOST)

    def pairs(self, comparison: ComparedPairs) -> tuple[tuple[Records, Records], ...]:
        """The pairs of datasets that a comparison speaks of, in both orders."""
        key = (comparison.neighbours, comparison.invariants)
        if key not in self._pairs:
            self._pairs[key] = tuple(
                (left, right)
                for left, right in itertools.permutations(self.datasets, 2)
                if agree(comparison.invariants, left, right) and apart(comparison.neighbours, left, right)
            )
        return self._pairs[key]

    def outcomes(self, left: Records, right: Records, comparison: ComparedPairs, release: str | None = None) -> Outcomes:
        """The two laws of everything that is published, or of one release; outcomes with one likelihood ratio are one."""
        key = (left, right, comparison.hidden_sample, release)
        if key not in self._outcomes:
            self._outcomes[key] = self._laws(*key)
        return self._outcomes[key]

    def _laws(self, left: Records, right: Records, hidden: bool, name: str | None) -> Outcomes:
        none, one = Fraction(0), Fraction(1)
        if not agree(self.plan.specification.invariants, left, right):
            return (one, none), (none, one)
        found: Outcomes = ((one, one),)
        for stated, release in zip(self.plan.releases, self.truth, strict=True):
            if name not in (None, stated.name):
                continue
            first, second = (release.law(dataset, hidden=hidden) for dataset in (left, right))
            each = _merged([(first.get(output, none), second.get(output, none)) for output in {**first, **second}])
            for _ in range(release.times):
                found = _merged([(p * r, q * s) for p, q in found for r, s in each])
        return found


def _merged(outcomes: Outcomes) -> Outcomes:
    total: dict[Fraction | None, tuple[Fraction, Fraction]] = {}
    for p, q in outcomes:
        if p or q:
            ratio = p / q if q else None
            before = total.get(ratio, (Fraction(0), Fraction(0)))
            total[ratio] = (before[0] + p, before[1] + q)
    return tuple(sorted(total.values()))


def agree(invariants: tuple[Invariant, ...], left: Records, right: Records) -> bool:
    """Whether two datasets have the same counts wherever those are published exactly."""
    return all(
        Noisy(tuple(sorted(invariant.counts_by)), None).answers(left)
        == Noisy(tuple(sorted(invariant.counts_by)), None).answers(right)
        for invariant in invariants
        if invariant.counts_by is not None
    )


def apart(neighbours: Neighbours, left: Records, right: Records) -> bool:
    """Whether two datasets differ in up to as many units, and only where they may, as neighbours do."""
    if neighbours.attributes is not None:
        changes = (_changed(neighbours, left, order) for order in itertools.permutations(right))
        return len(left) == len(right) and any(
            0 < changed <= neighbours.group for changed in changes if changed is not None
        )
    kept = list(left)
    for record in right:
        if record in kept:
            kept.remove(record)
    gone = len(kept)
    moved = (len(right) - len(left) + gone, gone)
    sizes = range(1, neighbours.group + 1)
    return any(moved in Neighbours(neighbours.relation, group=size).moves for size in sizes)


def _changed(neighbours: Neighbours, left: Records, right: Records) -> int | None:
    """How many records differ in this order; None if one differs in what must not."""
    changed = 0
    for before, after in zip(left, right, strict=False):
        differing = {name for (name, value), (_, other) in zip(before, after, strict=True) if value != other}
        if not differing <= (neighbours.attributes or frozenset()):
            return None
        changed += bool(differing)
    return changed


def telling(registry: Registry | None = None) -> tuple[World, ...]:
    """Worlds in which a sentence is false if it leaves out what matters there."""
    illness, age = Noisy(("illness",), "1/3", times=2), Noisy(("age",), "1/8")
    sampled, claimed = Noisy(("illness",), "1/8", rate="1/4"), Noisy(None, "1/8", single=True, claimed=True)
    presence, values = {"neighbours": "add-remove"}, {"neighbours": "replace-one"}
    chosen: list[tuple[tuple[Noisy, ...], dict[str, Any]]] = [
        ((illness,), presence),
        ((illness, age), values),
        ((illness, age), {**values, "attributes": ["illness"]}),
        ((illness,), {**presence, "group": 2}),
        ((illness, age), {**values, "invariants": [_BY_AGE]}),
        ((illness,), {**presence, "invariants": [_TOTAL]}),
        ((Noisy(("illness",), "1/3", settled=False),), presence),
        ((sampled,), presence),
        ((sampled,), {**presence, "attacker": "insider"}),
        ((claimed,), presence),
        ((Noisy(("illness",), None),), presence),
    ]
    return tuple(World.of(*truth, specification=promised, registry=registry) for truth, promised in chosen)


def empty(registry: Registry | None = None) -> World:
    """A world in which no two datasets are compared, since nothing may differ."""
    return World.of(
        Noisy(("illness",), "1/3"), specification={"neighbours": "replace-one", "attributes": []}, registry=registry
    )


def grouped(registry: Registry | None = None) -> tuple[World, World]:
    """A world with a promise for groups of two, and the same with one for each unit."""
    illness, presence = Noisy(("illness",), "1/3"), {"neighbours": "add-remove"}
    promised = ({**presence, "group": 2}, presence)
    several, alone = (World.of(illness, specification=each, registry=registry) for each in promised)
    return several, alone


@st.composite
def worlds(draw: DrawFn, registry: Registry | None = None) -> World:
    """Worlds with any neighbours, groups, attributes and exact counts, of releases that are seen, sampled or claimed."""
    edits = draw(st.booleans())
    promised: dict[str, Any] = {"neighbours": "replace-one" if edits else "add-remove"}
    if edits and draw(st.booleans()):
        promised["attributes"] = draw(st.sampled_from((["illness"], ["age", "illness"])))
    promised["invariants"] = draw(st.sampled_from(((), (), (_TOTAL,), (_BY_AGE,))))
    hidden = not edits and not promised["invariants"] and draw(st.booleans())
    if hidden:
        promised["attacker"] = draw(st.sampled_from(("outsider", "insider")))
    elif draw(st.booleans()):
        promised["group"] = 2
    truth = draw(st.lists(_releases(hidden, bool(promised["invariants"])), min_size=1, max_size=2))
    return World.of(*truth, specification={**promised, "invariants": list(promised["invariants"])}, registry=registry)


_TOTAL = {"name": "total", "counts_by": []}
_BY_AGE = {"name": "ages", "counts_by": ["age"]}


@st.composite
def _releases(draw: DrawFn, hidden: bool, exact_counts: bool) -> Noisy:
    """What a release does, and whether the plan only claims how much that loses."""
    single = draw(st.booleans())
    attributes = (draw(st.sampled_from(ATTRIBUTES)),)
    ratio, times = draw(st.sampled_from(("1/8", "1/3", "1/2"))), draw(st.integers(1, 2))
    if hidden:
        return Noisy(attributes, ratio, single, times, "1/4")
    if not exact_counts and draw(st.integers(0, 3)) == 0:
        return Noisy(draw(st.sampled_from((None, attributes))), ratio, single=True, claimed=True)
    return Noisy(attributes, ratio, single, times)


def met(world: World) -> World:
    """The same world as it was met first, so that laws that meet it again share its account and what is enumerated."""
    key = (id(world.registry), str(world.plan.as_data()), world.truth)
    if len(_MET) >= _MOST_MET:
        _MET.clear()
    return _MET.setdefault(key, world)


def in_worlds(law: Callable[..., None], item: Any, registry: Registry, examples: int, depth: Depth = USUAL) -> None:
    """Try a law in worlds that were chosen to tell, and in random ones."""
    for world in telling(registry):
        law(item, met(world))
    search(law, item, world=worlds(registry).map(met), examples=examples, depth=depth)


# Worlds hold their registries: while one is here, no other registry has its identity.
_MET: dict[tuple[int, str, tuple[Noisy, ...]], World] = {}
_MOST_MET = 100


def _with_noise(registry: Registry) -> Registry:
    """The registry with the noise of worlds, made once for each."""
    if ExactNoise.kind in registry[MECHANISMS]:
        return registry
    if id(registry) not in _EXTENDED:
        _EXTENDED[id(registry)] = registry, registry.adding(exact_noise)
    return _EXTENDED[id(registry)][1]


_EXTENDED: dict[int, tuple[Registry, Registry]] = {}


def _usual(registry: Registry) -> tuple[Divergence, str]:
    """A definition whose parameter is one number that a claim is worth as much as, and that has the limit of these worlds
    among its parameters: which one does not matter."""
    found = next(
        definition
        for definition in registry[DIVERGENCES].values()
        if not definition.primary.at and definition.properties.round_trip and _has_limit(definition)
    )
    return found, found.primary.value


def _has_limit(definition: Divergence) -> bool:
    try:
        definition.parameter(**{definition.primary.value: _LIMIT})
    except AccountantError:
        return False
    return True


def _written(name: str, noisy: Noisy, definition: Divergence) -> dict[str, Any]:
    """A release as a plan states it."""
    noise = ExactNoise(noisy.ratio or 0)
    if noisy.claimed:
        lost = upper_fraction(definition.measure(noise.loss(Shift.along([1])), {}))
        claim = {"kind": "claim", "divergence": definition.name, definition.primary.value: str(lost)}
        return {"name": name, "mechanism": claim}
    kind = "count" if noisy.single else "histogram"
    settled = {} if noisy.settled else {"settled": False}
    sampling = {} if noisy.rate is None else {"sampling": {"kind": "poisson", "rate": str(noisy.rate)}}
    return {
        "name": name,
        "query": {"kind": kind, "attributes": list(noisy.attributes or ())},
        "mechanism": {"kind": noise.kind, "ratio": str(noise.ratio), **settled},
        "times": noisy.times,
        **sampling,
    }
