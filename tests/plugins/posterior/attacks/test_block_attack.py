"""Attacks read off an account: what the noise of a plan means for one person in one block."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath as mp
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
            lambda: block_attack(
                plan(mechanism={"kind": "staircase", "epsilon": "1", "gamma": "1/2"}), "1/4", releases=["table"]
            ),
            ShiftError,
            "skellam noise",
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


def _brute(kind: str, prior: Fraction, cells: int) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
    """Mean posteriors with and without the target, and the chance of a right guess, over all noise in some cells."""
    laws = {
        "geometric": lambda k: mp.exp(-abs(mp.mpf(k)) / 2),
        "skellam": lambda k: mp.besseli(abs(k), mp.mpf(3)),
        "discrete-gaussian": lambda k: mp.exp(-(mp.mpf(k) ** 2) / 10),
    }
    weights = {k: laws[kind](k) for k in range(-41, 42)}
    total = mp.fsum(weights.values())
    p = mp.mpf(prior.numerator) / prior.denominator
    present, absent, right = [], [], []
    # One cell rises by one and, where units are replaced, another one falls: its noise is mirrored.
    for noises in product(range(-40, 41), repeat=cells):
        with_target = mp.fprod(weights[z] / total for z in noises)
        without = mp.fprod(weights[z + 1] / total for z in noises)
        posterior = p * with_target / (p * with_target + (1 - p) * without)
        present.append(with_target * posterior)
        absent.append(without * posterior)
        right.append(with_target if p * with_target > (1 - p) * without * (1 + mp.mpf(10) ** -25) else mp.mpf(0))
    return mp.fsum(present), mp.fsum(absent), mp.fsum(right)


@pytest.mark.parametrize(
    ("made", "relation"),
    [
        ({"kind": "geometric", "scale": "2"}, "add-remove"),
        ({"kind": "geometric", "scale": "2"}, "replace-one"),
        ({"kind": "skellam", "variance": "3"}, "add-remove"),
        ({"kind": "discrete-gaussian", "variance": "5"}, "replace-one"),
    ],
)
def test_noise_of_other_kinds_tells_what_sums_over_all_noise_say(made: dict[str, str], relation: str) -> None:
    prior = Fraction(2, 7)
    found = block_attack(plan(relation, mechanism=made), prior, releases=["table"])
    with mp.workdps(30):
        present, absent, right = _brute(made["kind"], prior, 2 if relation == "replace-one" else 1)
        assert found.outlook.posterior.lower <= present <= found.outlook.posterior.upper
        # Noise beyond 40 is left out of the sums, e^-20 at most of each kind on either side.
        assert found.outlook.correct.lower - 1e-8 <= right <= found.outlook.correct.upper
        other = found.attack.outlook(present=False)
        assert other.posterior.lower <= absent + mp.mpf(10) ** -8
        assert absent <= other.posterior.upper
        assert found.outlook.posterior.width < 1e-3
        assert other.posterior.width < 1e-3
        # Taking one truth for the other is noticed.
        assert not found.outlook.posterior.lower <= absent <= found.outlook.posterior.upper


@pytest.mark.parametrize("made", [{"kind": "laplace", "scale": "2"}, {"kind": "gaussian", "sigma": "2"}])
def test_noise_on_all_numbers_tells_what_integrals_say(made: dict[str, str]) -> None:
    prior, p = Fraction(2, 7), mp.mpf(2) / 7
    found = block_attack(plan("add-remove", mechanism=made), prior, releases=["table"]).outlook
    density = {
        "laplace": lambda x: mp.exp(-abs(x) / 2) / 4,
        "gaussian": lambda x: mp.npdf(x, 0, 2),
    }[made["kind"]]

    def mean(x: mp.mpf) -> mp.mpf:
        return p * density(x) ** 2 / (p * density(x) + (1 - p) * density(x + 1))

    expected = mp.quad(mean, [-60, -10, -1, 0, 10, 60])
    assert found.posterior.lower <= expected <= found.posterior.upper
    assert found.posterior.width < 1e-3


def test_importing_attacks_brings_no_numerics() -> None:
    program = "import accountant_posterior.attacks, sys; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
