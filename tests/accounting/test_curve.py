"""Curves: both ends at every place, and between places no more than follows from how the value moves."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from types import ModuleType
from typing import Any, ClassVar

import pyarrow
import pytest
from attrs import evolve, field, frozen
from hypothesis import given, settings, strategies as st

import accountant as ac
from accountant.accounting.curve import Curve
from accountant.fields import about, exact
from accountant.finite import Pair
from accountant.loss import FiniteLoss, GaussianLoss, PrivacyLoss, ResponseLoss
from accountant.plugin import DIVERGENCES, Divergence, Properties, Reading, Theorem, Word, hookimpl
from accountant.testing.strategies import finite_losses

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

TRAINING: dict[str, Any] = {
    "title": "Training",
    "specification": {"neighbours": "add-remove"},
    "release": [
        {
            "name": "steps",
            "query": {"kind": "vector", "shift": ["1"]},
            "mechanism": {"kind": "gaussian", "sigma": "1.1"},
            "sampling": {"kind": "poisson", "rate": "0.01"},
            "times": 100,
        }
    ],
}
RESPONSE: dict[str, Any] = {
    "title": "A question",
    "specification": {"neighbours": "replace-one"},
    "release": [
        {
            "name": "answer",
            "query": {"kind": "count", "attributes": ["smoking"]},
            "mechanism": {"kind": "laplace", "scale": "2"},
        }
    ],
}
DELTAS = ["1e-9", "1e-6", "1e-3"]


@pytest.fixture(scope="module")
def training() -> ac.Account:
    return ac.account(ac.read_plan(TRAINING))


@pytest.fixture(scope="module")
def response() -> ac.Account:
    return ac.account(ac.read_plan(RESPONSE))


def test_a_curve_says_at_each_place_what_measure_says(training: ac.Account) -> None:
    curve = training.curve("approx", places=reversed(DELTAS))
    assert isinstance(curve, ac.Curve)
    assert curve.places == tuple(map(Fraction, DELTAS))
    assert curve.values == tuple(training.measure("approx", delta=delta).value for delta in DELTAS)


def test_every_definition_with_one_word_has_a_curve_where_it_is_worth_reading(response: ac.Account) -> None:
    read = {}
    for name, definition in ac.default_registry()[DIVERGENCES].items():
        for reading in definition.readings:
            if len(reading.at) == 1:
                curve = response.curve(name, reading.at[0])
                read[name, curve.word] = curve
                assert len(curve.places) > 50
                assert (curve.places[0], curve.places[-1]) == definition.word(curve.word).span
                assert list(curve.places) == sorted(set(curve.places))
    assert {("approx", "delta"), ("approx", "epsilon"), ("renyi", "order"), ("fdp", "level")} <= set(read)


def test_a_definition_of_one_number_has_no_curve(response: ac.Account) -> None:
    with pytest.raises(ac.ReadingError, match="'pure' has no curve"):
        response.curve("pure")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"over": "order"}, "curves over 'delta' or 'epsilon', not over 'order'"),
        ({"places": []}, "at least one place"),
        ({"places": "1e-6"}, "expected a list of places"),
        ({"places": 3}, "expected a list of places"),
        ({"places": ["2"]}, "strictly between 0 and 1"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(response: ac.Account, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ac.AccountantError, match=message):
        response.curve("approx", **arguments)


def test_columns_go_into_any_data_frame(training: ac.Account) -> None:
    columns = training.curve("approx", places=DELTAS).columns()
    assert list(columns) == ["delta", "epsilon_lower", "epsilon_upper"]
    assert columns["delta"] == [1e-9, 1e-6, 1e-3]
    assert all(low <= high for low, high in zip(columns["epsilon_lower"], columns["epsilon_upper"], strict=True))
    table = pyarrow.table(columns)
    assert table.num_rows == 3
    assert [str(kind) for kind in table.schema.types] == ["double"] * 3


# Between places -------------------------------------------------------------------------------------------------------


def exact_curve(loss: FiniteLoss, word: str, places: Iterable[Fraction]) -> list[Fraction]:
    """Delta at ratios, or the power at levels, of a finite pair, enumerated."""
    pair = Pair(loss.atoms)
    if word == "level":
        return [1 - min(pair.tradeoff(place), pair.reverse().tradeoff(place)) for place in places]
    return [max(pair.delta(place), pair.reverse().delta(place)) for place in places]


@settings(max_examples=25, deadline=None)
@given(finite_losses(), st.lists(st.fractions("1/50", "49/50"), min_size=2, max_size=5, unique=True))
def test_what_is_said_to_fall_or_grow_does_so_for_every_loss(loss: FiniteLoss, shares: list[Fraction]) -> None:
    for definition in ac.default_registry()[DIVERGENCES].values():
        for reading in definition.readings:
            if reading.trend is not None:
                assert follows(definition, reading, loss, sorted(shares))


def follows(definition: Divergence, reading: Reading, loss: PrivacyLoss, shares: list[Fraction]) -> bool:
    """Whether the values of a loss can move as a reading says, at places that are shares of the word's range."""
    (word,) = reading.at
    start, end = definition.word(word).span or (Fraction(0), Fraction(1))
    values = [definition.measure(loss, {word: start + share * (end - start)}) for share in shares]
    ordered = values if reading.trend == "falls" else values[::-1]
    return all(later.lower <= earlier.upper for earlier, later in pairwise(ordered))


