"""What an audit of swapped records sees: what must hold, and errors planted in what is drawn."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from accountant import PlanError
from accountant_invariants import Design, Draws, Microdata, Swapping
from accountant_invariants.swap import moving
from accountant_invariants.swap.audit import Audited, Auditing, audit
from accountant_invariants.swap.strata import Strata
from tests.plugins.invariants.enumeration import VERSIONS
from tests.plugins.invariants.records import households, write

pytestmark = pytest.mark.slow

SETTINGS = Auditing(samples=800, confidence="0.99")


def design(folder: Path, version: str = "derange", single: str = "redraw", many: int = 1_200) -> Design:
    """Some hundred small strata with different values: as many places as records."""
    rows = households(many, blocks=10**6)
    records = Microdata.load(write(folder / "records.csv", rows))
    strata = ["region", "tenure", "age"]
    return Design.of(records, swap=["block"], stratify=strata, rate="0.3", version=version, single=single)  # type: ignore[arg-type]


def audited(planned: Design, sources: NDArray[np.int64]) -> Audited:
    return audit(planned, planned.microdata.reordered(planned.mechanism.swap, sources), SETTINGS)


@pytest.mark.parametrize(("version", "single"), VERSIONS)
def test_what_is_done_as_planned_is_not_refuted(tmp_path: Path, version: str, single: str) -> None:
    planned = design(tmp_path, version, single)
    found = audited(planned, planned.run(Draws.of(5)).sources)
    assert found.verdict == "consistent"
    told = [check.name for check in found.checks]
    assert told[:2] == [known.name for known in planned.mechanism.publishes()]
    assert told[2:] == [
        "records that look different, at a rate of 0.3",
        *(f"permutations of {size} records" for size in (2, 3, 4)),
    ]


def rate_twice(planned: Design) -> NDArray[np.int64]:
    """The rate is applied to those who were selected by it already."""
    other = planned.mechanism
    again = Swapping(other.rate**2, other.strata, other.stratify, other.swap, other.rest, other.version, other.single)
    return moving.sources(planned.strata, again, Draws.of(1))


def a_stratum_off_by_one(planned: Design) -> NDArray[np.int64]:
    """The last record of each stratum is counted to the next one."""
    order = np.argsort(planned.strata.labels, kind="stable")
    labels = np.empty_like(planned.strata.labels)
    labels[order] = np.roll(planned.strata.labels[order], 1)
    return moving.sources(Strata(labels), planned.mechanism, Draws.of(1))


def one_way_round(planned: Design) -> NDArray[np.int64]:
    """Derangements of four only turn all values by one place."""
    found = moving.sources(planned.strata, planned.mechanism, Draws.of(1))
    for label in np.flatnonzero(planned.strata.sizes == 4):
        places = np.flatnonzero(planned.strata.labels == label)
        if np.all(found[places] != places):
            found[places] = np.roll(places, 1)
    return found


def permuted_only(planned: Design) -> NDArray[np.int64]:
    """Records that were selected may stay, though none should."""
    other = planned.mechanism
    permuting = Swapping(other.rate, other.strata, other.stratify, other.swap, other.rest, "permute")
    return moving.sources(planned.strata, permuting, Draws.of(1))


def not_at_all(planned: Design) -> NDArray[np.int64]:
    return np.arange(planned.microdata.size, dtype=np.int64)


@pytest.mark.parametrize(
    ("planted", "sees"),
    [
        (rate_twice, "records that look different"),
        (not_at_all, "records that look different"),
        (permuted_only, "records that look different"),
        (a_stratum_off_by_one, "counts by"),
    ],
)
def test_what_is_not_done_as_planned_is_refuted(
    tmp_path: Path, planted: Callable[[Design], NDArray[np.int64]], sees: str
) -> None:
    planned = design(tmp_path)
    found = audited(planned, planted(planned))
    assert found.verdict == "refuted"
    assert any(check.name.startswith(sees) for check in found.checks if check.verdict == "refuted")


def test_derangements_that_are_not_uniform_are_seen_in_small_strata(tmp_path: Path) -> None:
    """As many records move as should: only the law of the permutations shows it."""
    rows = [(str(record // 4), f"block {record}", str(record % 4)) for record in range(4 * 300)]
    records = Microdata.load(write(tmp_path / "four.csv", rows, ("area", "block", "age")))
    planned = Design.of(records, swap=["block"], stratify=["area"], rate="0.9", version="derange")
    assert audited(planned, moving.sources(planned.strata, planned.mechanism, Draws.of(1))).verdict == "consistent"
    found = audited(planned, one_way_round(planned))
    assert [check.name for check in found.checks if check.verdict == "refuted"] == ["permutations of 4 records"]


def test_a_right_file_is_refuted_as_rarely_as_promised(tmp_path: Path) -> None:
    """At a confidence of one half in at most half of the runs, but for chance: of 30, at least 25 once in 6,000 times."""
    planned = design(tmp_path, many=200)
    settings = Auditing(samples=60, confidence=Fraction(1, 2))
    runs = [audit(planned, planned.run(Draws.of(seed)).microdata, settings).verdict for seed in range(30)]
    assert runs.count("refuted") < 25


def test_files_that_cannot_be_compared_are_refused(tmp_path: Path) -> None:
    planned = design(tmp_path)
    rows = list(planned.microdata.rows())
    fewer = Microdata.load(write(tmp_path / "fewer.csv", rows[1:]))
    with pytest.raises(PlanError, match=r"there are 1,199 records, and 1,200 were to be swapped"):
        audit(planned, fewer)
    other = Microdata.load(write(tmp_path / "other.csv", rows, ("region", "size", "block", "tenure", "years")))
    with pytest.raises(PlanError, match=r"the columns are region, size, block, tenure, years, and those of the records"):
        audit(planned, other)


def test_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    planned = design(tmp_path)
    swapped = planned.microdata.reordered(planned.mechanism.swap, planned.run(Draws.of(5)).sources)
    turned = Microdata.load(write(tmp_path / "turned.csv", list(swapped.rows())[::-1]))
    assert audit(planned, swapped, SETTINGS).checks == audit(planned, turned, SETTINGS).checks


def test_too_few_runs_decide_nothing(tmp_path: Path) -> None:
    """Ten runs cannot show anything at a confidence of .999, and that is not called consistent."""
    planned = design(tmp_path)
    found = audit(planned, planned.microdata, Auditing(samples=10))
    assert found.verdict == "not decided"
    assert [check.verdict for check in found.checks][:3] == ["holds", "holds", "not decided"]
