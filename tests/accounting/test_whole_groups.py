"""Plans with whole noise on counts are read for groups, beside public facts, invariants and other mechanisms."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve

from accountant import Plan, account, load_plan, read_plan, relative
from accountant_posterior import Semantics


@pytest.fixture(scope="module")
def census() -> Plan:
    return load_plan("examples/census-2020.toml")


def of_two(plan: Plan) -> Plan:
    specification = plan.specification
    neighbours = evolve(specification.neighbours, group=2)
    return evolve(plan.bare, specification=evolve(specification, neighbours=neighbours))


def test_the_census_is_read_for_two_persons(census: Plan) -> None:
    """71 histograms; two persons who move together cost four times the rho of one, 2.63, and no more."""
    whole = account(of_two(census))
    assert len(whole.entries) == 71
    assert whole.measure("zcdp").value.exact == 4 * Fraction("2.63")
    # Twice the shift of Gaussian noise with mu^2 = 2 * 2.63: power Phi(2 mu - 1.6449), the noise being wide.
    power = 0.5 * math.erfc((1.6448536269514722 - 2 * math.sqrt(2 * 2.63)) / math.sqrt(2))
    found = whole.measure("fdp", level="0.05").value
    assert found.lower - 1e-4 <= power <= found.upper + 1e-4


def test_what_two_records_that_change_together_reveal_of_the_census_is_bounded(census: Plan) -> None:
    found = Semantics(account(census), dependence=2).posterior("1/2", "0.01")
    assert not found.trivial
    # The loss of Gaussian noise with mu^2 = 8 * 2.63 exceeds mu^2/2 + z mu, z the upper quantile, with that chance.
    square = 8 * 2.63
    assert square / 2 + 2.3263 * math.sqrt(square) - 0.1 <= found.gain.upper <= square / 2 + 2.6 * math.sqrt(square)


@pytest.mark.parametrize(
    ("mechanism", "rho"),
    [
        ({"kind": "discrete-gaussian", "variance": "200"}, Fraction(2 * 2**2, 2 * 200)),
        ({"kind": "gaussian", "sigma": "20"}, Fraction(2 * 2**2, 2 * 400)),
    ],
    ids=["discrete", "continuous"],
)
def test_a_public_total_takes_another_person_along(mechanism: dict[str, str], rho: Fraction) -> None:
    data: dict[str, Any] = {
        "specification": {"neighbours": "replace-one"},
        "release": [{"name": "votes", "query": {"kind": "histogram"}, "mechanism": mechanism}],
        "public": [{"kind": "known-total", "name": "total", "records": 40, "total": 12, "rate": "1/2"}],
    }
    data["public"][0]["budget"] = [{"divergence": "zcdp", "rho": str(rho)}]
    plan = read_plan(data)
    (found,) = (relative(account(plan), known.public, budget) for known in plan.knowledge for budget in known.budgets)
    assert found.between is not None
    assert found.between.value.upper == float(rho)
    assert found.verdict.value == "implied"


def test_noise_and_swapping_are_composed(census: Plan) -> None:
    """Households that are swapped and counted with noise: both say what two of them lose."""
    invariants = [
        {"name": "race", "counts_by": ["state", "size", "race"]},
        {"name": "block", "counts_by": ["state", "size", "block"]},
    ]
    swapped = {
        "name": "swapped",
        "mechanism": {
            "kind": "swapping",
            "rate": "0.05",
            "strata": [100, 20],
            "stratify": ["state", "size"],
            "swap": ["block"],
            "rest": ["race"],
            "version": "permute",
        },
    }
    specification = {"neighbours": "replace-one", "unit": "household", "group": 2, "invariants": invariants}
    alone = read_plan({"specification": specification, "release": [swapped]})
    whole = account(evolve(alone, releases=(*alone.releases, *census.releases)))
    noise = account(evolve(alone, releases=census.releases)).measure("zcdp").value
    assert noise.exact == 4 * Fraction("2.63")
    both, part = whole.measure("zcdp").value, account(alone).measure("zcdp").value
    assert part.lower + noise.lower <= both.upper
    assert both.upper <= (part.upper + noise.upper) * (1 + 1e-9)
