"""The county study: what it claims on its page holds on its data, and its plan is certified."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from accountant import Verdict, certify, load_plan

COUNTIES = Path(__file__).resolve().parents[3] / "examples" / "counties"


def script(name: str) -> ModuleType:
    source = importlib.util.spec_from_file_location(f"counties_{name}", COUNTIES / f"{name}.py")
    assert source is not None
    assert source.loader is not None
    module = importlib.util.module_from_spec(source)
    source.loader.exec_module(module)
    return module


def test_the_table_is_what_its_generator_writes(tmp_path: Path) -> None:
    script("generate").write(tmp_path / "counties.csv")
    assert (tmp_path / "counties.csv").read_bytes() == (COUNTIES / "counties.csv").read_bytes()


@pytest.fixture(scope="module", params=[(9, "quiet month"), (11, "busy month")], ids=["quiet", "busy"])
def study(request: pytest.FixtureRequest) -> Any:
    module = script("study")
    # Another seed than the page's: the findings are not those of one lucky run.
    return module.compared(module.load(COUNTIES / "counties.csv", *request.param), size=40, reads=3, seed=2)


SMALL, MIDDLE, LARGE = range(3)
CASES, DEATHS, RELATIVE = range(3)


def test_every_table_it_calls_congenial_agrees_with_what_is_public() -> None:
    import numpy as np

    module = script("study")
    month = module.load(COUNTIES / "counties.csv", 9, "quiet month")
    for name, released in module.methods(month, 2.0, 2, 1, np.random.default_rng(4)):
        if name.startswith(("congenial", "noise, projected", "alpha")):
            assert all(counts.agrees(month.total) for counts in released)


def test_projection_lowers_the_error_of_cases_and_deaths_together(study: Any) -> None:
    loss, _ = study
    for noise, projected in zip(loss["noise"], loss["noise, projected"], strict=True):
        assert projected[CASES] + projected[DEATHS] < noise[CASES] + noise[DEATHS]


def test_projection_gains_nothing_on_cases_at_a_large_budget(study: Any) -> None:
    loss, _ = study
    assert loss["noise, projected"][LARGE][CASES] > 0.9 * loss["noise"][LARGE][CASES]


def test_a_moderate_prior_lowers_the_error_of_cases(study: Any) -> None:
    loss, _ = study
    assert loss["congenial, alpha 1"][SMALL][CASES] < 0.7 * loss["congenial"][SMALL][CASES]
    assert loss["congenial, alpha 1"][MIDDLE][CASES] < loss["congenial"][MIDDLE][CASES]


def test_too_strong_a_prior_is_worse_than_a_moderate_one(study: Any) -> None:
    loss, _ = study
    for budget in (MIDDLE, LARGE):
        assert loss["congenial, alpha 100"][budget][CASES] > 1.05 * loss["congenial, alpha 1"][budget][CASES]


def test_a_prior_helps_small_counties_most_at_a_small_budget(study: Any) -> None:
    loss, _ = study
    assert loss["congenial, alpha 1"][SMALL][RELATIVE] < 0.4 * loss["congenial"][SMALL][RELATIVE]


def test_agreeing_with_the_total_does_not_pay_for_half_the_rate(study: Any) -> None:
    """At the rate that is certified. At the one that was printed they would seem to be as good."""
    loss, _ = study
    assert all(here[CASES] > noise[CASES] for here, noise in zip(loss["congenial"], loss["noise"], strict=True))


def test_reading_beside_the_total_beats_projection_on_cases_at_a_small_budget(study: Any) -> None:
    loss, _ = study
    assert loss["noise, read beside the total"][SMALL][CASES] < 0.8 * loss["noise, projected"][SMALL][CASES]


def test_counting_disjoint_things_gains_more_than_any_repair(study: Any) -> None:
    loss, _ = study
    for here, noise, repaired in zip(
        loss["noise on disjoint counts"], loss["noise"], loss["noise, projected"], strict=True
    ):
        assert here[CASES] < 0.8 * noise[CASES]
        assert here[DEATHS] < 0.55 * noise[DEATHS]
        assert here[CASES] < 1.1 * repaired[CASES]


def test_small_counties_are_contracted_most_at_every_budget(study: Any) -> None:
    _, contraction = study
    small, others = contraction["smallest third of counties"], contraction["other counties"]
    for here, there in zip(small, others, strict=True):
        assert all(one > other for one, other in zip(here, there, strict=True))
    assert small[SMALL][CASES] > small[MIDDLE][CASES] > small[LARGE][CASES]


def test_the_plan_keeps_its_budgets_relative_to_the_bulletin() -> None:
    certificate = certify(load_plan(COUNTIES / "plan.toml"))
    assert set(certificate.verdicts) == {Verdict.IMPLIED}
    budgets = [budget for known in certificate.data["public"] for budget in known["budgets"]]
    assert [budget["relative"]["value"]["upper"] for budget in budgets] == ["2", "6"]
