"""What an attack on a hierarchy finds on average over all noise: any number of levels, with the target or without.

Every outcome of the noise above and beside the target's area is enumerated, level by level from the top, and each gets its
message as `cells` has it. Given that, the log-odds are linear in the noise of the area's own count, over which only the
posterior is summed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from accountant import InvalidValue
from accountant.loss import Floats
from accountant.numbers.rounding import Ball
from accountant_posterior.attacks.cells.chain import LevelSeen, above_logs, message_of
from accountant_posterior.attacks.cells.noise import ROUND
from accountant_posterior.attacks.cells.sums import Around
from accountant_posterior.attacks.cells.weights import Logs, Missed, Places, believed
from accountant_posterior.attacks.cells.whole import WholeCell
from accountant_posterior.attacks.counts import Outlook
from accountant_posterior.attacks.evidence import expit
from accountant_posterior.attacks.forecast import between, felt, first_above
from accountant_posterior.attacks.whole_noise import NoiseMasses

if TYPE_CHECKING:
    from accountant_posterior.attacks.hierarchy import Hierarchy, Level

_REACH = 18
"""Noise whose chance is below e^-18 of the largest one is left out and charged."""
_DEEPEST = 300
_MOST = 2**22
_AT_ONCE = 2**20


@frozen(eq=False)
class _Outcomes:
    """All outcomes of the noise above some level: their chances, the steps of their messages, and what was left out."""

    chances: Floats
    steps: tuple[LevelSeen, ...]
    left_out: float
    spread: float


def forecast_all(attack: Hierarchy, above: Sequence[int], *, present: bool) -> Outlook:
    """The mean posterior and the chance of a right guess, if the areas above hold so many in truth."""
    true = (attack.known + int(present), *above)
    found = _above(attack, true)
    sums, chances, faint, spread = felt(attack.noises[0], _REACH)
    parent, beside = _both(len(found.chances), sums + (true[1] - true[0]))
    around = _around(attack, 0, parent, beside)
    message = message_of(found.steps, attack.above)
    low = np.full(len(parent), attack.known, dtype=np.int64)
    logs = above_logs(message, around, (_cell(attack.levels[0]),), low, 2, attack.above)
    beliefs = believed(attack.prior, Logs.none(logs.values.shape), logs, Missed())
    weights = found.chances[parent] * np.tile(chances, len(found.chances))

    own = NoiseMasses.discrete_gaussian(attack.levels[0].scale, _REACH)
    gap = 1.0 / float(attack.levels[0].scale)
    # The evidence of the own count is gap (noise + 1/2) where the target is there, gap (noise - 1/2) where not.
    noise, moved = np.arange(-own.last, own.last + 1, dtype=np.float64), gap * (0.5 if present else -0.5)
    tails = np.concatenate([np.cumsum(own.masses[::-1])[::-1], [0.0]])
    size = max(1, _AT_ONCE // len(noise))
    ends, presence = [], []
    for odds, side in ((beliefs.lower, -1.0), (beliefs.upper, 1.0)):
        slack = 16.0 * ROUND * (np.abs(np.where(np.isfinite(odds), odds, 0.0)) + gap * (own.last + 1.0) + 1.0)
        base = odds + moved + side * slack
        parts = [slice(start, start + size) for start in range(0, len(base), size)]
        means = [weights[part] @ (expit(base[part, np.newaxis] + gap * noise) @ own.masses) for part in parts]
        ends.append(math.fsum(means))
        presence.append(math.fsum(weights[part] @ tails[first_above(base[part], gap, own.last)] for part in parts))
    # Sums over all kinds of noise one after another, of products of a few functions.
    rounded = Ball.rounded(1.0, 64.0 * (size + len(noise) + len(true)))
    relative = rounded.widened(own.spread + spread + found.spread).radius
    missing = own.missing + faint + found.left_out
    right = between(presence[0], presence[1], relative, missing)
    if not present:
        right = (1.0 - Ball.of(right)).interval(0.0, 1.0)
    return Outlook(attack.prior, between(ends[0], ends[1], relative, missing), right, present=present)


def _above(attack: Hierarchy, true: Sequence[int]) -> _Outcomes:
    """All outcomes above the target's level, from the top down."""
    found = _Outcomes(np.ones(1), (), 0.0, 0.0)
    for level in range(len(attack.levels) - 1, 0, -1):
        own = NoiseMasses.discrete_gaussian(attack.levels[level].scale, _REACH)
        released = true[level] + np.arange(-own.last, own.last + 1, dtype=np.float64)
        around, chances, left_out, spread = None, found.chances, found.left_out, found.spread
        if found.steps:
            sums, likely, faint, more = felt(attack.noises[level], _REACH)
            _limited(len(chances) * len(sums) * len(released))
            parent, beside = _both(len(chances), sums + (true[level + 1] - true[level]))
            chances, left_out, spread = chances[parent] * np.tile(likely, len(chances)), left_out + faint, spread + more
            # Each of these with every noise of the own count.
            around = _around(attack, level, np.repeat(parent, len(released)), np.repeat(beside, len(released)))
        number = len(chances)
        step = LevelSeen((_cell(attack.levels[level]),), np.tile(released, number)[np.newaxis], around)
        every = np.repeat(chances, len(released)) * np.tile(own.masses, number)
        found = _Outcomes(every, (step, *found.steps), left_out + own.missing, spread + own.spread)
    _limited(len(found.chances) * len(felt(attack.noises[0], _REACH)[0]))
    return found


def _limited(number: int) -> None:
    if number > _MOST:
        raise InvalidValue(
            f"noise around and above the area has {number:,} outcomes that matter, and at most {_MOST:,} are followed; ask "
            "for beliefs, or estimate the mean with 'accountant attack --draws'"
        )


def _both(number: int, values: Floats) -> tuple[Places, Floats]:
    """Each of so many outcomes with each of these values."""
    return np.repeat(np.arange(number, dtype=np.int64), len(values)), np.tile(values, number)


def _around(attack: Hierarchy, level: int, parent: Places, beside: Floats) -> Around:
    expected = attack.known + attack.prior
    for below in attack.levels[:level]:
        expected *= 1 + below.siblings
    siblings = np.full(len(parent), attack.levels[level].siblings, dtype=np.int64)
    return Around(parent, siblings, beside[np.newaxis], np.full(len(parent), float(expected)))


def _cell(level: Level) -> WholeCell:
    """The noise of a level as it is weighed; its sum over the siblings as the attack takes it."""
    from accountant_posterior.attacks.noise_sums import NoiseSum

    sums = {}
    if NoiseSum(level.scale, level.siblings).approximated:
        sums[level.siblings] = _gaussian(level.scale * level.siblings)
    return _gaussian(level.scale, sums)


def _gaussian(scale: Fraction, sums: dict[int, WholeCell] | None = None) -> WholeCell:
    noise = NoiseMasses.discrete_gaussian(scale, _DEEPEST)
    return WholeCell.weighing(noise.masses[noise.last :], noise.spread, noise.missing, sums or {})
