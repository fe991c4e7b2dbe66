"""Why an interval is wide: what to say beside a value whose ends lie farther apart than was asked for."""

from __future__ import annotations

import math
from fractions import Fraction

from accountant.accounting.composed import Composed
from accountant.accounting.entry import Entry
from accountant.loss import sides
from accountant.numbers.interval import Interval
from accountant.values.writing import listed


def remark_on(composed: Composed, value: Interval, evidence: str, asked: Fraction | None) -> str | None:
    """What keeps the ends of a value apart, in words; None where they are as close as was asked for.

    `evidence` is the route that gave the upper end, and `asked` the width at which a search by numbers stops; None where
    no such search was made.
    """
    if not apart(value, composed.precision):
        return None
    claimed = [entry.release.name for entry in composed.distinct if entry.claim is not None]
    bracketed = [entry.release.name for entry in composed.distinct if entry.claim is None and _bracketed(entry)]
    causes = []
    if claimed:
        causes.append(
            f"what is claimed of {listed(claimed)} says no more: the upper end is the worst that it permits, the lower end "
            "what a mechanism loses that keeps it"
        )
    if bracketed:
        causes.append(
            f"what {listed(bracketed)} may lose is known from two sides: the upper end is that of a loss that dominates, "
            "the lower end that of one that such a release can have"
        )
    if not causes and evidence != "product pair":
        causes.append(f"the upper end is by the {evidence}, the lower end by the product pair")
    if not causes and value.upper == math.inf:
        causes.append("no route gives a finite upper end")
    return "; ".join(causes) or _shortfall(value, asked)


def known_twice(composed: Composed) -> bool:
    """Whether some release is known by a claim or from two sides only, so that numbers are not to blame for a width."""
    return any(entry.claim is not None or _bracketed(entry) for entry in composed.distinct)


def apart(value: Interval, precision: Fraction) -> bool:
    """Whether the ends of a value lie farther apart than a relative precision."""
    if value.exact is not None or value.lower == value.upper:
        return False
    return value.upper == math.inf or Fraction(value.width) > precision * Fraction(value.upper)


def close(value: Interval, limit: Fraction, precision: Fraction) -> bool:
    """Whether a limit is as near to an end of a value as the precision to which ends are found."""
    ends = (Fraction(end) for end in (value.lower, value.upper) if math.isfinite(end))
    return any(abs(end - limit) <= precision * limit for end in ends)


def _bracketed(entry: Entry) -> bool:
    return sides(entry.loss) != (entry.loss, entry.loss)


def _shortfall(value: Interval, asked: Fraction | None) -> str | None:
    width = value.width / value.upper
    if asked is None:
        bounds = "no formula gives the value itself: the ends are two bounds on it"
        return f"{bounds}, and a relative width of {width:.1e} is left"
    if not apart(value, asked):
        return None
    return f"a relative width of {float(asked):.0e} was asked for, and {width:.1e} reached before it would cost too much"
