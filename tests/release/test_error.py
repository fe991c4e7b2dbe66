"""How far noise takes published numbers from exact ones: enumerated and integrated, outward."""

from __future__ import annotations

from fractions import Fraction

import mpmath
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
        ("gaussian", {"covariance": [["4", "1"], ["1", "4"]]}),
        ("randomised-response", {"epsilon": "1"}),
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
