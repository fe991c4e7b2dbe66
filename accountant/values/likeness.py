"""Likeness: names that may be one name, misspelt."""

from __future__ import annotations

from collections.abc import Iterable

_SHORTEST, _LONGEST = 3, 100


def lookalikes(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """For each name others that differ from it by case, by separators, or by one character that is missing, added, changed
    or out of place; not those that differ in a number. Some are named where there are many.

    Two such texts have a part in common that leaves out at most one character of each, so that the time is linear.
    """
    parts: dict[str, list[str]] = {}
    found: dict[str, set[str]] = {}
    for name in sorted(set(names)):
        for part in _parts(name):
            seen = parts.setdefault(part, [])
            for other in seen:
                if not _numbered(name, other):
                    found.setdefault(name, set()).add(other)
                    found.setdefault(other, set()).add(name)
            if len(seen) < 2:
                seen.append(name)
    return {name: tuple(sorted(others)) for name, others in found.items()}


def _parts(name: str) -> set[str]:
    word = "".join(character for character in name.casefold() if character.isalnum())
    if len(word) > _LONGEST:
        return {word}
    parts = {word[:place] + word[place + 1 :] for place in range(len(word))} | {word}
    return {part for part in parts if len(part) >= _SHORTEST}


def _numbered(first: str, second: str) -> bool:
    """Whether two names differ in a number, as those of several periods or places do."""
    digits = [[character for character in name if character.isdigit()] for name in (first, second)]
    return digits[0] != digits[1]
