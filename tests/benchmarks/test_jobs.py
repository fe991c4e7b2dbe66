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
from jobs import JOBS, DiscreteGaussian, Epsilon, Gaussian, Laplace
from measure import Record
from systems import OURS, SYSTEMS, ours
from table import as_markdown, as_text, rows

ROOT = Path(__file__).parents[2]


def test_every_job_has_a_name_of_its_own_and_something_to_compose() -> None:
    assert len(JOBS) == 15
    for job in JOBS.values():
        if isinstance(job, Epsilon | jobs.Curve):
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


@pytest.mark.parametrize("name", ["sampled-1000", "gaussians-1e-10"])
def test_our_answer_to_the_smallest_jobs_contains_the_reference(name: str) -> None:
    job = JOBS[name]
    answer = ours.system().answer(job)
    assert answer.lower is not None
    low, high = job.truth
    assert high - low < 1e-8
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


def test_our_own_answer_away_from_the_reference_is_flagged() -> None:
    job = JOBS["gaussians-1e-12"]
    wrong = Record(job.name, OURS, times=[1.0], upper=[7.2334], lower=[7.2333])
    assert rows(job, [wrong])[0].agrees is False


def test_every_system_has_a_module_and_a_pinned_distribution() -> None:
    pinned = (ROOT / "benchmarks" / "peers.txt").read_text("utf-8")
    for entry in SYSTEMS.values():
        assert (ROOT / "benchmarks" / "systems" / f"{entry.module}.py").is_file()
        assert entry.own or f"{entry.distribution}==" in pinned
    assert environment.described()["numpy"]
