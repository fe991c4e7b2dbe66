"""Rounding is done in one room: nobody else moves to the next double or writes error terms by hand."""

from __future__ import annotations

import pytest

from tests.house.rounding import ROOM, ROOT, Place, by_hand, sources


def found(text: str) -> list[str]:
    return [place.what for place in by_hand("planted.py", text)]


@pytest.mark.slow
def test_nobody_rounds_by_hand_outside_the_room_for_it() -> None:
    places = [place for name, text in sources() for place in by_hand(name, text)]
    assert places == []


def test_all_of_the_program_is_looked_at() -> None:
    names = [name for name, _ in sources()]
    assert {
        "accountant/loss/readings/base.py",
        "accountant/loss/engine/grid.py",
        "plugins/accountant_fdp/normal.py",
    } <= set(names)
    assert not any(name.startswith(ROOM) for name in names)
    # What the room itself does is what nobody else does.
    assert by_hand("room", (ROOT / ROOM / "direction.py").read_text("utf-8")) != []


PLANTED = (
    "high = math.nextafter(value, math.inf)",
    "high = np.nextafter(values, np.inf)",
    "from math import nextafter",
    "from accountant.numbers.rounding import ROUNDOFF",
    "error = 32 * ROUNDOFF * value",
    "error = rounding.ROUNDOFF * value",
    "unit = math.ulp(value)",
    "unit = np.finfo(np.float64).eps",
    "unit = sys.float_info.epsilon",
    "high = value * (1.0 + 2.0**-48)",
    "high = value * (1.0 + 2**-48)",
    "low = value - 1e-15 * abs(value)",
    "value += 2.0**-50 * scale",
    "_SHARE = 2.0**-50\nhigh = value * (1.0 + _SHARE)",
    "_MANY, _SHARE = 3, 1e-14\ndef f(x):\n    return x + _SHARE",
    "ball = Ball(value).widened(2.0**-43)",
    "ends = Interval.around(value, value * 2.0**-40)",
    "ends = Interval.around(value, 1e-15)",
    "doubt = max(2.0**-50, 1e-13) * scale",
    "def f(x):\n    return Pairs(x, 2.0**-46 * x)",
)
PLAIN = (
    "from accountant.numbers.rounding import Ball, raised, up",
    "high = raised(value, 32)",
    "while high - low > 2.0**-50 * high:\n    pass",
    "close = abs(x - y) <= 1e-14 * abs(x)",
    "_TOLERANCE = 2.0**-46\nfound = crossing(f, _TOLERANCE)",
    "def crossing(f, tolerance: float = 2.0**-50) -> float:\n    return f(tolerance)",
    "step = 2.0**-20 * width",
    "least = max(value, 2.0**-500)",
    "figures = math.ceil(-math.log10(max(precision, 1e-15)) - 0.5)",
    "spacing = nodes.spacing",
    "ball = found.widened(left_out)",
)


@pytest.mark.parametrize("text", PLANTED)
def test_an_error_term_that_is_written_by_hand_is_found(text: str) -> None:
    assert found(text) != []


@pytest.mark.parametrize("text", PLAIN)
def test_thresholds_steps_and_what_the_room_offers_are_left_alone(text: str) -> None:
    assert found(text) == []


def test_a_violation_that_is_planted_in_a_file_is_named_with_its_line() -> None:
    name = "plugins/accountant_zcdp/envelope.py"
    text = (ROOT / name).read_text("utf-8")
    assert by_hand(name, text) == []
    planted = text.replace("raised(scale * orders, 1)", "scale * orders * (1.0 + 2.0**-52)")
    (place,) = by_hand(name, planted)
    line = planted.splitlines().index(next(line for line in planted.splitlines() if "2.0**-52" in line)) + 1
    assert (place.file, place.line) == (name, line)
    assert isinstance(place, Place)
    assert "2.0 ** (-52)" in place.what