def test_a_trend_that_is_turned_round_is_noticed() -> None:
    loss, shares = GaussianLoss(1), [Fraction(1, 50), Fraction(1, 2)]
    for name in ("approx", "fdp", "renyi", "pbdp"):
        definition = ac.default_registry()[DIVERGENCES][name]
        reading = definition.primary
        turned = evolve(reading, trend="grows" if reading.trend == "falls" else "falls")
        assert follows(definition, reading, loss, shares)
        assert not follows(definition, turned, loss, shares)


@settings(max_examples=40, deadline=None)
@given(finite_losses(), st.lists(st.fractions("1/20", "19/20"), min_size=2, max_size=4, unique=True), st.fractions(0, 1))
def test_the_truth_between_places_lies_in_the_spans(loss: FiniteLoss, levels: list[Fraction], share: Fraction) -> None:
    definition = ac.default_registry()[DIVERGENCES]["fdp"]
    places = tuple(sorted(levels))
    values = tuple(definition.measure(loss, {"level": place}) for place in places)
    curve = Curve("any", _promise(), "fdp", "level", "power", places, values, "grows")
    assert len(curve.spans) == len(places) - 1
    for left, right, known in curve.spans:
        (truth,) = exact_curve(loss, "level", [left + share * (right - left)])
        assert known.contains(truth)


def test_a_straight_line_between_places_would_promise_too_much() -> None:
    # Power is concave: what lies on a chord is below it, and so below the truth.
    half = Fraction(1, 2)
    loss = FiniteLoss([(Fraction(9, 10), Fraction(1, 10)), (Fraction(1, 10), Fraction(9, 10))])
    low, middle, high = exact_curve(loss, "level", [Fraction(0), Fraction(1, 10), half])
    assert low + (high - low) / 5 < middle
    definition = ac.default_registry()[DIVERGENCES]["fdp"]
    places = (Fraction(1, 1000), half)
    values = tuple(definition.measure(loss, {"level": place}) for place in places)
    curve = Curve("any", _promise(), "fdp", "level", "power", places, values, "grows")
    assert curve.spans[0][2].contains(middle)


def _promise() -> ac.Specification:
    return ac.read_plan(RESPONSE).specification


def test_without_a_trend_nothing_is_known_between_places() -> None:
    values = (ac.Interval(1, 2), ac.Interval(0, 3))
    assert Curve("any", _promise(), "own", "share", "size", (Fraction(0), Fraction(1)), values).spans == ()


