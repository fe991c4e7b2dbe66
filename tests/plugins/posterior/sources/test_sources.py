"""Figures and tables of the sources: what is called the same is the same in print, and what is called corrected is not."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner, Result

from accountant.cli import main
from accountant_posterior.attacks import HierarchyAttack, Known, Level, Uniform
from accountant_posterior.sources import censuses, chapter_five, chapter_four, chapter_two
from accountant_posterior.sources.page import ALL
from accountant_posterior.sources.shown import Number, Shown, agrees

pytestmark = pytest.mark.slow

SAMPLED = {"figure-4.4", "figure-4.5", "figure-4.10", "figure-4.11", "figure-4.12"}


def invoke(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


def drawn(name: str) -> Shown:
    return ALL[name](np.random.default_rng(3))


def compared(number: Number) -> bool | None:
    """Whether a number agrees with its print; None where one of them is said in words."""
    ends = [text.removesuffix(" %") for text in (number.printed, number.here)]
    try:
        return agrees(ends[0], float(ends[1]))
    except ValueError:
        return None


@pytest.mark.parametrize("name", sorted(set(ALL) - SAMPLED))
def test_a_number_differs_from_its_print_exactly_where_a_reason_is_given(name: str) -> None:
    shown = drawn(name)
    assert shown.name == name
    assert shown.numbers
    for number in shown.numbers:
        assert compared(number) in (None, not number.corrected), number


def test_a_print_that_is_off_by_one_in_its_last_digit_is_noticed() -> None:
    assert compared(Number("a", "0.525", "0.5248"))
    assert not compared(Number("a", "0.526", "0.5248"))
    assert compared(Number("a", "about 1", "1.001")) is None


@pytest.mark.sweep
@pytest.mark.parametrize("name", sorted(SAMPLED))
def test_sampled_numbers_are_near_what_is_printed(name: str) -> None:
    for number in drawn(name).numbers:
        ends = [text.removesuffix(" %") for text in (number.printed, number.here)]
        if ends[0].replace(".", "").isdigit():
            assert float(ends[1]) == pytest.approx(float(ends[0]), abs=1.5), number


def test_what_the_group_changes_adds_up_to_the_outlook_over_all_noise() -> None:
    """Thresholds and masses on one side, the forecast on the other; they differ by what lies outside of the picture."""
    attack = HierarchyAttack("1/2", (Level(chapter_two._OWN, 27), Level(chapter_two._ABOVE)), Uniform())
    whole, gained, lost = chapter_two.changed(chapter_two.thresholds(attack))
    alone = next(one for one in drawn("figure-2.4").numbers if "holds one" in one.what)
    assert alone.here.endswith("%")
    moved = attack.outlook(1).correct.upper - chapter_two.NoiseMasses.discrete_gaussian(chapter_two._OWN).at_least(0).upper
    assert abs(gained - lost - moved) < 1.0 - whole
    assert whole == pytest.approx(0.98984, abs=1e-5)


def test_with_a_known_group_thresholds_are_those_of_the_closed_form() -> None:
    """27 (2 x - 1) + 2 (c - y) - 1 > 0, in whole numbers; an error of one in the count of the group moves some of them."""
    for believed, error in ((1, False), (25, False), (24, True)):
        attack = HierarchyAttack("1/2", (Level(chapter_two._OWN, 27), Level(chapter_two._ABOVE)), Known(believed))
        found = chapter_two.thresholds(attack)[0]
        count = 25 if error else believed
        least = [math.floor((27 + 1 - 2 * (count - y)) / 54) + 1 for y in range(-30, 31)]
        assert (found.tolist() == least) is not error


def test_the_variance_of_the_noise_falls_short_of_its_scale_as_the_theta_function_says() -> None:
    for scale in (chapter_two.Fraction(1, 2), chapter_two.Fraction(1), chapter_two.Fraction(3, 2)):
        short = float(scale) - chapter_two._variance(scale)
        leading = 8 * math.pi**2 * float(scale) ** 2 * math.exp(-2 * math.pi**2 * float(scale))
        assert short == pytest.approx(leading, rel=2e-3, abs=1e-14)


def test_one_command_writes_a_table_a_page_and_the_figures(tmp_path: Path) -> None:
    result = invoke("study", "sources", "figure-5.1", "table-2.7", "--output", tmp_path / "out", "--seed", 1, "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    schema = json.loads(invoke("schema", "output").stdout)
    jsonschema.Draft202012Validator({"$ref": "#/$defs/study-sources", "$defs": schema["$defs"]}).validate(data)
    assert [item["name"] for item in data["shown"]] == ["table-2.7", "figure-5.1"]
    assert data["shown"][0]["numbers"][0] == {
        "what": "the target is there",
        "printed": "57.0 %",
        "here": "50.33 %",
        "corrected": True,
        "why": chapter_two._BELOW,
    }
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {"sources.csv", "sources.json", "sources.html", "sources-figure-1.svg", "sources-figure-1.png"}


def test_a_figure_that_is_not_there_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    result = invoke("study", "sources", "figure-9.9", "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert "figure-9.9" in result.stderr
    assert "figure-2.4" in result.stderr
    assert not (tmp_path / "out").exists()


def test_every_figure_has_its_own_name_and_chapter() -> None:
    assert len(ALL) == sum(len(chapter.DRAWN) for chapter in (chapter_two, chapter_four, chapter_five, censuses))


def test_what_a_household_loses_in_a_stratum_is_the_printed_end() -> None:
    """log w(b - 2)/w(b) of permuting over both records; strata two in a hundred smaller or larger are told apart."""
    for rate, end in itertools.product((0.02, 0.05, 0.1), ("9.37", "19.38")):
        odds, size = rate / (1 - rate), censuses._largest(str(rate), end)
        losses = [math.log(1 + 2 * b / odds + b * (b - 1) / odds**2) / 2 for b in (0.98 * size, size, 1.02 * size)]
        assert [agrees(end, found) for found in losses] == [False, True, False]
