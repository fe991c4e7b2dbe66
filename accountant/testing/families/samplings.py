"""What is tried of a sampling."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from accountant.errors import AccountantError
from accountant.plugin.oracles import SamplingOracle
from accountant.promise.neighbours import NEIGHBOURS, Relation
from accountant.release.query import QUERIES
from accountant.release.sampling import SAMPLINGS, Sampling
from accountant.testing import laws
from accountant.testing.examples import search
from accountant.testing.instances import instances
from accountant.testing.trial import Kit, Trial

FAMILY = SAMPLINGS
_SMALL = (Fraction(3, 10), Fraction(9, 10), Fraction(1, 1000), Fraction(0), Fraction(1), Fraction(2), Fraction(3))
"""What parameters of a sampling may be if it is one of few records; rates and sizes are among them."""


def trials(kit: Kit, kind: str, cls: type[Sampling]) -> Iterator[Trial]:
    """Every law of samplings, between every kind of neighbours."""
    subject = f"sampling {kind}"
    oracle = kit.oracle(SamplingOracle, kind)
    says = partial(_says, kind, cls, oracle)
    yield Trial("samplings say how they draw", kit.plugin, subject, says, subject)
    chances = partial(_on_few, cls, oracle, partial(laws.draws_are_chances, oracle=oracle))
    yield Trial("draws are chances", kit.plugin, subject, chances, subject)
    anywhere = partial(_on_any, kit, kind, cls, oracle)
    yield Trial("samples lose no more than is claimed", kit.plugin, f"{subject}, some neighbours", anywhere, subject)
    for name, relation in kit.registry[NEIGHBOURS].items():
        between = f"{subject}, {name}"
        law = partial(laws.samples_lose_no_more_than_claimed, kit.registry, relation, oracle)
        loses = partial(_on_few, cls, oracle, law)
        yield Trial("samples lose no more than is claimed", kit.plugin, between, loses, subject)
        check = partial(_on_samplings, kit, cls, oracle, relation)
        yield Trial("an insider's number is never below an outsider's", kit.plugin, between, check, subject)
        attained = partial(_on_small_samples, kit, cls, relation)
        yield Trial("lower ends are attained", kit.plugin, between, attained, subject)


def _few(cls: type[Sampling], oracle: SamplingOracle | None) -> tuple[Sampling, ...]:
    """Samplings of few records: their parameters are small numbers, or what the author draws."""
    if oracle is None or oracle.instances is None:
        return tuple(_made(cls, itertools.product(_SMALL, repeat=len(_needed(cls)))))
    found: list[Sampling] = []

    def kept(sampling: Sampling) -> None:
        found.append(sampling)

    search(kept, sampling=oracle.instances())
    return tuple(dict.fromkeys(found))


def _says(kind: str, cls: type[Sampling], oracle: SamplingOracle | None) -> None:
    laws.sampling_says_how_it_draws(kind, _few(cls, oracle), oracle)


def _on_any(kit: Kit, kind: str, cls: type[Sampling], oracle: SamplingOracle | None) -> None:
    pairs = itertools.product(_few(cls, oracle), kit.registry[NEIGHBOURS].values())
    tried = (
        laws.samples_lose_no_more_than_claimed(kit.registry, relation, oracle, sampling) for sampling, relation in pairs
    )
    laws.some_samples_are_tried(kind, tried)


def _on_few(cls: type[Sampling], oracle: SamplingOracle | None, law: Callable[[Sampling], object]) -> None:
    for sampling in _few(cls, oracle):
        law(sampling)


def _on_samplings(kit: Kit, cls: type[Sampling], oracle: SamplingOracle | None, relation: Relation) -> None:
    sampling = instances(cls, kit.registry, oracle)
    kit.searched(laws.insiders_know_no_less, kit.registry, relation, sampling=sampling, examples=12)()


def _on_small_samples(kit: Kit, cls: type[Sampling], relation: Relation) -> None:
    """Samplings of few records, and every query that says what a record adds."""
    queries = [query for known in kit.registry[QUERIES].values() for query in _made(known, ((), (-1, 2), (2, 3)))]
    for sampling in _made(cls, ((), ("3/10",), (1, 2), (2, 3))):
        for query in queries:
            laws.lower_ends_are_attained(kit.registry, relation, sampling, query)


def _needed(cls: Any) -> list[str]:
    return [member.name for member in attrs.fields(cls) if member.init and member.default is attrs.NOTHING]


def _made(cls: Any, choices: Collection[tuple[Any, ...]] | Iterator[tuple[Any, ...]]) -> Iterator[Any]:
    """Values of a class whose parameters can be filled in with any of these."""
    needed = _needed(cls)
    for values in choices:
        if len(values) == len(needed):
            try:
                yield cls(**dict(zip(needed, values, strict=True)))
            except AccountantError:
                continue