def test_values_that_move_against_their_trend_are_refused() -> None:
    places, values = (Fraction(1), Fraction(2)), (ac.Interval(1, 2), ac.Interval(3, 4))
    with pytest.raises(ac.PluginError, match="says that size falls with share, and reads the opposite between 1 and 2"):
        Curve("any", _promise(), "own", "share", "size", places, values, "falls")
    assert Curve("any", _promise(), "own", "share", "size", places, values, "grows").spans[0][2] == ac.Interval(1, 4)


# Definitions of third parties -----------------------------------------------------------------------------------------


GAIN = Theorem("own-gain", "A guess gains at most so much.", "nobody", "nowhere")


@frozen
class GainParameter:
    prior: Fraction = field(converter=exact, metadata=about("belief beforehand"))
    gain: Fraction = field(converter=exact, metadata=about("the largest gain"))


@frozen
class Gain(Divergence):
    """A definition that is read at one word."""

    name: ClassVar[str] = "gain"
    title: ClassVar[str] = "gain of a guess"
    meaning: ClassVar[str] = "nobody gains more {one} than {other}"
    parameter: ClassVar[type[Any]] = GainParameter
    readings: ClassVar[tuple[Reading, ...]] = (Reading(("prior",), "gain", "grows"),)
    words: ClassVar[Mapping[str, Word]] = {"prior": Word("belief beforehand", ("1/3",), ("1/10", "9/10"))}
    properties: ClassVar[Properties] = Properties(post_processing=True, convexity=True, round_trip=False)
    measure_theorem: ClassVar[Theorem] = GAIN
    worst_case_theorem: ClassVar[Theorem] = GAIN

    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> ac.Interval:
        return ac.Interval.of(at["prior"])

    def worst_case(self, parameter: Any) -> PrivacyLoss:
        return ResponseLoss(parameter.gain)


def account_with(definition: Divergence) -> ac.Account:
    module = ModuleType("gaining")

    @hookimpl
    def accountant_divergences() -> Iterable[Divergence]:
        return (definition,)

    module.accountant_divergences = accountant_divergences  # type: ignore[attr-defined]
    return ac.account(ac.read_plan(RESPONSE), registry=ac.default_registry().adding(module))


def test_a_third_party_says_over_which_range_its_curve_is_worth_reading() -> None:
    curve = account_with(Gain()).curve("gain")
    assert (curve.word, curve.name, curve.places[0], curve.places[-1]) == (
        "prior",
        "gain",
        Fraction(1, 10),
        Fraction(9, 10),
    )
    assert "<svg" in curve._repr_html_()


def test_where_no_range_is_said_places_are_asked_for() -> None:
    @frozen
    class Plain(Gain):
        name: ClassVar[str] = "plain"
        readings: ClassVar[tuple[Reading, ...]] = (Reading(("prior",), "gain"),)
        words: ClassVar[Mapping[str, Word]] = {}

    account = account_with(Plain())
    with pytest.raises(ac.ReadingError, match=r"does not say over which range of prior .*; give places=\[\.\.\.\]"):
        account.curve("plain")
    curve = account.curve("plain", places=["0.2", "0.4"])
    assert curve.spans == ()
    assert "<svg" not in curve._repr_html_()
    (container,) = curve.plot().containers
    assert [float(x) for x in container.lines[0].get_xdata()] == [0.2, 0.4]


@pytest.mark.parametrize(
    ("span", "logarithmic"), [(("1", "0"), False), (("0", "1"), True), (("1",), False), (("1", "2", "3"), False)]
)
def test_a_range_that_makes_no_sense_is_refused(span: Any, logarithmic: bool) -> None:
    with pytest.raises(ac.InvalidValue, match="span"):
        Word("anything", ("1",), span, logarithmic=logarithmic)


# Pictures -------------------------------------------------------------------------------------------------------------


