"""What is tried of a sampling."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

import attrs

from accountant.errors import AccountantError
from accountant.promise.neighbours import NEIGHBOURS, Relation
from accountant.release.query import QUERIES
from accountant.release.sampling import SAMPLINGS, Sampling
from accountant.testing import laws, strategies
from accountant.testing.trial import Kit, Trial

FAMILY = SAMPLINGS


def trials(kit: Kit, kind: str, cls: type[Sampling]) -> Iterator[Trial]:
    """Every law of samplings, between every kind of neighbours."""
    subject = f"sampling {kind}"
    for name, relation in kit.registry[NEIGHBOURS].items():
        between = f"{subject}, {name}"
        check = partial(_on_samplings, kit, cls, relation)
        yield Trial("an insider's number is never below an outsider's", kit.plugin, between, check, subject)
        attained = partial(_on_small_samples, kit, cls, relation)
        yield Trial("lower ends are attained", kit.plugin, between, attained, subject)


def _on_samplings(kit: Kit, cls: type[Sampling], relation: Relation) -> None:
    sampling = strategies.samplings(cls)
    kit.searched(laws.insiders_know_no_less, kit.registry, relation, sampling=sampling, examples=12)()


def _on_small_samples(kit: Kit, cls: type[Sampling], relation: Relation) -> None:
    """Samplings of few records, and every query that says what a record adds."""
    queries = [query for known in kit.registry[QUERIES].values() for query in _made(known, ((), (-1, 2), (2, 3)))]
    for sampling in _made(cls, ((), ("3/10",), (1, 2), (2, 3))):
        for query in queries:
            laws.lower_ends_are_attained(kit.registry, relation, sampling, query)


def _made(cls: Any, choices: Collection[tuple[Any, ...]]) -> Iterator[Any]:
    """Values of a class whose parameters can be filled in with any of these."""
    needed = [member.name for member in attrs.fields(cls) if member.init and member.default is attrs.NOTHING]
    for values in choices:
        if len(values) == len(needed):
            try:
                yield cls(**dict(zip(needed, values, strict=True)))
            except AccountantError:
                continue
