"""Every value that users and authors meet shows itself in a line, and in a few; none is missed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, ClassVar

import attrs
import pytest
from attrs import frozen
from hypothesis.vendor.pretty import pretty

import accountant as ac
from accountant.display import LONGEST, cut
from accountant.display.brief import Brief, brief, full
from accountant.plugin import CASES, Mechanism, ParameterCase, Theorem
from tests.display.made import roots, walked
from tests.display.public_values import public_values

pytestmark = pytest.mark.slow

Made = Mapping[type[Any], list[object]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    found = walked(roots(tmp_path_factory.mktemp("values")))
    yield found
    # Asked again where it stands, a ledger has opened its database again.
    for values in found.values():
        for value in values:
            if isinstance(value, ac.Ledger):
                value.close()


def shown(value: object) -> bool:
    """Whether a value is one of a class that somebody meets."""
    return any(cls in public_values() for cls in type(value).__mro__)


def test_the_classes_are_found_behind_the_doors() -> None:
    names = {cls.__name__ for cls in public_values()}
    assert {"Plan", "Account", "Guarantee", "Certificate", "Contents", "Status", "Curve", "Shift", "Family"} <= names
    assert len(names) > 100


def test_one_of_every_class_is_made(made: Made) -> None:
    met = {cls for found in made for cls in found.__mro__}
    missed = {cls.__name__ for cls in public_values() if cls not in met and not getattr(cls, "_is_protocol", False)}
    assert not missed, f"make one of each in tests/display/made.py: {sorted(missed)}"


def test_a_line_is_short_and_says_what_the_value_is(made: Made) -> None:
    long, nameless = {}, {}
    for cls, values in made.items():
        for value in filter(shown, values):
            line = repr(value)
            if len(line) > LONGEST or "\n" in line:
                long[cls.__name__] = line
            if cls.__name__ not in line or " object at 0x" in line:
                nameless[cls.__name__] = line
    assert not long
    assert not nameless


def test_a_paragraph_is_a_few_lines_that_a_screen_holds(made: Made) -> None:
    for values in made.values():
        for value in filter(shown, values):
            if isinstance(value, ac.PrivacyLoss):
                continue  # what exceeds a promise is said exactly, however long its numbers are
            lines = str(value).splitlines()
            assert 1 <= len(lines) <= 40, str(value)
            assert max(map(len, lines)) <= 600, str(value)
            assert " object at 0x" not in str(value)


def test_rich_values_say_the_same_in_a_notebook(made: Made) -> None:
    named = {"Plan", "Account", "Guarantee", "Certificate", "Curve", "Comparison", "Implication", "Verification", "Status"}
    rich = {cls.__name__: values[0] for cls, values in made.items() if hasattr(cls, "_repr_html_")}
    named |= {"Interval", "Verdict", "Calibration", "Audit", "Assessment", "Ledger", "Quote", "Reservation", "Forecast"}
    assert named <= set(rich)
    for value in rich.values():
        page = value._repr_html_()  # type: ignore[attr-defined]
        assert "<script" not in page
        assert "http" not in page


def test_numbers_in_a_line_are_the_decimals_that_were_written() -> None:
    plan = ac.load_plan("examples/survey.toml")
    assert "Gaussian(sigma='8')" in repr(plan.releases[0])
    assert repr(ac.Interval.of("1/3")) == "Interval.of('1/3')"
    assert repr(ac.account(plan).measure("approx", delta="1e-6")).startswith("<Guarantee: epsilon = 2.39")


def test_parameters_of_definitions_are_short_too() -> None:
    for case in ac.default_registry().offered(CASES).values():
        if isinstance(case, ParameterCase):
            assert len(repr(case.parameter)) <= LONGEST
    assert repr(ac.load_plan("examples/survey.toml").specification.budgets[0].parameter) == (
        "ApproxParameter(epsilon='4', delta='1e-6')"
    )


def test_a_failing_example_shows_every_field_of_a_value() -> None:
    inner = Inner(tuple(Fraction(number) for number in range(40)), "a text")
    written = pretty(inner)
    assert "Fraction(39, 1)" in written
    assert "a text" in written
    assert "…" not in written


# What does not fit ----------------------------------------------------------------------------------------------------


@frozen
class Inner(Brief):
    numbers: tuple[Fraction, ...]
    text: str = ""


@frozen
class Outer(Brief):
    inner: Inner
    others: tuple[Inner, ...] = ()
    table: dict[str, int] = attrs.field(factory=dict)


@pytest.mark.parametrize("length", [0, 1, 10, 1000, 100_000])
def test_a_value_fits_a_line_however_much_it_holds(length: int) -> None:
    inner = Inner((Fraction(1, 3),) * length, "x" * length)
    value = Outer(inner, (inner,) * min(length, 1000), {f"key {number}": number for number in range(length)})
    assert len(repr(value)) <= LONGEST
    assert repr(value).startswith("Outer(inner=")
    assert all(len(line) <= 300 for line in str(value).splitlines())


def test_a_value_that_fits_is_shown_whole_without_what_goes_without_saying() -> None:
    assert repr(Inner((Fraction(1, 3), Fraction("0.1")))) == "Inner(numbers=('1/3', '0.1'))"
    assert repr(Outer(Inner(()), table={"a": 1})) == "Outer(inner=Inner(numbers=()), table={'a': 1,})"


def test_a_long_text_loses_its_middle() -> None:
    assert cut("abcdefghij", 10) == "abcdefghij"
    assert cut("abcdefghijk", 10) == "abcdef…ijk"


def test_a_class_that_says_how_it_is_shown_keeps_that() -> None:
    @frozen
    class Own(Brief):
        number: int

        def __repr__(self) -> str:
            return f"<own {self.number}>"

    assert repr(Own(3)) == "<own 3>"


def test_the_class_of_a_third_party_is_short_too() -> None:
    @frozen
    class Noisy(Mechanism):
        kind: ClassVar[str] = "noisy"
        theorem: ClassVar[Theorem] = Theorem("noisy", "noise hides", "nobody", "nowhere")
        table: tuple[int, ...] = tuple(range(1000))

        def loss(self, shift: Any) -> Any:
            raise NotImplementedError

    assert repr(Noisy()) == "Noisy()"
    assert repr(Noisy(tuple(range(500)))) == "Noisy(table=(0, 1, 2, 3, 4, 5, 6, 7, … 492 more))"


# What tells values apart ----------------------------------------------------------------------------------------------


def test_two_values_that_differ_where_no_line_has_room_are_told_apart() -> None:
    one, other = (Inner((Fraction(1),) * 1000 + (Fraction(last),)) for last in (1, 2))
    assert brief(one) == brief(other)
    assert full(one) != full(other)


def test_no_room_of_the_core_tells_values_apart_by_how_they_are_shown() -> None:
    from accountant.accounting.readings import same_loss
    from accountant.loss import FiniteLoss

    @frozen(eq=False)
    class Alike(FiniteLoss):
        """A loss that equals all others of its class: only what is written tells them apart."""

        further: tuple[int, ...] = ()

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Alike)

        def __hash__(self) -> int:
            return 1

    half = ((Fraction(1, 2), Fraction(1, 2)),) * 2
    one, other = (Alike(half, (*range(500), last)) for last in (1, 2))
    assert repr(one) == repr(other)
    assert not same_loss(one, other)
    assert same_loss(one, Alike(half, (*range(500), 1)))


def test_what_is_written_in_full_is_what_attrs_writes() -> None:
    @frozen
    class Plain:
        number: Fraction
        several: tuple[int, ...]
        table: dict[str, float]
        hidden: int = attrs.field(default=1, repr=False)
        _kept: int = 2

    value = Plain(Fraction(1, 3), (1,), {"a": 0.5})
    assert full(value) == repr(value).replace(Plain.__qualname__.removesuffix("Plain"), "")
