"""How far a long computation is: shares that never fall, shown only where somebody looks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from accountant import account, audit, calibrate, certify, read_plan, reallocate
from accountant.ledger import Ledger, read_terms
from accountant.progress import nearer, reached, stage, steps, watched
from tests.cli.test_program import on_terminal

pytestmark = pytest.mark.slow


def told(action: Callable[[], object]) -> list[float]:
    """The shares that somebody who watches is told of."""
    shares: list[float] = []
    with watched(shares.append):
        action()
    return shares


def test_steps_are_equal_shares_and_those_inside_are_parts_of_them() -> None:
    def work() -> None:
        for _ in steps("ab"):
            for _ in steps("1234"):
                pass

    assert told(work) == [0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0]


def test_stages_share_the_work_and_what_is_inside_speaks_of_its_own_part() -> None:
    def work() -> None:
        with stage(0.0, 0.5):
            reached(0.5)
        with stage(0.5, 1.0):
            list(steps("ab"))

    assert told(work) == [0.25, 0.5, 0.75, 1.0]


def test_shares_never_fall_and_stay_within_the_whole() -> None:
    assert told(lambda: [reached(share) for share in (0.3, 0.2, -1.0, 0.9, 7.0, 0.5)]) == [0.3, 0.9, 1.0]


def test_work_of_an_unknown_number_of_pieces_comes_nearer_to_its_end_and_never_passes_it() -> None:
    def work() -> None:
        with stage(0.0, 0.5):
            for _ in range(3):
                nearer(0.5)
        with stage(0.5, 1.0):
            nearer(0.5)

    assert told(work) == [0.25, 0.375, 0.4375, 0.5, 0.75, 1.0]
    assert max(told(lambda: [nearer() for _ in range(5_000)])) <= 1.0


def test_a_loop_that_ends_early_leaves_the_rest_to_others() -> None:
    def work() -> None:
        for _ in steps("abcd"):
            break
        reached(0.5)

    assert told(work) == [0.5]


def test_nothing_changes_where_nobody_watches() -> None:
    assert list(steps("abc")) == ["a", "b", "c"]
    with stage(0.0, 0.5):
        reached(1.0)


def plan(number: int = 8, **further: Any) -> Any:
    def noise(number: int) -> dict[str, str]:
        return {"kind": "laplace", "scale": str(5 + number)}

    releases = [{"name": f"r{n}", "query": {"kind": "count"}, "mechanism": noise(n)} for n in range(number)]
    budget = {"divergence": "approx", "epsilon": "1", "delta": "1e-6"}
    return read_plan({"specification": {"neighbours": "add-remove"}, "budget": [budget], "release": releases, **further})


LONG: dict[str, Callable[[], object]] = {
    "certify": lambda: certify(plan()),
    "calibrate": lambda: calibrate(plan()),
    "reallocate": lambda: reallocate(plan(3)),
    "audit": lambda: audit(plan(), samples=200_000),
}


def sampled(kind: str, parameter: str, number: int) -> Any:
    """Releases that are unlike each other, which take a contour or a grid to compose."""
    releases = [
        {
            "name": f"r{index}",
            "query": {"kind": "count"},
            "mechanism": {"kind": kind, parameter: str(2 + index)},
            "sampling": {"kind": "poisson", "rate": "0.1"},
        }
        for index in range(number)
    ]
    return read_plan({"specification": {"neighbours": "add-remove"}, "release": releases})


@pytest.mark.parametrize(("kind", "parameter", "number"), [("gaussian", "sigma", 8), ("laplace", "scale", 20)])
def test_one_value_of_one_definition_says_how_far_it_is(kind: str, parameter: str, number: int) -> None:
    found = account(sampled(kind, parameter, number))
    shares = told(lambda: found.measure("approx", delta="1e-6"))
    assert len(shares) >= 5
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5
    assert shares[0] + 0.2 < shares[-1] <= 1.0


@pytest.mark.parametrize("command", ["measure", pytest.param("explain", marks=pytest.mark.sweep)])
def test_commands_that_read_one_value_show_a_percentage(command: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(sampled("laplace", "scale", 20).as_data()), encoding="utf-8")
    script = (
        "from accountant.cli import main, output; output._PATIENCE, output._REFRESH = 0.0, 0.01\n"
        f"main([{command!r}, {str(path)!r}, '--as', 'approx', '--delta', '1e-6'])"
    )
    status, seen = on_terminal([sys.executable, "-c", script], COLUMNS="100")
    assert status == 0
    found = {int(number) for number in re.findall(r"(\d+)%", seen)}
    assert any(0 < number < 100 for number in found), seen


@pytest.mark.parametrize("name", LONG)
def test_long_work_says_how_far_it_is(name: str) -> None:
    shares = told(LONG[name])
    assert len(shares) >= 3
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5
    assert shares[-1] <= 1.0
    assert name == "calibrate" or shares[-1] > 0.8


def test_checking_a_ledger_says_how_far_it_is(tmp_path: Path) -> None:
    terms = read_terms({"specification": {"neighbours": "add-remove"}, "budget": [{"divergence": "zcdp", "rho": "1"}]})
    request = {"name": "a", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.1"}}
    with Ledger.create(tmp_path / "l", terms) as ledger:
        for number in range(4):
            ledger.reserve(ledger.batch({**request, "name": f"r{number}"}))
        shares, after_each = told(ledger.verify), [0.25, 0.5, 0.75, 1.0]
    assert shares == sorted(shares)
    assert [share for share in shares if share in after_each] == after_each


def test_watching_changes_no_number() -> None:
    unwatched = certify(plan()).to_json()
    with watched(lambda _: None):
        assert certify(plan()).to_json() == unwatched


SCRIPT = """
import time
from accountant.cli import output
from accountant.progress import steps
output._PATIENCE = 0.1
with output.working("composing [bold] releases"):
    for _ in steps(range(4)):
        time.sleep({seconds})
"""


def test_a_terminal_shows_a_percentage_and_a_pipe_nothing() -> None:
    status, shown = on_terminal([sys.executable, "-c", SCRIPT.format(seconds=0.4)], COLUMNS="100")
    assert status == 0
    assert "composing [bold] releases" in shown
    assert {"25%", "50%", "75%"} & set(shown.replace("\x1b", " ").replace("m", " ").split())
    quick = on_terminal([sys.executable, "-c", SCRIPT.format(seconds=0.001)])
    assert quick == (0, "")
    quiet = subprocess.run([sys.executable, "-c", SCRIPT.format(seconds=0.1)], capture_output=True, text=True, timeout=60)
    assert (quiet.stdout, quiet.stderr) == ("", "")


def test_a_certificate_on_standard_output_is_not_disturbed(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan().as_data()), encoding="utf-8")
    script = (
        "import sys; from accountant.cli import main, output; output._PATIENCE = 0.0\n"
        f"main(['certify', {str(path)!r}, '--json'])"
    )
    with (tmp_path / "out").open("w") as out:
        subprocess.run([sys.executable, "-c", script], stdout=out, check=False, timeout=60)
    assert json.loads((tmp_path / "out").read_text(encoding="utf-8"))["format"]
