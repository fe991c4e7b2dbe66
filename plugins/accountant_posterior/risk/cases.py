"""What the laws try of risk profiles whose fields do not say what may be drawn."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from accountant.plugin import ConformanceCase, RiskProfileOracle
from accountant_posterior.risk.profiles import Tabulated


def cases() -> Iterable[ConformanceCase]:
    """Tables of a few priors."""
    yield RiskProfileOracle(Tabulated.kind, _tables)


def _tables() -> Any:
    from hypothesis import strategies as st

    shares = st.sampled_from([Fraction(*share) for share in ((1, 1000), (1, 20), (1, 4), (1, 2), (1, 1))])
    ratios = st.sampled_from([Fraction(*ratio) for ratio in ((11, 10), (3, 2), (4, 1), (100, 1))])
    rows = st.lists(st.tuples(shares, shares, ratios), min_size=1, max_size=4, unique_by=lambda row: row[:2])
    return rows.map(Tabulated)
