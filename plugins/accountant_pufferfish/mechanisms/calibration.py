"""What noise is calibrated to in a setting, and what is lost with it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from accountant import Interval, InvalidValue
from accountant.numbers import float_above, larger
from accountant_pufferfish.promises.exact import NothingLive
from accountant_pufferfish.setting.metric import Metric
from accountant_pufferfish.setting.setting import Setting


def finite_radius(setting: Setting, metric: Metric) -> Fraction:
    """How far apart the data can be kept under the two secrets of any pair, which must be finite."""
    found = setting.radius(metric)
    if found is None:
        raise InvalidValue(f"the data can be infinitely far apart in {metric} when a secret changes: no noise hides that")
    return found


def worst_leak(leaks: Iterable[Interval], setting: Setting, epsilon: Fraction) -> Interval | NothingLive:
    """The largest of what the live pairs of a setting lose, where none can lose more than epsilon.

    Where only some laws are known it lies between the largest of theirs and epsilon.
    """
    found = list(leaks)
    if not setting.scenarios.complete:
        return Interval(max((leak.lower for leak in found), default=0.0), float_above(epsilon))
    return larger(found) if found else NothingLive()
