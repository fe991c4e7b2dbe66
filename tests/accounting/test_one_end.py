"""One end of a reading alone: an upper end as of both, and a lower end that is never above it."""

from __future__ import annotations

import random

import pytest

from accountant import Account, Plan, account, read_plan
from accountant.loss import sides

AT = [
    ("approx", {"epsilon": "1/2"}),
    ("approx", {"delta": "1e-3"}),
    ("fdp", {"level": "1/20"}),
    ("pbdp", {"delta": "1/20"}),
]


def plan(seed: int) -> Plan:
    """Noise and something of which only a parameter is known, some number of times, perhaps in parts."""
    chance = random.Random(seed)
    claim = chance.choice(
        [
            {"divergence": "zcdp", "rho": chance.choice(["1/100", "1/20"])},
            {"divergence": "renyi", "order": "8", "gamma": "1/10"},
            {"divergence": "approx", "epsilon": "1/2", "delta": "1/1000"},
        ]
    )
    vendor = {"name": "vendor", "mechanism": {"kind": "claim", **claim}, "times": chance.choice([1, 3])}
    noise = chance.choice([{"kind": "gaussian", "sigma": "4"}, {"kind": "laplace", "scale": "4"}])
    table = {"name": "table", "query": {"kind": "count"}, "mechanism": noise}
    releases = [vendor, table] if chance.random() < 0.8 else [vendor]
    return read_plan({"specification": {"neighbours": "add-remove"}, "release": releases})


def wrong(whole: Account, name: str, at: dict[str, str], factor: float = 1.0) -> bool:
    """Whether the upper end alone is wider than the reading from both sides, or below what is lost; or the lower end
    alone is above what is known to be lost, or for tests not as much.
    """
    both, most, least = whole.measure(name, at).value, whole.at_most(name, at) * factor, whole.at_least(name, at) * factor
    return most > both.upper or most < both.lower or least > both.lower or (name == "fdp" and least < both.lower)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_one_end_alone_is_that_of_both(seed: int) -> None:
    whole = account(plan(seed))
    assert not any(wrong(whole, name, at) for name, at in AT)


def test_some_of_these_are_known_from_both_sides_only() -> None:
    found = [sides(account(plan(seed)).loss) for seed in range(6)]
    assert sum(above is not below for above, below in found) > 2


def test_an_end_that_is_off_is_noticed() -> None:
    whole = account(plan(2))
    assert any(wrong(whole, name, at, 0.99) for name, at in AT)
    assert any(wrong(whole, name, at, 1.01) for name, at in AT)


def test_in_parts_the_worst_counts() -> None:
    data = plan(2).as_data()
    table = {"query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "4"}}
    data["release"] += [
        {"name": part, **table, "times": times, "scope": {"partition": "state", "part": part}}
        for part, times in (("s", 1), ("t", 3))
    ]
    whole = account(read_plan(data))
    assert len(whole.whereabouts) > 1
    assert not wrong(whole, "approx", {"epsilon": "1/2"})
