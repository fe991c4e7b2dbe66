"""Rules for moments of sampled noise answer for each error that they carry, with nodes whose densities are far off."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from attrs import evolve

from accountant.loss.derived.sampled_path import MovedPaths
from accountant.loss.derived.sampled_rule import Densities, Panels, Rule, _log_error
from accountant.loss.readings.arrays import Floats
from accountant.numbers.rounding import ROUNDOFF

OFF = 2.0**-12
HEIGHTS = np.array([0.25, 1.0, 7.5])
LAWS = Densities(1.3, 0.4, 0.2, 0.8)
ENDS = (-9.0, 9.0)
RULE = Rule(np.array([-0.7, 0.3, 1.9]), np.array([0.5, 0.2, 0.1]), np.array([0.4, -0.2, 0.1]), 0.75, 0.0, 0.0, 0.0)


def exact(rule: Rule, height: float) -> mp.mpc:
    rows = [[mp.mpf(float(entry)) for entry in row] for row in (rule.losses, rule.even, rule.odd)]
    real = mp.mpf(rule.excess) - 2 * mp.fsum(
        mp.sin(height * loss / 2) ** 2 * even for loss, even, _ in zip(*rows, strict=True)
    )
    return mp.mpc(real, mp.fsum(mp.sin(height * loss) * odd for loss, _, odd in zip(*rows, strict=True)))


def test_sums_of_a_rule_are_off_by_no_more_than_they_say() -> None:
    found, radii = RULE.sums(HEIGHTS)
    for height, value, radius in zip(HEIGHTS.tolist(), found.tolist(), radii.tolist(), strict=True):
        assert abs(mp.mpc(value) - exact(RULE, height)) <= radius < 1e-12
    (alone,), (radius,) = RULE.sums(np.zeros(1))
    assert alone == 0.75
    assert radius < 1e-15


@pytest.mark.parametrize("what", ["excess_error", "error", "sensitivity"])
def test_sums_of_a_rule_answer_for_each_error(what: str) -> None:
    plain, moved = RULE, evolve(RULE, **{what: OFF})
    more = moved.sums(HEIGHTS)[1] - plain.sums(HEIGHTS)[1]
    known = OFF * (HEIGHTS if what == "sensitivity" else np.ones(3))
    assert np.all(more >= known * (1 - 1e-9))
    assert np.all(more <= known * (1 + 1e-9) + 1e-14)
    alone = float(moved.sums(np.zeros(1))[1][0])
    assert (alone >= OFF) == (what != "sensitivity")


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(("first", "second"), [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1)])
@pytest.mark.parametrize("tilt", [0.3, 4.0])
def test_what_a_moment_exceeds_one_by_answers_for_densities_that_are_off(
    tilt: float, first: int, second: int, mirrored: bool
) -> None:
    """Logarithms of both densities are off by 2^-20 of what they are usually off by 2^-53 of."""
    panels = Panels.of(LAWS, ENDS, 1.0, 1.0)
    far = 2.0**33
    doubts = panels.doubts[0] * far * abs(first), panels.doubts[1] * far * abs(second)
    moved = evolve(
        panels.at,
        log_a=panels.at.log_a + first * doubts[0] * ROUNDOFF,
        log_b=panels.at.log_b + second * doubts[1] * ROUNDOFF,
    )
    build = Rule._mirrored if mirrored else Rule._plain
    known = build(evolve(panels, doubts=doubts), tilt, 0.0, 0.0)
    other = build(evolve(panels, at=moved), tilt, 0.0, 0.0)
    off = abs(other.excess - known.excess)
    assert 0.0 < off <= known.excess_error
    # Turns move with the losses: by what sensitivity says for each unit of height.
    for height in (0.5, 3.0):
        (here,), (there,) = known.sums(np.array([height]))[0], other.sums(np.array([height]))[0]
        assert abs(here - there) <= known.excess_error + known.sensitivity * height


@pytest.mark.parametrize("mirrored", [False, True])
def test_what_was_lost_and_what_a_rule_leaves_out_are_part_of_its_error(mirrored: bool) -> None:
    panels = Panels.of(LAWS, ENDS, 1.0, 1.0)
    build = Rule._mirrored if mirrored else Rule._plain
    plain, more = build(panels, 1.0, 0.0, 0.0), build(panels, 1.0, OFF, 2 * OFF)
    assert more.excess_error >= plain.excess_error + OFF * (1 - 1e-9)
    assert more.error == 2 * OFF


@pytest.mark.parametrize("finer", [0.4, 0.6, 1.0])
@pytest.mark.parametrize("tilt", [0.5, 2.0])
def test_panels_are_off_by_no_more_than_the_bound_on_ellipses(finer: float, tilt: float) -> None:
    """Coarse panels against quadrature in long arithmetic."""
    panels = Panels.of(LAWS, ENDS, 1.0, finer)
    log_error, _ = _log_error(panels, tilt, 1.0, False)
    rule = Rule._plain(panels, tilt, 0.0, 0.0)

    def integrand(x: mp.mpf) -> mp.mpf:
        a, b = (
            mp.mpf(LAWS.rest) + mp.mpf(LAWS.rate) * mp.exp(sign * move * x - mp.mpf(move) ** 2 / 2)
            for sign, move in ((1, LAWS.up), (-1, LAWS.down))
        )
        return (a ** (1 + tilt) * b**-tilt - 1) * mp.npdf(x)

    with mp.workdps(20):
        truth = mp.quad(integrand, mp.linspace(*ENDS, 19))
    assert abs(mp.mpf(rule.excess) - truth) <= mp.exp(mp.mpf(log_error)) + rule.excess_error
    assert rule.excess_error < 1e-12


PATHS = MovedPaths(1.0, np.linspace(0.0, 2.0, 5), np.full(4, 0.26), np.full(4, 0.24), np.full(4, 0.5), 0.0, 0.0, 0.3)


def test_what_falls_along_a_path_is_rounded_down() -> None:
    dice = np.random.default_rng(4)
    shares: Floats = dice.random(200)
    sines: Floats = dice.random(200)
    for doubt in (0.0, 2.0**40):
        found = evolve(PATHS, doubt=doubt).drop(3.7, shares, sines)
        for share, sine, value in zip(shares.tolist(), sines.tolist(), found.tolist(), strict=True):
            assert mp.mpf(value) <= mp.mpf(3.7) * mp.mpf(share) * mp.mpf(sine) * (1 - doubt * mp.mpf(ROUNDOFF))


@pytest.mark.parametrize("height", [0.1, 1.0, 40.0])
def test_the_way_back_to_the_real_line_adds_no_less_than_its_integral(height: float) -> None:
    """The integral of e^(-height share sin(move s)) over the way, times the density at its end."""
    for doubt, shift in ((0.0, 1.0), (0.0, 0.3), (2.0**50, 1.0)):
        share = mp.mpf(0.5) * (1 - doubt * mp.mpf(ROUNDOFF))
        truth = mp.quad(lambda s, share=share: mp.exp(-height * share * mp.sin(s)), [0, shift]) * mp.mpf(0.3)
        found = evolve(PATHS, doubt=doubt).back(height, shift)
        assert found.upper >= truth
