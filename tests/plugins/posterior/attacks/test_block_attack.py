"""Attacks read off an account: what the noise of a plan means for one person in one block."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest

from accountant import Account, InvalidValue, ShiftError, account, load_plan, read_plan
from accountant_posterior.attacks import SIMULATED, CountAttack, NoisyCount, block_attack


def plan(relation: str = "replace-one", **release: Any) -> Account:
    first = {
        "name": "table",
        "query": {"kind": "histogram", "attributes": ["block", "race"]},
        "mechanism": {"kind": "discrete-gaussian", "variance": "5"},
    }
    second = {
        "name": "totals",
        "query": {"kind": "histogram", "attributes": ["block"]},
        "mechanism": {"kind": "discrete-gaussian", "sigma": "3"},
    }
    return account(read_plan({"specification": {"neighbours": relation}, "release": [{**first, **release}, second]}))


@pytest.fixture(scope="module")
def census() -> Account:
    return account(load_plan("examples/census-2020.toml"))


def test_the_noise_of_the_census_halves_the_evidence_of_one_cell_and_both_cells_give_it_back(census: Account) -> None:
    name = "Block: HHGQ x VOTINGAGE x HISPANIC x CENRACE"
    rho = Fraction("2.56") * Fraction(165, 4099) * Fraction(3945, 4097)
    one = block_attack(census, "1/2", releases=[name], own_cell=True)
    both = block_attack(census, "1/2", releases=[name])
    assert one.attack.counts == (NoisyCount(1 / rho),)
    assert one.outlook.risk.upper == pytest.approx(1.024, abs=5e-4)
    assert one.outlook.correct.upper == pytest.approx(0.5628, abs=5e-5)
    # Two cells of twice the scale are about as good as one count of the scale that the source took.
    assert both.outlook.risk.upper == pytest.approx(1.0473, abs=1e-4)


def test_what_the_census_means_for_her_block(census: Account) -> None:
    found = block_attack(census, "1/2")
    assert len(found.releases) == 11
    assert all(name.startswith("Block: ") for name in found.releases)
    spent = sum(1 / (2 * count.scale) for count in found.attack.counts)
    assert found.outlook.posterior.width < 1e-7
    # Many wide independent noises are close to one Gaussian of their budget together.
    alone = CountAttack("1/2", (NoisyCount(1 / (2 * spent)),)).outlook()
    assert found.outlook.posterior.upper == pytest.approx(alone.posterior.upper, abs=1e-5)
    assert found.statement.startswith("Simulated attack, not a guarantee.")
    assert "0.5264 to 0.5265" in found.statement
    assert found.label == SIMULATED
    assert found.adversary == "block"


def test_a_single_secret_leaves_out_the_tables_that_do_not_depend_on_it(census: Account) -> None:
    found = block_attack(census, "1/2", secret=["race"])
    assert len(found.releases) == 5
    assert all("CENRACE" in name for name in found.releases)


def test_counts_come_from_shift_scale_and_times() -> None:
    found = block_attack(plan(times=3), "1/4")
    # The totals of blocks do not move for somebody who is known to live there.
    assert found.releases == ("table",)
    assert sorted(count.step for count in found.attack.counts) == [-1, -1, -1, 1, 1, 1]
    assert {count.scale for count in found.attack.counts} == {5}
    moved = block_attack(plan(), "1/4", secret=["block", "race"])
    assert moved.releases == ("table", "totals")
    assert {count.scale for count in moved.attack.counts} == {5, 9}


def test_taking_part_is_the_secret_where_units_are_added_or_removed() -> None:
    found = block_attack(plan("add-remove"), "1/4")
    assert [(count.scale, count.step) for count in found.attack.counts] == [(5, 1), (9, 1)]
    assert "took part" in found.statement
    with pytest.raises(InvalidValue, match="leave 'secret' out"):
        block_attack(plan("add-remove"), "1/4", secret=["race"])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: block_attack(plan(), "1/4", place="tract"), InvalidValue, "depends on 'tract'"),
        (lambda: block_attack(plan(), "1/4", releases=["nothing"]), InvalidValue, "no release is called 'nothing'"),
        (lambda: block_attack(plan(), "1/4", releases=["totals"]), InvalidValue, "nothing to learn"),
        (lambda: block_attack(plan(times=10**9), "1/4"), ShiftError, "1,000,000,000 times"),
        (lambda: block_attack(plan(), "2"), InvalidValue, "strictly between 0 and 1"),
        (
            lambda: block_attack(plan(mechanism={"kind": "laplace", "scale": "1"}), "1/4", releases=["table"]),
            ShiftError,
            "no discrete Gaussian noise",
        ),
        (
            lambda: block_attack(plan(query={"kind": "histogram"}), "1/4", releases=["table"]),
            InvalidValue,
            "say which attributes are secret",
        ),
    ],
)
def test_what_cannot_be_attacked_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("prior", ["1/10", "1/100", "99/100"])
def test_what_counts_say_is_the_same_to_all_who_believe_otherwise(prior: str) -> None:
    counts = (NoisyCount("3"), NoisyCount("7/2"))
    other = Fraction(prior)
    assert CountAttack("1/2", counts).posterior_from(other) == CountAttack(other, counts).outlook().posterior


def test_importing_attacks_brings_no_numerics() -> None:
    program = "import accountant_posterior.attacks, sys; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
