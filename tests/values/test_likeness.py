"""Names that may be one name misspelt are found, with work that does not grow with the pairs."""

from __future__ import annotations

import itertools
import string
import sys
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from accountant.values.likeness import _numbered, _parts, lookalikes

WORDS = st.text(string.ascii_lowercase, min_size=4, max_size=12)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("diabetes", "diabtes"),
        ("age", "agee"),
        ("region", "regoin"),
        ("Sex", "sex"),
        ("zip code", "zip_code"),
        ("sex", "sexx"),
    ],
)
def test_a_slip_of_the_pen_is_seen_both_ways(first: str, second: str) -> None:
    assert lookalikes([first, second, "unrelated"]) == {first: (second,), second: (first,)}


@pytest.mark.parametrize(
    "names", [("a", "b"), ("sex", "age"), ("income1", "income2"), ("region", "religion"), ("q1", "q11"), ("age", "age")]
)
def test_different_names_are_not_taken_for_one(names: tuple[str, str]) -> None:
    assert lookalikes(names) == {}


@given(
    WORDS, st.integers(0, 11), st.sampled_from(string.ascii_lowercase), st.sampled_from(["drop", "add", "change", "swap"])
)
def test_one_slip_anywhere_is_seen(word: str, place: int, letter: str, slip: str) -> None:
    place %= len(word)
    slipped = {
        "drop": word[:place] + word[place + 1 :],
        "add": word[:place] + letter + word[place:],
        "change": word[:place] + letter + word[place + 1 :],
        "swap": word[:place] + word[place : place + 2][::-1] + word[place + 2 :],
    }[slip]
    if slipped != word:
        assert lookalikes([word, slipped]) == {word: (slipped,), slipped: (word,)}


def work(search: Callable[[list[str]], object], names: list[str]) -> int:
    """How many calls a search takes, of functions and of methods: steps, whatever the machine and whoever else is on it."""
    steps, before = itertools.count(), sys.getprofile()
    sys.setprofile(lambda *event: next(steps))
    try:
        search(names)
    finally:
        sys.setprofile(before)
    return next(steps)


def alike(count: int) -> list[str]:
    """Names of which any two differ in one letter, and one that is very long."""
    return [f"abc{chr(code)}" for code in range(0x4E00, 0x4E00 + count)] + ["x" * 10_000]


def pair_by_pair(names: list[str]) -> None:
    """Every name held against every other one."""
    for first, second in itertools.combinations(names, 2):
        _numbered(first, second)


def test_many_names_that_are_all_alike_take_no_more_work_each() -> None:
    assert work(lookalikes, alike(2_000)) <= 4.1 * work(lookalikes, alike(500))
    assert lookalikes(alike(20_000))["abc" + chr(0x4E00 + 5)]


def test_work_that_grows_with_the_pairs_would_be_noticed() -> None:
    assert work(pair_by_pair, alike(200)[:-1]) > 10 * work(pair_by_pair, alike(50)[:-1])


def test_a_long_name_is_one_part() -> None:
    """Without a letter each, its parts would be ten thousand, and as long."""
    assert _parts("x" * 10_000) == {"x" * 10_000}
