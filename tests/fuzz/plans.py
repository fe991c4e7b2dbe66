"""Plans that nobody would write: those of every kind, with numbers, keys and shapes changed at random."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from tests.cli.test_every_kind import EXAMPLES, PROMISES

NUMBERS: tuple[Any, ...] = (
    "0",
    "-1",
    "1",
    "1/3",
    "0.5",
    "1e-12",
    "1e-300",
    "1e300",
    "1e9",
    "1e18",
    "1e-6",
    "1000000",
    "0.01",
)
NUMBERS += (0, 1, 2, 3, 7, 10**6, 10**9, 10**18, 10**100, -1, 0.1, float("inf"), float("nan"), True, None)
NUMBERS += ("inf", "nan", "1e400", "1e-400", "1/0", "", "x", "1,5", "9" * 500, "1/7" * 3, "²", "１")
TEXTS = (
    "",
    "x" * 20_000,
    "a\x1b[2Jb",
    "a\u202eb",
    "'; drop table entry; --",
    "{age}",
    "../../etc/passwd",
    "<script>",
    "\ud800",
)
BUDGETS: tuple[dict[str, Any], ...] = (
    {"divergence": "approx", "epsilon": "2", "delta": "1e-6"},
    {"divergence": "zcdp", "rho": "1"},
    {"divergence": "pure", "epsilon": "3"},
    {"divergence": "renyi", "order": "8", "gamma": "1"},
    {"divergence": "gdp", "mu": "1"},
)
SAMPLINGS = ({"kind": "poisson", "rate": "1/50"}, {"kind": "without-replacement", "sample": 10, "population": 1000})


def fuzzed(seed: int) -> dict[str, Any]:
    """The plan of a number: some releases of every kind, then changed a few times."""
    draw = Random(seed)
    relation = draw.choice(list(EXAMPLES))
    known = EXAMPLES[relation]
    releases = [copy.deepcopy(draw.choice(known)) for _ in range(draw.choice((1, 1, 1, 2, 3, 8)))]
    for index, release in enumerate(releases):
        release["name"] = f"release {index}"
        if draw.random() < 0.2:
            release["times"] = draw.choice((2, 100, 10_000, 10**9, 10**18))
        if draw.random() < 0.2:
            release["sampling"] = copy.deepcopy(draw.choice(SAMPLINGS))
    promised = copy.deepcopy(PROMISES.get(relation, {"neighbours": relation}))
    if draw.random() < 0.1:
        promised["group"] = draw.choice((2, 5, 10**9))
    plan: dict[str, Any] = {"title": "Fuzzed", "specification": promised, "release": releases}
    plan["budget"] = [copy.deepcopy(draw.choice(BUDGETS)) for _ in range(draw.choice((0, 1, 1, 2)))]
    if draw.random() < 0.1:
        plan["precision"] = draw.choice(("1e-2", "1e-6", "1e-9", "1e-12", "1e-300"))
    for _ in range(draw.choice((0, 1, 1, 1, 2, 4))):
        change(plan, draw)
    return plan


def change(plan: dict[str, Any], draw: Random) -> None:
    """Change one thing somewhere: mostly a number, sometimes a key or a shape."""
    table, key = draw.choice(list(_places(plan)))
    value, chance = table[key], draw.random()
    if chance < 0.6 and not isinstance(value, (dict, list)):
        table[key] = draw.choice(NUMBERS)
    elif chance < 0.7:
        table[key] = draw.choice(TEXTS)
    elif chance < 0.8 and isinstance(table, dict):
        del table[key]
    elif chance < 0.85 and isinstance(table, dict):
        table[f"{key}x"] = table.pop(key)
    elif chance < 0.9:
        table[key] = [value] * draw.choice((0, 2, 50))
    elif chance < 0.95:
        table[key] = {"kind": value} if not isinstance(value, dict) else list(value.values())
    else:
        for _ in range(draw.choice((2, 40))):
            value = {"kind": "post-processed", "by": "rounding", "mechanism": value}
        table[key] = value


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Everywhere something stands in a plan: the table or list, and the key or number."""
    items = data.items() if isinstance(data, Mapping) else enumerate(data)
    for key, value in list(items):
        yield data, key
        if isinstance(value, (dict, list)):
            yield from _places(value)