def test_axes_go_in_and_come_out_and_curves_lie_over_each_other(training: ac.Account, response: ac.Account) -> None:
    ax = training.curve("approx", places=DELTAS).plot()
    assert response.curve("approx", places=DELTAS).plot(ax) is ax
    assert [line.get_label() for line in ax.lines] == ["Training (add-remove, person)", "A question (replace-one, person)"]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == ("delta", "epsilon (approx)", "log")
    assert len(ax.get_legend().get_texts()) == 2
    assert training.curve("approx", places=DELTAS).plot(label="$x^$").legend_.get_texts()[0].get_text() == r"\$x^\$"
    assert training.curve("approx", places=DELTAS).plot(ax, label="mine").lines[-1].get_label() == "mine"


def test_a_curve_of_something_else_says_so_on_the_same_axes(training: ac.Account) -> None:
    ax = training.curve("approx", places=DELTAS).plot()
    training.curve("pbdp", places=DELTAS).plot(ax)
    assert ax.lines[1].get_label() == "epsilon (pbdp) over delta: Training (add-remove, person)"


def test_the_band_that_is_drawn_holds_what_is_true_between_places(training: ac.Account) -> None:
    curve = training.curve("approx", places=DELTAS)
    ax = curve.plot()
    (line,), (band,) = ax.lines, ax.collections
    corners = {tuple(map(float, corner)) for path in band.get_paths() for corner in path.vertices}
    for left, right, known in curve.spans:
        truth = training.measure("approx", delta=(left + right) / 2).value
        assert known.lower <= truth.lower <= truth.upper <= known.upper
        for place in (left, right):
            assert {(float(place), known.lower), (float(place), known.upper)} <= corners
    # The edge stays up until the next place, where a line through what was read would come down.
    assert list(line.get_ydata()) == [end for _, _, known in curve.spans for end in (known.upper, known.upper)]


def test_small_values_are_looked_at_on_a_logarithmic_axis() -> None:
    noisy = {"name": "count", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "1"}}
    ax = ac.account(ac.read_plan({**TRAINING, "release": [noisy]})).curve("approx", "epsilon", places=[0, 1, 20]).plot()
    assert ax.get_yscale() == "log"
    assert ax.get_ylim()[0] > 1e-25


def test_what_is_not_known_from_above_is_hatched() -> None:
    values = (ac.Interval(1, float("inf")), ac.Interval(1, 2), ac.Interval(0, 1))
    curve = Curve("any", _promise(), "own", "share", "size", tuple(map(Fraction, (1, 2, 3))), values, "falls")
    ax = curve.plot()
    (patch,) = ax.patches
    assert patch.get_hatch()
    assert (patch.get_x(), patch.get_width()) == (1.0, 1.0)


def test_a_curve_that_promises_nothing_says_so() -> None:
    specification = {
        "neighbours": "replace-one",
        "invariants": [{"name": "smoking", "counts_by": ["smoking"]}],
        "domain": {"name": "all datasets", "attributes": ["smoking"]},
    }
    curve = ac.account(ac.read_plan({**RESPONSE, "specification": specification})).curve("approx", places=["1e-6"])
    assert curve.vacuous
    assert "vacuous" in repr(curve)
    assert "VACUOUS" in curve.plot().get_legend().get_texts()[0].get_text()


def test_without_matplotlib_there_is_one_clear_error_and_columns(
    training: ac.Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    curve = training.curve("approx", places=DELTAS)
    with pytest.raises(ac.AccountantError, match=r"pip install 'privacy-accountant\[reports\]'"):
        curve.plot()
    assert curve.columns()["delta"]


@pytest.mark.slow
def test_matplotlib_is_loaded_when_something_is_plotted_and_not_before() -> None:
    program = (
        "import sys, accountant as ac; "
        "a = ac.account(ac.load_plan('examples/survey.toml')); "
        "a.curve('approx', places=['1e-6', '1e-5'])._repr_html_(); print('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
