"""Lengths of transforms are the next that have no large factor."""

from __future__ import annotations

from accountant_posterior.attacks.transforms import fast_length


def smooth(number: int) -> bool:
    for factor in (2, 3, 5):
        while number % factor == 0:
            number //= factor
    return number == 1


def test_the_next_product_of_twos_threes_and_fives_is_found() -> None:
    following = 5000
    assert smooth(following)
    for least in range(5000, 0, -1):
        following = least if smooth(least) else following
        assert fast_length(least) == following
