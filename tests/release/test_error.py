"""How far noise takes published numbers from exact ones: enumerated and integrated, outward."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import accountant
from accountant.plugin import MECHANISMS, Mechanism, Shift
from accountant.release.error import distance

KINDS = accountant.default_registry()[MECHANISMS]
SHARES = [Fraction(1, 2), Fraction(19, 20), Fraction(999, 1000)]


def weights(kind: str, parameter: Fraction) -> list[mpmath.mpf]:
    """What each whole number from 0 on is proportional to, straight from the definition."""
    size = mpmath.mpf(parameter.numerator) / parameter.denominator
    if kind == "geometric":
        return [mpmath.exp(-k / size) for k in range(800)]
    if kind == "discrete-gaussian":
        return [mpmath.exp(-mpmath.mpf(k * k) / (2 * size)) for k in range(800)]
    return [mpmath.besseli(k, size) for k in range(200)]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(
    ("kind", "name", "parameter"),
    [
        ("geometric", "scale", Fraction(1, 3)),
        ("geometric", "scale", Fraction(7, 2)),
        ("discrete-gaussian", "variance", Fraction(1, 9)),
        ("discrete-gaussian", "variance", Fraction(64)),
        ("skellam", "variance", Fraction(9)),
    ],
)
def test_whole_noise_is_counted(kind: str, name: str, parameter: Fraction, share: Fraction) -> None:
    """The least k with at least the share at most k away, by adding up."""
    known = weights(kind, parameter)
    whole = known[0] + 2 * sum(known[1:])
    wanted, reached, truth = mpmath.mpf(share.numerator) / share.denominator, known[0] / whole, 0
    while reached < wanted:
        truth += 1
        reached += 2 * known[truth] / whole
    found = KINDS[kind](**{name: parameter}).error(share)
    assert found is not None
    assert found.lower == found.upper == truth


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("kind", "name"), [("laplace", "scale"), ("gaussian", "sigma")])
def test_noise_on_a_line_is_integrated(kind: str, name: str, share: Fraction) -> None:
    found = KINDS[kind](**{name: "8"}).error(share)
    assert found is not None
    wanted = mpmath.mpf(share.numerator) / share.denominator

    def within(place: float) -> mpmath.mpf:
        density = (
            (lambda x: mpmath.exp(-abs(x) / 8) / 16)
            if kind == "laplace"
            else (lambda x: mpmath.exp(-x * x / 128) / (8 * mpmath.sqrt(2 * mpmath.pi)))
        )
        return 2 * mpmath.quad(density, mpmath.linspace(0, mpmath.mpf(place), 12))

    assert within(found.upper) >= wanted
    assert within(found.lower * (1 - 1e-9)) < wanted
    assert found.upper - found.lower <= 1e-9 * found.upper


def test_an_upper_end_that_is_a_little_too_small_would_be_noticed() -> None:
    """With a scale of 8 the distance is 8 log 20: one part in a million less is not kept often enough."""
    found = KINDS["laplace"](scale="8").error(Fraction(19, 20))
    assert found is not None
    truth = 8 * mpmath.log(20)
    assert found.lower <= truth <= found.upper
    assert found.upper * (1 - 1e-6) < truth


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("k-randomised-response", {"epsilon": "1", "categories": 4}),
        ("exponential", {"epsilon": "1"}),
    ],
)
def test_what_mechanisms_do_not_say_is_not_known(kind: str, parameters: dict[str, object]) -> None:
    assert KINDS[kind](**parameters).error(Fraction(19, 20)) is None


def test_a_mechanism_of_anybody_may_say_it_in_its_own_way() -> None:
    class Rounded(Mechanism):
        kind = "rounded"
        theorem = KINDS["laplace"].theorem

        def loss(self, shift: Shift) -> accountant.PrivacyLoss:
            raise NotImplementedError

        def error(self, share: Fraction) -> accountant.Interval:
            return accountant.Interval.of("1/2")

    assert Rounded().error(Fraction(19, 20)) == accountant.Interval.of("1/2")


def test_a_share_of_all_or_nothing_is_no_question() -> None:
    noise = KINDS["laplace"](scale="8").added_noise()
    assert noise is not None
    for share in (Fraction(0), Fraction(1)):
        with pytest.raises(ValueError, match="between 0 and 1"):
            distance(noise, share)


def test_noise_too_wide_to_count_is_not_counted() -> None:
    assert KINDS["geometric"](scale="1e9").error(Fraction(19, 20)) is None


STAIRS = [("1", "1/3", "1"), ("1/10", "0", "2"), ("3", "1", "1/2"), ("2", "1/10", "5")]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("epsilon", "gamma", "sensitivity"), STAIRS)
def test_staircase_noise_is_added_up_stair_by_stair(epsilon: str, gamma: str, sensitivity: str, share: Fraction) -> None:
    """Piece by piece from the density of the definition, which falls by e^-epsilon at every stair."""
    found = KINDS["staircase"](epsilon=epsilon, gamma=gamma, sensitivity=sensitivity).error(share)
    assert found is not None
    step, first, unit = (Fraction(text) for text in (epsilon, gamma, sensitivity))
    with mpmath.workdps(40):
        edges = [Fraction(0), *(unit * (first + number) for number in range(2_000))]
        falls = [mpmath.exp(-mpmath.mpf(step.numerator) / step.denominator * number) for number in range(2_000)]
        pieces = [(high - low, fall) for low, high, fall in zip(edges, edges[1:], falls, strict=False)]
        whole = 2 * sum(mpmath.mpf(width.numerator) / width.denominator * fall for width, fall in pieces)

        def within(place: Fraction) -> mpmath.mpf:
            reached = mpmath.mpf(0)
            for low, (width, fall) in zip(edges, pieces, strict=False):
                inside = max(Fraction(0), min(width, place - low))
                reached += mpmath.mpf(inside.numerator) / inside.denominator * fall
            return 2 * reached / whole

        wanted = mpmath.mpf(share.numerator) / share.denominator
        assert within(Fraction(found.upper)) >= wanted * (1 - mpmath.mpf(10) ** -30)
        assert within(Fraction(found.lower) * (1 - Fraction(1, 10**9))) < wanted
        assert found.upper - found.lower <= 1e-9 * found.upper


@pytest.mark.parametrize("share", SHARES)
def test_correlated_noise_is_as_wide_as_its_widest_coordinate(share: Fraction) -> None:
    rows = [["2", "1", "0"], ["1", "5", "1"], ["0", "1", "3"]]
    found = KINDS["gaussian"](covariance=rows).error(share)
    assert found is not None
    with mpmath.workdps(40):
        truth = mpmath.sqrt(2 * 5) * mpmath.erfinv(mpmath.mpf(share.numerator) / share.denominator)
        assert found.lower <= truth <= found.upper
    assert found.upper - found.lower <= 1e-9 * found.upper
    tiny = KINDS["gaussian"](covariance=[["2e-300"]]).error(share)
    assert tiny is not None
    assert 0 < tiny.lower <= tiny.upper < 1e-148


@pytest.mark.parametrize(
    "stream", [{"kind": "tree", "leaves": 8}, {"kind": "matrix", "strategy": [["1", "0"], ["1", "1"]]}]
)
def test_every_published_number_of_a_stream_has_the_noise_of_its_sigma(stream: dict[str, Any]) -> None:
    made = KINDS[stream["kind"]](sigma="3", **{name: value for name, value in stream.items() if name != "kind"})
    assert made.error(Fraction(19, 20)) == KINDS["gaussian"](sigma="3").error(Fraction(19, 20))


def test_a_flipped_answer_is_off_by_one_and_by_nothing_where_it_is_kept_often_enough() -> None:
    response = KINDS["randomised-response"]
    # At log 19 an answer is kept in nineteen of twenty cases.
    found = [response(epsilon=epsilon).error(Fraction(19, 20)) for epsilon in ("2.944", "2.945")]
    assert [(item.lower, item.upper) for item in found if item is not None] == [(1.0, 1.0), (0.0, 0.0)]


NOISY = [
    ("laplace", {"scale": "2"}),
    ("gaussian", {"sigma": "2"}),
    ("gaussian", {"covariance": [["2", "1"], ["1", "5"]]}),
    ("discrete-gaussian", {"variance": "3"}),
    ("randomised-response", {"epsilon": "1"}),
    ("randomised-response", {"epsilon": "4"}),
]


def kept(mechanism: Any, place: float, runs: int = 40_000) -> float:
    """How often the numbers that a mechanism publishes are so near to the exact ones, in the coordinate that is worst."""
    answers = np.zeros((runs, 2))
    off = np.abs(mechanism.simulate(answers, np.random.default_rng(1)) - answers)
    return float(np.min(np.mean(off <= place, axis=0)))


def agrees(mechanism: Any, found: accountant.Interval, share: Fraction) -> bool:
    """Whether draws keep the upper end often enough, and what lies below the lower end not, up to five deviations."""
    spread = 5 * math.sqrt(float(share * (1 - share)) / 40_000)
    below = kept(mechanism, found.lower * (1 - 1e-6) - 1e-9)
    return kept(mechanism, found.upper * (1 + 1e-9)) >= float(share) - spread and below < float(share) + spread


@pytest.mark.parametrize(("kind", "parameters"), NOISY)
def test_what_is_said_of_the_error_is_what_is_drawn(kind: str, parameters: dict[str, Any]) -> None:
    mechanism = KINDS[kind](**parameters)
    for share in (Fraction(1, 2), Fraction(19, 20)):
        found = mechanism.error(share)
        assert found is not None
        assert agrees(mechanism, found, share)


def test_an_error_that_is_said_to_be_smaller_or_larger_than_what_is_drawn_is_noticed() -> None:
    mechanism, share = KINDS["laplace"](scale="2"), Fraction(19, 20)
    found = mechanism.error(share)
    assert found is not None
    for factor in (Fraction(9, 10), Fraction(11, 10)):
        planted = accountant.Interval(found.lower * factor, found.upper * factor)
        assert not agrees(mechanism, planted, share)
