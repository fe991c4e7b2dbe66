"""The explorer's grid: at every node and between nodes both ends enclose the truth, and every sentence holds."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from statistics import NormalDist
from typing import Any

import attrs
import pytest

import accountant as ac
from accountant.report import Explorer, Statement
from accountant.testing import laws
from accountant.testing.laws.sentence import require_statement
from accountant.testing.worlds import World, in_worlds, met, telling
from accountant_posterior.explorer import ExplorerReport
from accountant_posterior.explorer.axes import GAINS, PRIORS, gain_node
from accountant_posterior.explorer.report import explorer
from accountant_posterior.explorer.wishes import wish
from accountant_posterior.reports.said import OUTSIDE, POWER
from accountant_posterior.reports.view import views

TIMES, NOISES, RECORDS = (1, 4, 12), (0.5, 1.0, 2.0), (1, 3)
NORMAL = NormalDist()
CLOSE = 1e-9
"""How far the functions of the C library that formulas are evaluated with may be off."""


@cache
def made() -> Explorer:
    """One count with Gaussian noise of deviation 8: mu is sqrt(releases) records / (8 noise)."""
    release = {"name": "a", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "8"}}
    plan = ac.read_plan({"title": "t", "specification": {"neighbours": "replace-one"}, "release": [release]})
    account = ac.account(plan)
    return explorer(account, views(account))


def settings(number: int, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Random settings, most of them between nodes."""
    rng = random.Random(seed)
    for _ in range(number):
        yield {
            "scenario": 0,
            "releases": rng.randrange(3),
            "noise": rng.randrange(3),
            "dependence": rng.randrange(2),
            "prior": f"{rng.uniform(0.05, 99.9):.4f}",
            "failure": f"{rng.choice((rng.uniform(0, 50), 10 ** rng.uniform(-5, 1))):.7f}",
            "level": f"{rng.uniform(0, 100):.4f}",
        }


def phi(place: float) -> float:
    """The normal distribution function, also far out."""
    return 0.5 * math.erfc(-place / math.sqrt(2))


def mu(state: dict[str, Any]) -> float:
    return math.sqrt(TIMES[state["releases"]]) * RECORDS[state["dependence"]] / (8 * NOISES[state["noise"]])


def ends(page: Explorer, name: str, state: dict[str, Any]) -> tuple[float, float]:
    """What is written of both ends."""
    grid = next(grid for grid in page.grids if grid.name == name)
    low, high = (grid.texts[place] for place in page.read(name, state))
    scale = 100.0 if "%" in high else 1.0
    return tuple(math.inf if text == "no limit" else float(text.rstrip("%")) / scale for text in (low, high))  # type: ignore[return-value]


def delta_at(epsilon: float, shift: float) -> float:
    return phi(shift / 2 - epsilon / shift) - math.exp(epsilon) * phi(-shift / 2 - epsilon / shift)


def holds(page: Explorer, state: dict[str, Any]) -> None:
    """All that a page shows at a setting, against formulas for Gaussian noise."""
    shift = mu(state)
    low, high = ends(page, "guess", state)
    assert low - CLOSE <= phi(shift / 2) <= high + CLOSE
    level = float(state["level"]) / 100
    if 0 < level < 1:
        low, high = ends(page, "power", state)
        assert low - CLOSE <= phi(NORMAL.inv_cdf(level) + shift) <= high + CLOSE, "power"
    failure = float(state["failure"]) / 100
    low, high = ends(page, "epsilon", state)
    if high < math.inf:
        assert delta_at(high, shift) <= failure + CLOSE, "epsilon is too small"
    if low == math.inf:
        assert failure == 0
    else:
        assert low == 0 or delta_at(low, shift) >= failure - CLOSE, "epsilon is too large"
    # Beliefs leave their band exactly where the log likelihood ratio leaves these ends.
    low, high = ends(page, "belief", state)
    prior = float(state["prior"]) / 100
    odds = math.log(prior / (1 - prior))
    assert high > 0, "belief"
    up = math.inf if high >= 1 else math.log(high / (1 - high)) - odds
    down = -math.inf if low <= 0 else math.log(low / (1 - low)) - odds
    assert up >= 0 >= down, "belief"
    rises = 0.0 if up == math.inf else phi((shift**2 / 2 - up) / shift)
    falls = 0.0 if down == -math.inf else phi((down - shift**2 / 2) / shift)
    assert rises + falls <= failure + CLOSE, "belief"


