"""Figures of a plan: both ends at every place, true between places, and in words what each speaks of."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import attrs
import matplotlib as mpl
import pytest
from click.testing import CliRunner
from matplotlib.backends.backend_agg import FigureCanvasAgg
from mpmath import erfc, exp, findroot, log, mp, mpf, sqrt

import accountant as ac
from accountant.cli import main
from accountant.errors import PluginError
from accountant_posterior.pictures import columns, drawn, failure, power, profiles, releases, suppositions, tables, worlds
from accountant_posterior.pictures.everything import figures_of
from accountant_posterior.pictures.picture import DrawnLine, Panel, Picture
from accountant_posterior.reports.view import View, views

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]
mp.dps = 30
MU = mpf("0.8")
NOISE = {"kind": "gaussian", "sigma": "1.25"}


def plan(neighbours: str = "replace-one", mechanism: dict[str, Any] = NOISE, **more: Any) -> ac.Plan:
    """One count, whose answer a record moves by at most 1: mu is 1/1.25."""
    release = {"name": "smokers", "query": {"kind": "count", "attributes": ["smoking"]}, "mechanism": mechanism}
    return ac.read_plan({"title": "Survey", "specification": {"neighbours": neighbours}, "release": [release], **more})


def whole(*given: Any, **more: Any) -> View:
    return views(ac.account(plan(*given, **more)))[0]


def phi(x: Any) -> Any:
    return erfc(-x / sqrt(2)) / 2


def boxes(line: DrawnLine) -> Iterator[tuple[Fraction, ac.Interval]]:
    """A place inside each step, and what the step says of it."""
    for left, right, known in line.curve.spans:
        yield (left + 2 * right) / 3, known


def truths(line: DrawnLine, truth: Any) -> None:
    """Every place and every step encloses a formula in long arithmetic."""
    seen = [*zip(line.curve.places, line.curve.values, strict=True), *boxes(line)]
    assert len(seen) > 50
    for place, known in seen:
        value = truth(mpf(place.numerator) / place.denominator)
        assert known.lower <= value <= known.upper, (line.label, place, known)


def normal_power(level: Any, mu: Any = MU) -> Any:
    """Phi(Phi^-1(level) + mu)."""
    if level in (0, 1):
        return level
    place = findroot(lambda x: phi(x) - level, -sqrt(2 * log(1 / min(level, 1 - level))) * (1 if level < 0.5 else -1) / 2)
    return phi(place + mu)


def normal_delta(epsilon: Any) -> Any:
    """Balle and Wang: Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)."""
    return phi(MU / 2 - epsilon / MU) - exp(epsilon) * phi(-MU / 2 - epsilon / MU)


def normal_bounded(epsilon: Any) -> Any:
    """The largest power of a test that has more than e^epsilon times its level."""
    if epsilon == 0:
        return mpf(1)
    # power/level falls as the level grows; with x = Phi^-1(power): log Phi(x) - log Phi(x - mu) = epsilon.
    low, high = mpf(-60), mpf(60)
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (middle, high) if log(phi(middle)) - log(phi(middle - MU)) > epsilon else (low, middle)
    return phi(low)


def test_level_and_power_enclose_the_formula_at_every_place_and_between() -> None:
    own, gaussian, claimed = power.panel(whole()).lines
    truths(own, normal_power)
    truths(gaussian, normal_power)
    # Whatever has this rho is no better than its bound, Gaussian noise among it.
    assert all(ours.lower <= any_.upper for ours, any_ in zip(gaussian.curve.values, claimed.curve.values, strict=True))
    assert [line.standing for line in (own, gaussian, claimed)] == ["guarantee", "comparison", "guarantee"]


@pytest.mark.parametrize(("divergence", "truth"), [("approx", normal_delta), ("pbdp", normal_bounded)])
def test_failures_enclose_the_formula_at_every_place_and_between(divergence: str, truth: Any) -> None:
    own, gaussian, claimed = failure.panel(whole(), divergence).lines
    truths(own, truth)
    truths(gaussian, truth)
    assert all(low.lower <= high.upper for low, high in zip(own.curve.values, claimed.curve.values, strict=True))


@pytest.mark.parametrize("sigma", ["1.25", "0.4"])
def test_nothing_that_stands_beside_a_curve_is_cut_off(sigma: str) -> None:
    """Chances of one in a billion are written beside their axis, which has its name beside them."""
    picture = worlds.picture(whole(mechanism={"kind": "gaussian", "sigma": sigma}))
    with mpl.rc_context(drawn._SETTINGS):
        sheet = drawn._sheet(picture)
        FigureCanvasAgg(sheet).draw()
        places = [axes.get_tightbbox() for axes in sheet.axes]
    assert all(place.x0 > 0 and place.x1 < sheet.bbox.width and place.y0 > 0 for place in places)
    assert all(left.x1 < right.x0 for left, right in pairwise(places))


def test_posteriors_enclose_their_theorems_and_say_what_these_assume() -> None:
    found = worlds.picture(whole())
    average, record, any_prior = found.panels
    truths(record.lines[0], normal_bounded)
    truths(any_prior.lines[0], normal_bounded)
    rho = MU**2 / 2
    for panel, sign in ((average, 1), (any_prior, -1)):
        moments = panel.lines[-1]
        truths(
            moments, lambda epsilon, sign=sign: exp(-((epsilon + sign * rho) ** 2) / (4 * rho)) if epsilon > rho else mpf(1)
        )
    said = " ".join(found.says)
    assert "Theorem 7.3: all other records are known and the target's is drawn from the prior." in said
    assert "No factor holds always (Theorem 7.1)" in said
    assert "datasets that differ in the record of one person (replace-one)" in said


def test_what_holds_always_is_said_where_it_is_finite() -> None:
    said = " ".join(worlds.picture(whole("replace-one", {"kind": "geometric", "scale": "2"})).says)
    # e^(1/2), rounded outward.
    assert "lies between 0.6065 and 1.649 times" in said


def test_beliefs_over_releases_stay_within_the_odds_of_pure_privacy() -> None:
    """Geometric noise: k releases move the odds by no more than e^(k/2), and one output attains it."""
    found = releases.picture(whole("replace-one", {"kind": "geometric", "scale": "2"}))
    for panel, prior in zip(found.panels, releases.PRIORS, strict=True):
        largest = next(line for line in panel.lines if line.label == "largest belief, always")
        for count, known in zip(largest.curve.places, largest.curve.values, strict=True):
            odds = mpf(prior.numerator) / (prior.denominator - prior.numerator) * exp(mpf(int(count)) / 2)
            assert known.lower <= odds / (1 + odds) <= known.upper
            assert known.upper - known.lower < 1e-12
    assert any("SIMULATED ATTACKER" in sentence for sentence in found.says)
    assert {line.standing for panel in found.panels for line in panel.lines if "SIMULATED" in line.label} == {"simulation"}


def test_a_profile_allows_at_each_prior_what_the_odds_say() -> None:
    """No posterior above 1/2 that exceeds 3 times its prior: max(1/2, 3q) is tolerated at q, which logits tell."""
    risk = {"kind": "fixed-membership", "membership": "1", "ratio": "3", "posterior": "0.5", "neighbours": "replace-one"}
    found = profiles.picture(ac.account(plan(risk=risk)))
    tolerated, allowed = (panel.lines[0].curve for panel in found.panels)
    for prior, posterior, epsilon in zip(tolerated.places, tolerated.values, allowed.values, strict=True):
        most = min(Fraction(1), max(Fraction(1, 2), 3 * prior))
        assert posterior.lower <= most <= posterior.upper
        if most == 1:
            assert epsilon.lower == math.inf
        else:
            odds = most / (1 - most) * (1 - prior) / prior
            assert epsilon.lower <= log(mpf(odds.numerator) / odds.denominator) <= epsilon.upper
    assert found.standings == ("demand",)


def test_a_wrong_node_would_be_noticed() -> None:
    (line, *_), good = power.panel(whole()).lines, power.panel(whole()).lines[0].curve
    values = list(good.values)
    values[20] = ac.Interval(values[20].lower * 0.9, values[20].upper * 0.9)
    with pytest.raises(PluginError, match="reads the opposite"):
        attrs.evolve(good, values=tuple(values))
    values[20] = ac.Interval(good.values[19].lower, good.values[19].upper)
    with pytest.raises(AssertionError):
        truths(attrs.evolve(line, curve=attrs.evolve(good, values=tuple(values))), normal_power)


def test_numbers_hold_both_ends_and_what_is_known_until_the_next_place() -> None:
    curve = power.panel(whole()).lines[0].curve
    picture = Picture("x", "X", ("says",), (Panel("p", "level", "power", (DrawnLine("own", curve),)),))
    rows = [dict(zip(columns.COLUMNS, row, strict=True)) for row in columns.rows(picture)]
    assert len(rows) == len(curve.places)
    for row, (left, value) in zip(rows, zip(curve.places, curve.values, strict=True), strict=True):
        assert Fraction(row["place"]) == left
        assert (float(row["lower"]), float(row["upper"])) == (value.lower, value.upper)
    assert rows[3]["upper_until_next"] == rows[4]["upper"]
    assert rows[3]["lower_until_next"] == rows[3]["lower"]
    assert rows[-1]["upper_until_next"] == ""


def test_every_figure_names_unit_neighbours_and_what_is_exact() -> None:
    specification = {"neighbours": "replace-one", "unit": "household", "invariants": ["number of households"]}
    scenario = [{"name": "S", "attributes": ["smoking"]}]
    found = figures_of(ac.account(plan(specification=specification, scenario=scenario)))
    assert {picture.name for picture in found.pictures} == {
        *("power", "failure", "posteriors", "releases"),
        *("scenarios-power", "scenarios-posteriors", "scenarios-releases"),
    }
    for picture in found.pictures:
        said = " ".join(picture.says)
        assert "household" in said
        assert "replace-one" in said
        assert "Published exactly: number of households." in said


def test_what_is_supposed_stands_beside_what_is_planned() -> None:
    """Without the ages only the smokers are left, and two records that change together move them by two."""
    ages = {"name": "ages", "query": {"kind": "count", "attributes": ["age"]}, "mechanism": NOISE}
    scenarios = [
        {"name": "fewer", "without": ["ages"]},
        {"name": "a couple", "without": ["ages"], "records": 2},
        {"name": "S", "attributes": ["smoking"]},
    ]
    data = plan().as_data()
    account = ac.account(ac.read_plan({**data, "release": [*data["release"], ages], "scenario": scenarios}))
    supposed, left = suppositions.supposing(account)
    picture = suppositions.multiples(account, supposed)
    assert not left
    assert [panel.title.partition(":")[0] for panel in picture.panels] == ["fewer", "a couple"]
    for panel, mu in zip(picture.panels, (MU, 2 * MU), strict=True):
        lines = {line.label: line for line in panel.lines}
        truths(lines["as supposed"], lambda level, mu=mu: normal_power(level, mu))
        truths(lines["as planned"], lambda level: normal_power(level, sqrt(2) * MU))
    assert any("2 records" in panel.title for panel in picture.panels)
    assert any(
        said.startswith("'a couple' speaks of datasets that differ in the records of up to 2") for said in picture.says
    )


def test_what_nothing_compares_is_not_drawn_as_supposed() -> None:
    exact = [{"name": "by smoking and age", "counts_by": ["smoking", "age"]}]
    specification = {"neighbours": "replace-one", "invariants": exact, "domain": {"attributes": ["smoking", "age"]}}
    account = ac.account(plan(specification=specification, scenario=[{"name": "two", "records": 2}]))
    supposed, left = suppositions.supposing(account)
    assert (supposed, [name for name, _ in left]) == ([], ["two"])


def test_nothing_is_drawn_of_what_exact_facts_settle() -> None:
    specification = {"neighbours": "add-remove", "invariants": [{"name": "number of people", "counts_by": []}]}
    found = figures_of(ac.account(plan(specification=specification)))
    assert "power" not in {picture.name for picture in found.pictures}
    assert "what is published exactly settles it" in {why for _, why in found.left_out}


def test_table_1_is_the_formula_and_not_its_misprints() -> None:
    """Print has .820 at level .05 and epsilon .5, .550 at .01 and 4, and .370 at .05 and 2."""
    account = ac.account(plan())
    rows = {(row[0], row[1]): (float(row[2]), float(row[3])) for row in tables._pure(account)}
    assert len(rows) == 15
    for (epsilon, level), (low, high) in rows.items():
        e, x = mpf(epsilon), mpf(level)
        assert low <= min(exp(e) * x, 1 - exp(-e) * (1 - x)) <= high
    assert rows["0.5", "0.05"][1] < 0.0825
    assert rows["4", "0.01"][1] < 0.5461
    assert rows["2", "0.05"][1] < 0.36946


def test_every_figure_is_written_in_three_forms_and_what_is_left_out_is_named(tmp_path: Path) -> None:
    source = json.dumps(plan().as_data())
    done = CliRunner().invoke(main, ["figures", source, "--output", str(tmp_path / "f"), "--json"])
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    for item in (*answer["figures"], *answer["tables"]):
        for file in item["files"]:
            assert (tmp_path / "f" / file).stat().st_size > 50
    assert "add a [risk] table" in {item["name"]: item["why"] for item in answer["left_out"]}["profiles"]
    svg = (tmp_path / "f" / "power.svg").read_text("utf-8")
    assert "GUARANTEE (solid lines)" in svg
    assert "datasets that differ in the record of one person" in svg
    again = CliRunner().invoke(main, ["figures", source, "--output", str(tmp_path / "f")])
    assert again.exit_code == 2
    assert "is there already" in again.output


def test_words_that_look_like_formulas_are_drawn_as_they_are(tmp_path: Path) -> None:
    found = releases.picture(views(ac.account(ac.load_plan("examples/survey.toml")))[0])
    panels = tuple(attrs.evolve(panel, title="$x^$", across="$y_$", up="$\\frac$") for panel in found.panels)
    lines = (attrs.evolve(panels[0].lines[0], label="$a^$ and $b_$"),)
    odd = attrs.evolve(found, title="$\\a$", says=("$_$ is written",), panels=(attrs.evolve(panels[0], lines=lines),))
    # As formulas none of these can be set, and drawing would fail.
    assert drawn.write(odd, tmp_path) == ("releases.svg", "releases.png")


def test_bad_plans_leave_nothing_behind(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["figures", '{"title": 3}', "--output", str(tmp_path / "f")])
    assert done.exit_code == 2
    assert list(tmp_path.iterdir()) == []
