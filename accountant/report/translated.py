"""Translated: what losses, rules and plugins say in English, in the language of the report.

A catalogue has `phrases`: an English sentence with `{parts}` in it, and what the language says instead. A sentence that
nobody translated stays as it is and is said to be English, so that a reader never takes it for a slip.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from accountant.report.editions import ENGLISH, edition
from accountant.report.messages import catalogue, say, spoken

_PART = re.compile(r"\\\{(\w+)\\\}")


def told(text: str) -> str:
    """A sentence that was made in English, in the language that is written, or marked as English."""
    if edition().language == ENGLISH or not re.search(r"[^\W\d_]", text):
        return text
    found = _said(edition().language, text)
    return say("foreign.text", text=text) if found is None else found


def term(text: str) -> str:
    """A word or a name that was made in English, translated where the language has it and otherwise as it is."""
    return text if edition().language == ENGLISH else _said(edition().language, text) or text


@cache
def _said(language: str, text: str) -> str | None:
    """The first phrase that fits; its parts are phrases, or stay as they are."""
    for form, instead in _phrases(language):
        found = form.fullmatch(text)
        if found is not None:
            return instead.format(**{name: _said(language, part) or part for name, part in found.groupdict().items()})
    return None


@cache
def _phrases(language: str) -> Sequence[tuple[re.Pattern[str], str]]:
    """The phrases of a language, those that say most first: a sentence is not taken for a frame that it also fits."""
    phrases: list[Mapping[str, str]] = [*spoken().rules["phrases"]]
    # Definitions are called on all pages what their messages say.
    titles = {key: said for key, said in catalogue(ENGLISH).messages.items() if key.startswith("definition.")}
    phrases += [{"says": str(said), "instead": spoken().message(key)} for key, said in titles.items()]
    ordered = sorted(phrases, key=lambda phrase: -len(re.sub(r"\{\w+\}", "", phrase["says"])))
    return [(re.compile(_PART.sub(r"(?P<\1>.+?)", re.escape(item["says"]))), item["instead"]) for item in ordered]
