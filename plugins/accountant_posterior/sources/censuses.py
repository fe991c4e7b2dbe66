"""The table of decennial censuses of Bailie, Gong, Meng and Drechsler: every budget that it prints, worked out again."""

from __future__ import annotations

import math
from fractions import Fraction

from numpy.random import Generator

from accountant import Interval, account
from accountant_posterior.sources.shown import Drawn, Number, Shown

_DELTA = "1e-10"
_RATES = ("0.02", "0.05", "0.1")


def censuses(generator: Generator) -> Shown:
    """TopDown and SafeTab in zero-concentrated differential privacy, and swapping by permutations."""
    rooted = "the root of zCDP's divergence has the root of its parameter as budget; printed is its square"
    numbers = (
        Number("TopDown, both products", "rho^2 = 15.29", f"rho = 15.29 in zCDP, {15.29**0.5:.4f} in its root", rooted),
        Number(f"TopDown, epsilon at delta {_DELTA}", "52.83", _formula("15.29"), "the formula gives 52.8168"),
        Number(f"TopDown, Gaussian noise itself at delta {_DELTA}", "-", _gaussian("15.29")),
        Number("SafeTab, file A", "rho^2 = 19.776", f"rho = 19.776 in zCDP, {19.776**0.5:.4f} in its root", rooted),
        Number(f"SafeTab, file A, epsilon at delta {_DELTA}", "-", _formula("19.776")),
        *(
            Number(f"swapping at a rate of {rate}, stratum of {_largest(rate, end):,}", end, _swapped(rate, end))
            for end in ("9.37", "19.38")
            for rate in _RATES
        ),
        Number(
            "swapping at a rate of 0.6, stratum of 2",
            f"{_printed(Fraction(3, 5), 2):.4f}",
            f"{_each('0.6', 2).rounded(4)[1]}",
            "above a rate of one half more is lost than by the formula",
        ),
    )
    return Shown("table-censuses", "Budgets of decennial censuses (Bailie, Gong, Meng and Drechsler)", numbers)


def _formula(rho: str) -> str:
    """Epsilon by rho + 2 sqrt(rho ln(1/delta))."""
    return f"{float(rho) + 2 * math.sqrt(float(rho) * -math.log(float(_DELTA))):.2f}"


def _gaussian(rho: str) -> str:
    """Epsilon of Gaussian noise of that rho on one sum."""
    release = {
        "name": "a sum",
        "query": {"kind": "count"},
        "mechanism": {"kind": "gaussian", "sigma": f"{(2 * float(rho)) ** -0.5:.12f}"},
    }
    found = account({"specification": {"neighbours": "add-remove"}, "release": [release]})
    return found.epsilon(delta=_DELTA).shown(6)


def _largest(rate: str, epsilon: str) -> int:
    """The size of the largest stratum, which is not printed, with which each household loses a printed epsilon."""
    chance = Fraction(rate)
    return round(float(chance / (1 - chance)) * (math.exp(float(epsilon)) - 1) + 0.5)


def _swapped(rate: str, epsilon: str) -> str:
    return f"{_each(rate, _largest(rate, epsilon)).upper:.2f}"


def _printed(rate: Fraction, size: int) -> float:
    """The printed formula for each record."""
    odds = math.log(rate / (1 - rate))
    return max(odds if rate > Fraction(1, 2) else 0.0, math.log(size + 1) - odds)


def _each(rate: str, size: int) -> Interval:
    """The epsilon of each of two households that exchange their places, in strata of one size."""
    kept = [
        {"name": "by location", "counts_by": ["stratum", "location"]},
        {"name": "by rest", "counts_by": ["stratum", "rest"]},
    ]
    swapping = {
        "kind": "swapping",
        "version": "permute",
        "rate": rate,
        "strata": [size],
        "stratify": ["stratum"],
        "swap": ["location"],
        "rest": ["rest"],
    }
    specification = {"unit": "household", "neighbours": "replace-one", "group": 2, "invariants": kept}
    release = {"name": "swapped records", "mechanism": swapping}
    both = account({"specification": specification, "release": [release]}).measure("pure").value
    return Interval(both.lower / 2, both.upper / 2)


DRAWN: dict[str, Drawn] = {"table-censuses": censuses}
