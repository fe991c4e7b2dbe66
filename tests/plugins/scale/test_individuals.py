"""Every unit's own releases, against accounts that are made unit by unit from the rows themselves."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attrs import evolve

import accountant as ac
from accountant.plugin import Relation
from accountant.progress import watched
from accountant_scale.engines.duck import DuckDB
from accountant_scale.individuals.run import individuals
from tests.plugins.scale.panel import BUDGETS, PLAN, RELEASES, drawn, own_account, units_in, write

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


@pytest.fixture
def engine() -> Iterator[DuckDB]:
    with DuckDB(threads=1) as made:
        yield made


@pytest.mark.parametrize("seed", range(3))
def test_every_unit_is_charged_what_its_own_rows_say(engine: DuckDB, tmp_path: Path, seed: int) -> None:
    rows = drawn(Random(seed), 12)
    found = individuals(
        PLAN, write(tmp_path / "e.csv", rows), participation="design", engine=engine, output=tmp_path / "out"
    )
    by_unit: dict[str, Counter[str]] = {}
    for unit, release in rows:
        by_unit.setdefault(unit, Counter())[release] += 1
    written = units_in(tmp_path / "out")
    assert written.keys() == by_unit.keys()
    assert found.units == len(by_unit)
    uppers: list[list[float]] = [[], [], []]
    for unit, events in by_unit.items():
        account = own_account(events)
        for index, budget in enumerate(BUDGETS, start=1):
            guarantee, verdict = account.check(budget)
            row = written[unit]
            # Releases that are alike are taken together on one side, so that the last digits may differ.
            assert row[f"lower_{index}"] <= guarantee.value.upper
            assert row[f"upper_{index}"] >= guarantee.value.lower
            assert row[f"upper_{index}"] == pytest.approx(guarantee.value.upper, rel=1e-4)
            assert row[f"verdict_{index}"] == verdict.value
            uppers[index - 1].append(row[f"upper_{index}"])
    for spread, ends in zip(found.spreads[:2], uppers[:2], strict=True):
        assert spread.worst.upper == max(ends)
        for share, value in spread.quantiles:
            assert sum(end <= value.upper for end in ends) >= share * len(ends)


def test_releases_of_one_class_make_one_signature(engine: DuckDB, tmp_path: Path) -> None:
    rows = [("a", "wave"), ("a", "another like it"), ("b", "wave"), ("b", "wave"), ("c", "another like it")]
    found = individuals(PLAN, write(tmp_path / "e.csv", rows), participation="data", engine=engine)
    assert sorted((read.signature, read.units) for read in found.signatures) == [("000000:1", 1), ("000000:2", 2)]


def test_a_unit_that_took_part_in_nothing_loses_nothing_and_is_counted(engine: DuckDB, tmp_path: Path) -> None:
    table = write(tmp_path / "e.csv", [("a", "wave", 0), ("b", "wave", 2)], ("unit", "release", "times"))
    found = individuals(PLAN, table, participation="data", engine=engine)
    assert found.units == 2
    assert found.signatures[0].signature == ""
    assert [item.value.upper for item in found.signatures[0].values] == [0.0] * 3


def test_units_beyond_a_budget_are_found_each(engine: DuckDB, tmp_path: Path) -> None:
    rows = [("heavy", '''it's, "quoted"'''), ("light", "wave"), ("light too", "wave")]
    found = individuals(PLAN, write(tmp_path / "e.csv", rows), participation="design", engine=engine)
    assert dict(found.spreads[1].verdicts) == {"implied": 2, "refuted": 1}
    assert found.spreads[1].beyond == 1
    assert found.classes.words(found.spreads[1].worst_signature) == '''1 x it's, "quoted"'''


@pytest.mark.parametrize(
    ("header", "rows", "wrong"),
    [
        (("unit", "what"), [("a", "wave")], "there is no column 'release'"),
        (("unit", "release"), [("a", "wave"), ("", "wave")], "1 row without a unit"),
        (("unit", "release"), [("a", "")], "1 row without a release"),
        (("unit", "release"), [("a", "Wave"), ("b", "Wave")], "2 rows of 'Wave', which is no release of the plan"),
        (("unit", "release"), [("a", "wave")] * 4, "'a' takes part in 'wave' 4 times, but the plan makes it 3 times"),
        (("unit", "release", "times"), [("a", "wave", "-1")], "no whole number of at most 18 digits, such as '-1'"),
        (("unit", "release", "times"), [("a", "wave", "1.5")], "no whole number of at most 18 digits, such as '1.5'"),
        (("unit", "release", "times"), [("a", "wave", "")], "no whole number of at most 18 digits, such as nothing"),
        (("unit", "release", "times"), [("a", "wave", "1"), ("a", "wave", "1")], "stand together in 2 rows"),
        (("unit", "release"), [], "has no rows"),
    ],
)
def test_wrong_events_are_refused_and_nothing_is_written(
    engine: DuckDB, tmp_path: Path, header: tuple[str, ...], rows: list[tuple[str, ...]], wrong: str
) -> None:
    table = write(tmp_path / "e.csv", rows, header)
    with pytest.raises(ac.PlanError, match=wrong):
        individuals(PLAN, table, participation="data", engine=engine, output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_all_faults_of_events_come_at_once(engine: DuckDB, tmp_path: Path) -> None:
    table = write(tmp_path / "e.csv", [("", "wave", "x"), ("a", "none", "1")], ("unit", "release", "times"))
    with pytest.raises(ac.PlanError) as caught:
        individuals(PLAN, table, participation="data", engine=engine)
    assert [fault.place for fault in caught.value.faults] == ["unit", "times", "release"]


class Killed(Exception):
    """The driver was killed."""


class Dying(DuckDB):
    """An engine whose driver is killed after so many readings."""

    left: int | None = None
    asked = 0

    def spread(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        self.asked = len(items)
        for done, item in enumerate(items):
            if self.left is not None and done >= self.left:
                raise Killed
            yield function(item)


def test_work_that_was_cut_off_is_taken_up_where_it_was(tmp_path: Path) -> None:
    releases = [ac.Gaussian(sigma=str(30 + index)).on(ac.Count()).repeated(9).named(f"r{index}") for index in range(3)]
    plan = ac.Plan.of(*releases, neighbours="add-remove", budgets=[ac.Budget.of("zcdp", rho="0.01")])
    rows = [
        (f"{a}-{b}-{c}", name, times)
        for a in range(10)
        for b in range(10)
        for c in range(10)
        for name, times in zip(("r0", "r1", "r2"), (a, b, c), strict=True)
    ]
    table = write(tmp_path / "e.csv", rows, ("unit", "release", "times"))
    with Dying(threads=1) as engine:
        engine.left = 700
        with pytest.raises(Killed):
            individuals(plan, table, participation="design", engine=engine, output=tmp_path / "out")
    assert not (tmp_path / "out" / "individuals.json").exists()
    with Dying(threads=1) as engine:
        individuals(plan, table, participation="design", engine=engine, output=tmp_path / "out")
        assert engine.asked == 500  # one part of 500 was whole, the other was not
    with DuckDB(threads=1) as engine:
        individuals(plan, table, participation="design", engine=engine, output=tmp_path / "once")
    assert units_in(tmp_path / "out") == units_in(tmp_path / "once")
    assert json.loads((tmp_path / "out" / "individuals.json").read_text()) == {}


def test_a_folder_of_other_work_is_left_as_it_is(engine: DuckDB, tmp_path: Path) -> None:
    table = write(tmp_path / "e.csv", [("a", "wave")])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(ac.InvalidValue, match="holds something else"):
        individuals(PLAN, table, participation="data", engine=engine, output=tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_a_table_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    table = write(tmp_path / "e.csv", [("a", "wave")])

    class Slow(DuckDB):
        def keep(self, name: str, query: str) -> None:
            super().keep(name, query)
            write(table, [("a", "wave"), ("b", "wave")])

    with Slow(threads=1) as engine, pytest.raises(ac.PlanError, match="changed while it was read"):
        individuals(PLAN, table, participation="data", engine=engine)


@pytest.mark.parametrize("seed", range(3))
def test_units_at_their_cap_are_left_out_of_the_next_release(engine: DuckDB, tmp_path: Path, seed: int) -> None:
    plan = ac.Plan.of(*RELEASES, neighbours="add-remove", budgets=[ac.Budget.of("zcdp", rho="0.02")])
    rows = drawn(Random(seed), 12)
    found = individuals(
        plan, write(tmp_path / "e.csv", rows), participation="data", engine=engine, before="wave", output=tmp_path / "out"
    )
    # The rho of Gaussian noise is 1 / (2 sigma^2); that of Laplace noise is not enumerated here.
    rho = {"wave": Fraction(1, 200), "another like it": Fraction(1, 200), '''it's, "quoted"''': Fraction(1, 32)}
    spent: dict[str, Fraction] = {}
    noisy = set()
    for unit, release in rows:
        noisy |= {unit} if release == "extra" else set()
        spent[unit] = spent.get(unit, Fraction(0)) + rho.get(release, Fraction(0))
    from pyarrow import parquet

    out = set(parquet.read_table(tmp_path / "out" / "left-out").column("unit").to_pylist())
    assert found.left_out == len(out)
    for unit, amount in spent.items():
        if amount + rho["wave"] > Fraction(1, 50):
            assert unit in out
        elif unit not in noisy:
            assert unit not in out


def test_a_cap_that_does_not_add_up_is_refused_where_the_data_decide(engine: DuckDB, tmp_path: Path) -> None:
    table = write(tmp_path / "e.csv", [("a", "wave")])
    with pytest.raises(ac.InvalidValue, match="'approx' does not add up"):
        individuals(PLAN, table, participation="data", engine=engine, before="wave")
    assert individuals(PLAN, table, participation="design", engine=engine, before="wave").left_out == 0


def test_groups_of_units_have_no_signature(engine: DuckDB, tmp_path: Path) -> None:
    plan = ac.Plan.of(RELEASES[0], neighbours="add-remove", group=2, budgets=BUDGETS)
    with pytest.raises(ac.InvalidValue, match="several units at once"):
        individuals(plan, write(tmp_path / "e.csv", [("a", "wave")]), participation="data", engine=engine)


def scoped(part: str, sigma: str) -> ac.Release:
    return evolve(ac.Gaussian(sigma=sigma).on(ac.Count()).named(part), scope=ac.Scope("state", part))


def test_a_unit_that_moved_is_charged_in_every_part_that_it_was_in(engine: DuckDB, tmp_path: Path) -> None:
    budget = ac.Budget.of("zcdp", rho="0.02")
    plan = ac.Plan.of(scoped("Ohio", "10"), scoped("Utah", "5"), neighbours="add-remove", budgets=[budget])
    rows = [("moved", "Ohio"), ("moved", "Utah"), ("stayed", "Utah")]
    found = individuals(plan, write(tmp_path / "e.csv", rows), participation="design", engine=engine)
    assert ac.account(plan).check(budget)[0].value.exact == Fraction(1, 50)  # one part is all that the plan speaks of
    assert found.spreads[0].worst.exact == Fraction(1, 200) + Fraction(1, 50)
    assert found.spreads[0].beyond == 1


def test_where_values_decide_who_takes_part_a_unit_loses_more_than_its_own_events() -> None:
    """Two bits, each told truly three times in four: whether a unit is in the first release, and in the second."""

    def chance(bits: tuple[int, int], told: tuple[int, int]) -> Fraction:
        first, second = (Fraction(3, 4) if bit == said else Fraction(1, 4) for bit, said in zip(bits, told, strict=True))
        return first * second

    told = [(a, b) for a in (0, 1) for b in (0, 1)]
    absent, here, there = (0, 0), (1, 0), (0, 1)
    assert max(chance(here, said) / chance(absent, said) for said in told) == 3  # what its events tell of
    assert max(chance(here, said) / chance(there, said) for said in told) == 9  # what other values change


def test_replaced_units_are_refused_where_the_data_decide_who_takes_part(engine: DuckDB, tmp_path: Path) -> None:
    plan = ac.Plan.of(RELEASES[0], neighbours="replace-one", budgets=BUDGETS)
    table = write(tmp_path / "e.csv", [("a", "wave")])
    with pytest.raises(ac.InvalidValue, match="which no event tells of; promise 'add-remove' neighbours"):
        individuals(plan, table, participation="data", engine=engine)
    assert individuals(plan, table, participation="design", engine=engine).units == 1


def test_replaced_units_are_refused_where_releases_look_at_parts(engine: DuckDB, tmp_path: Path) -> None:
    plan = ac.Plan.of(scoped("Ohio", "10"), neighbours="replace-one", budgets=BUDGETS)
    with pytest.raises(ac.InvalidValue, match="'Ohio' is about one state only, which may differ between neighbours"):
        individuals(plan, write(tmp_path / "e.csv", [("a", "Ohio")]), participation="design", engine=engine)


def test_neighbours_that_differ_in_two_units_are_refused(engine: DuckDB, tmp_path: Path) -> None:
    two = Relation("two-come", frozenset({(2, 0), (0, 2)}), edits=False, meaning="two units come or go")
    neighbours = ac.Neighbours(two)
    plan = ac.Plan.of(RELEASES[0], neighbours=neighbours, budgets=BUDGETS)
    with pytest.raises(ac.InvalidValue, match="several units at once"):
        individuals(plan, write(tmp_path / "e.csv", [("a", "wave")]), participation="design", engine=engine)


def test_times_are_digits_and_nothing_else(engine: DuckDB, tmp_path: Path) -> None:
    for times in ("1\n", "1 ", "1" * 19, "\u0661"):
        table = write(tmp_path / "e.csv", [("a", "wave", times)], ("unit", "release", "times"))
        with pytest.raises(ac.PlanError, match="no whole number"):
            individuals(PLAN, table, participation="data", engine=engine)


KILLED = """
import os, signal, sys
from pathlib import Path
from accountant_scale.engines.duck import DuckDB
from accountant_scale.individuals.run import individuals
from tests.plugins.scale.panel import PLAN

