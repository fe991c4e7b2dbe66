"""The published bound on what swapping costs, where it holds."""

from __future__ import annotations

from accountant import Interval, InvalidValue
from accountant.numbers import log_of
from accountant_invariants.stratum import Stratum


def published_epsilon(stratum: Stratum) -> Interval:
    """ln(b + 1) - ln o for a rate of at most one half, max(ln o, ln(b + 1) - ln o) above; b the size, o the odds.

    Guarantee: at least the epsilon of the stratum. Where the formula falls below that, which happens when permuting at
    rates above one half, it is refused.
    """
    if not 0 < stratum.rate < 1:
        raise InvalidValue("the published formula is about rates between 0 and 1")
    if stratum.size < 2:
        raise InvalidValue("a stratum of one record has nothing to compare, so no formula promises anything")
    odds = stratum.odds
    bound = (stratum.size + 1) / odds if odds <= 1 else max(odds, (stratum.size + 1) / odds)
    if any(max(jump.high, 1 / jump.low) > bound**jump.distance for jump in stratum.jumps()):
        raise InvalidValue(
            f"the published formula gives {log_of(bound)} and swapping costs {stratum.epsilon} in a stratum of "
            f"{stratum.size:,}: it does not hold for rates above one half when records are permuted"
        )
    return log_of(bound)
