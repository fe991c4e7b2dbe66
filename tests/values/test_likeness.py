"""Names that may be one name misspelt are found, in a time that does not grow with the pairs."""

from __future__ import annotations

import string
import time

import pytest
from hypothesis import given, strategies as st

from accountant.values.likeness import lookalikes

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


def test_many_names_that_are_all_alike_take_no_longer() -> None:
    names = [f"abc{chr(code)}" for code in range(0x4E00, 0x4E00 + 20_000)] + ["x" * 10_000]
    start = time.process_time()
    found = lookalikes(names)
    assert time.process_time() - start < 5
    assert found["abc" + chr(0x4E00 + 5)]