class Struck(DuckDB):
    def put(self, query, folder):
        super().put(query, folder)
        if folder.name.startswith(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)

with Struck(threads=1) as engine:
    individuals(PLAN, sys.argv[1], participation="design", engine=engine, output=Path(sys.argv[2]))
"""


@pytest.mark.parametrize("place", ["counted", "units"])
def test_a_driver_that_is_killed_leaves_nothing_that_is_taken_for_whole(engine: DuckDB, tmp_path: Path, place: str) -> None:
    table, output = write(tmp_path / "e.csv", drawn(Random(3), 12)), tmp_path / "out"
    struck = subprocess.run([sys.executable, "-c", KILLED, str(table), str(output), place], check=False, cwd=ROOT)
    assert struck.returncode == -signal.SIGKILL
    left = {path.name for path in output.iterdir()} if output.exists() else set()
    assert f"{place}.unfinished" in left
    assert not {"individuals.json", place} & left
    again = individuals(PLAN, table, participation="design", engine=engine, output=output)
    once = individuals(PLAN, table, participation="design", engine=engine, output=tmp_path / "once")
    assert again.spreads == once.spreads
    assert units_in(output) == units_in(tmp_path / "once")
    assert {path.name for path in output.iterdir()} == {path.name for path in (tmp_path / "once").iterdir()}


def test_progress_rises_from_the_first_query_to_the_last_reading(engine: DuckDB, tmp_path: Path) -> None:
    table, told = write(tmp_path / "e.csv", drawn(Random(4), 12)), list[float]()
    with watched(told.append):
        individuals(PLAN, table, participation="design", engine=engine)
    assert told == sorted(told)
    assert told[0] < 0.2
    assert sum(0.2 < share <= 0.9 for share in told) > 3