@pytest.mark.slow
def test_every_setting_encloses_the_formulas_at_nodes_and_between() -> None:
    page = made()
    for state in settings(400):
        holds(page, state)
    for failure in page.dials[1].nodes:
        for level in page.dials[2].nodes:
            holds(page, {**next(settings(1)), "failure": failure, "level": level, "prior": "10"})


def all_hold(page: Explorer) -> None:
    for state in settings(60):
        holds(page, state)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["guess", "power", "epsilon", "gain", "belief"])
def test_a_wrong_node_is_noticed(name: str) -> None:
    page = made()
    grids = []
    for grid in page.grids:
        if grid.name == name:
            # Upper ends that are those of the smallest value of all.
            least = 0 if name == "gain" else min(range(len(grid.texts)), key=lambda k: _number(grid.texts[k]))
            grid = attrs.evolve(grid, high=(least,) * len(grid.high))
        grids.append(grid)
    wrong = attrs.evolve(page, grids=tuple(grids))
    with pytest.raises(AssertionError):
        all_hold(wrong)


def _number(text: str) -> float:
    return math.inf if text == "no limit" else float(text.rstrip("%"))


@pytest.mark.slow
def test_the_band_at_a_node_is_inside_the_bands_beside_it() -> None:
    page, state = made(), next(settings(1))
    for dial, grid in ((page.dials[0], "belief"), (page.dials[2], "power")):
        for left, right in zip(dial.nodes, dial.nodes[1:], strict=False):
            middle = str(float((Fraction(left) + Fraction(right)) / 2))
            outer = ends(page, grid, {**state, dial.name: middle})
            for node in (left, right):
                inner = ends(page, grid, {**state, dial.name: node})
                assert outer[0] <= inner[0] <= inner[1] <= outer[1]


def test_gains_go_to_the_next_node_above() -> None:
    assert gain_node(0.0) == 0
    assert GAINS[gain_node(1.01)] == Fraction("1.05")
    assert gain_node(math.inf) == gain_node(1e6) == len(GAINS)


def test_a_profile_that_is_drawn_admits_what_the_odds_say() -> None:
    drawn = wish()
    width = len(drawn.tolerances)
    for row, prior in enumerate(map(Fraction, drawn.priors)):
        for column, tolerated in enumerate(map(Fraction, drawn.tolerances)):
            place = row * width + column
            if tolerated < prior:
                assert drawn.reach[place] == -1
            elif tolerated == 100:
                assert drawn.reach[place] == len(GAINS)
            else:
                truth = math.log(tolerated / (100 - tolerated) * (100 - prior) / prior)
                text = float(drawn.texts[drawn.epsilon[place]])
                assert truth - max(1e-3 * truth, 1e-12) <= text <= truth + 1e-12
                assert GAINS[drawn.reach[place]] <= truth + 1e-12
    # Their numbers compare as epsilons do.
    finite = [float(text) for text in drawn.texts[1:]]
    assert finite == sorted(finite)


def _enumerated(report: ExplorerReport, world: World) -> None:
    """Every node and every step of a page as planned, against all pairs of datasets."""
    laws.report_is_never_false(report, world)
    seen = views(world.account)
    page = explorer(world.account, seen)
    planned = page.start
    rng = random.Random(3)
    for number, view in enumerate(seen):
        for _ in range(12):
            state = {
                **planned,
                "scenario": number,
                "prior": str(rng.choice(PRIORS[1:-1])),
                "failure": f"{rng.choice((0, 1, 5, 7.3, 33))}",
                "level": f"{rng.uniform(0, 100):.3f}",
            }
            power = Fraction(str(ends(page, "power", state)[1]))
            level = Fraction(str(state["level"])) / 100
            require_statement(Statement("", view.comparison, POWER, power, {"level": level}), world)
            low, high = (Fraction(str(end)) for end in ends(page, "belief", state))
            at = {"prior": Fraction(str(state["prior"])) / 100, "low": low, "high": high}
            failure = Fraction(str(state["failure"])) / 100
            require_statement(Statement("", view.comparison, OUTSIDE, failure, at), world)


@pytest.mark.slow
def test_no_sentence_is_false_in_a_small_world() -> None:
    """The first of those that tell most; the sweep looks at all of them."""
    _enumerated(ExplorerReport(), met(next(iter(telling(ac.default_registry())))))


@pytest.mark.sweep
def test_no_sentence_is_false_in_small_worlds() -> None:
    in_worlds(_enumerated, ExplorerReport(), ac.default_registry(), 20)
