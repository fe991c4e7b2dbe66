"""The benchmarks ask what they say they ask, and our side of them is right. Nothing is timed and no peer is needed."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import environment
import jobs
import references
import run
from jobs import JOBS, DiscreteGaussian, Epsilon, Gaussian, Laplace
from measure import Record
from systems import OURS, SYSTEMS, ours
from systems.base import Unsupported
from table import as_answers, as_markdown, as_summary, as_text, rows

ROOT = Path(__file__).parents[2]


def test_every_job_has_a_name_of_its_own_and_something_to_compose() -> None:
    assert len(JOBS) == 20
    for job in JOBS.values():
        if isinstance(job, Epsilon | jobs.Curve | jobs.Power):
            assert job.parts
            assert all(count > 0 for _, count in job.parts)


def test_the_census_plan_has_71_tables_that_spend_its_whole_budget() -> None:
    rhos = list(jobs.census_rhos())
    assert len(rhos) == 71
    assert sum(rhos) == Fraction("2.63")
    # Two cells move by one each: twice 1/(2 variance) is rho.
    assert [count / (2 * part.variance) for part, count in jobs.census() if isinstance(part, DiscreteGaussian)] == rhos


def test_every_column_of_census_shares_sums_to_one() -> None:
    data = json.loads((ROOT / "benchmarks" / "census.json").read_text("utf-8"))
    for universe, queries in data["query_shares"].items():
        assert sum(map(Fraction, data["level_shares"][universe])) == 1
        for column in zip(*queries.values(), strict=True):
            assert sum(map(Fraction, column)) == 1


def test_mixed_releases_are_thirds_and_all_distinct() -> None:
    parts = [part for part, _ in jobs.mixed(99)]
    assert len(set(parts)) == 99
    assert [sum(isinstance(part, kind) for part in parts) for kind in (Gaussian, Laplace, DiscreteGaussian)] == [33] * 3
    assert jobs.mixed(99) == jobs.mixed(99)


@pytest.mark.parametrize(
    "name", ["sampled-1000", "dp-sgd", "gaussians-1e-10", "geometric", "sampled-laplace", "power", "calibration"]
)
def test_our_answer_to_the_smallest_jobs_contains_the_reference(name: str) -> None:
    job = JOBS[name]
    answer = ours.system().answer(job)
    assert answer.lower is not None
    low, high = job.truth
    assert high - low < 1.1e-9
    assert answer.lower[0] <= high
    assert answer.upper[0] >= low
    assert answer.upper[0] - answer.lower[0] <= 2e-4 * answer.upper[0]


def test_an_upper_end_below_our_lower_end_is_flagged_with_the_reference() -> None:
    job = JOBS["gaussians-1e-12"]
    good = Record(job.name, OURS, times=[1.0], upper=[7.2385], lower=[7.2384])
    bad = Record(job.name, "dp-accounting PLD", times=[2.0], upper=[7.2334])
    loose = Record(job.name, "dp-accounting RDP", times=[0.5], upper=[7.5153])
    slow = Record(job.name, "prv-accountant", failure="> 20 s")
    found = rows(job, [good, bad, loose, slow])
    assert [row.agrees for row in found] == [True, False, True, None]
    assert [row.ratio for row in found] == [1.0, 2.0, 0.5, None]
    assert "7.23849442" in found[1].remark
    assert "> 20 s" in as_text(job, found)
    assert as_markdown(job, found).count("\n|") == 6


def test_what_no_system_of_ours_answers_is_said() -> None:
    with pytest.raises(Unsupported, match="no random allocation"):
        ours.system().answer(JOBS["allocation"])


def test_geometric_counts_have_the_reference_of_a_binomial() -> None:
    assert f"{references.geometric(Fraction(50), 1_000, '1e-6'):.11f}" == JOBS["geometric"].reference


def test_a_summary_shows_who_took_how_many_times_as_long_and_who_was_wrong() -> None:
    job = JOBS["gaussians-1e-12"]
    good = Record(job.name, OURS, times=[0.002], upper=[7.2385], lower=[7.2384])
    bad = Record(job.name, "dp-accounting PLD", times=[0.1], upper=[7.2334])
    slow = Record(job.name, "prv-accountant", failure="> 20 s")
    shown = as_summary({job.name: (job, rows(job, [good, bad, slow]))}, ["curve", job.name])
    assert shown.splitlines()[0] == "|  | time | relative width | dp-accounting PLD | prv-accountant |"
    assert shown.splitlines()[2].endswith("| 2 ms | 1.4e-05 | 50 times, too small | > 20 s |")


def test_the_answers_to_one_job_show_both_ends_or_the_upper_one_and_who_is_wrong() -> None:
    job = JOBS["gaussians-1e-12"]
    good = Record(job.name, OURS, times=[0.002], upper=[7.2385], lower=[7.2384])
    bad = Record(job.name, "dp-accounting PLD", times=[0.1], upper=[7.2334])
    slow = Record(job.name, "prv-accountant", failure="> 20 s")
    shown = as_answers(rows(job, [good, bad, slow])).splitlines()
    assert shown[2:] == [
        f"| {OURS} | 7.2384 to 7.2385 | 2 ms | 1 |",
        "| dp-accounting PLD | at most 7.2334, too small | 100 ms | 50 |",
    ]


def test_each_page_gets_what_it_has_marks_for(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- benchmark summary: start -->\nold\n<!-- benchmark summary: end -->\nb\n", "utf-8")
    run.written(page, {"benchmarks": "all", "benchmark summary": "few\n"})
    kept = page.read_text("utf-8")
    assert kept == "a\n<!-- benchmark summary: start -->\n\nfew\n\n<!-- benchmark summary: end -->\nb\n"
    for place, mark in (
        ("docs/explanation/speed-and-width.md", "benchmarks"),
        ("README.md", "benchmark dp-sgd"),
        ("docs/how-to/dp-sgd.md", "benchmark dp-sgd"),
    ):
        text = (ROOT / place).read_text("utf-8")
        assert f"<!-- {mark}: start -->" in text
        assert f"<!-- {mark}: end -->" in text


def test_our_own_answer_away_from_the_reference_is_flagged() -> None:
    job = JOBS["gaussians-1e-12"]
    wrong = Record(job.name, OURS, times=[1.0], upper=[7.2334], lower=[7.2333])
    assert rows(job, [wrong])[0].agrees is False


def test_every_system_has_a_module_and_a_pinned_distribution() -> None:
    pinned = "".join((ROOT / "benchmarks" / name).read_text("utf-8") for name in ("peers.txt", "peers_alone.txt"))
    for entry in SYSTEMS.values():
        assert (ROOT / "benchmarks" / "systems" / f"{entry.module}.py").is_file()
        assert entry.own or f"{entry.distribution}==" in pinned
    assert environment.described()["numpy"]
