"""Base measures that agree with what is public."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import pytest

from accountant import InvalidValue
from accountant_pufferfish import dirichlet_multinomial, with_parts, with_total


def test_all_tables_with_a_total() -> None:
    found = list(with_total(3, 4))
    assert sorted(found) == [y for y in itertools.product(range(5), repeat=3) if sum(y) == 4]


def test_all_tables_with_a_total_and_parts() -> None:
    found = list(with_parts(2, 3))
    pairs = itertools.product(itertools.product(range(4), repeat=2), repeat=2)
    assert sorted(found) == [(y, d) for y, d in pairs if sum(y) == 3 and all(map(int.__ge__, y, d))]


def test_shares_of_earlier_counts() -> None:
    law = dirichlet_multinomial(6, (1, 2, 4), "0.5")
    assert sum(law.values()) == 1
    assert [sum(p * y[cell] for y, p in law.items()) for cell in range(3)] == [Fraction(6 * k, 7) for k in (1, 2, 4)]


def test_chances_by_the_gamma_function() -> None:
    shapes = [mpmath.mpf(k) / 2 for k in (1, 2, 4)]
    for counts, chance in dirichlet_multinomial(6, (1, 2, 4), "0.5").items():
        total = mpmath.gamma(sum(shapes)) * math.factorial(6) / mpmath.gamma(6 + sum(shapes))
        cells = [mpmath.gamma(y + a) / (mpmath.gamma(a) * math.factorial(y)) for y, a in zip(counts, shapes, strict=True)]
        assert float(chance) == pytest.approx(float(total * math.prod(cells)), rel=1e-12)


def test_as_printed_it_is_no_law() -> None:
    """With the 1 added to the wrong argument, and the current total in the place of the earlier one."""
    assert sum(map(printed, with_total(3, 6))) == pytest.approx(2.4665, abs=5e-5)


def printed(counts: tuple[int, ...]) -> float:
    shapes = [mpmath.mpf(k) / 2 for k in (1, 2, 4)]
    if not all(counts):
        return 0.0
    total = mpmath.gamma(mpmath.mpf(6) / 2) * math.factorial(6) / mpmath.gamma(6 + mpmath.mpf(6) / 2)
    cells = [mpmath.gamma(y + a) / (mpmath.gamma(y) * mpmath.gamma(a + 1)) for y, a in zip(counts, shapes, strict=True)]
    return float(total * math.prod(cells))


def test_empty_cells_need_a_floor() -> None:
    with pytest.raises(InvalidValue, match="cell 1 has an earlier count of 0"):
        dirichlet_multinomial(3, (2, 0), 1)
    law = dirichlet_multinomial(3, (2, 0), 1, floor="1/2")
    assert sum(law.values()) == 1
    assert law[0, 3] > 0


def test_no_cells_and_negative_totals_are_refused() -> None:
    for cells, total in ((0, 3), (2, -1)):
        with pytest.raises(InvalidValue, match="at least one cell"):
            list(with_total(cells, total))
