"""Verdicts: what a command concludes, said before anything else, and why it does not answer 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from accountant.cli.output import say, visible, wrapped

if TYPE_CHECKING:
    from accountant.certificate.decisions import Decision
    from accountant.promise.guarantee import Verdict

Tone = Literal["good", "bad", "open"]

_COLOURS: dict[Tone, str] = {"good": "green", "bad": "red", "open": "yellow"}
_TONES: dict[str, Tone] = {"implied": "good", "refuted": "bad"}
_OVERALL = {"refuted": "NOT KEPT", "unknown": "UNKNOWN", "vacuous": "VACUOUS"}
_SPENDS_NOTHING = "nothing is spent"


def tone_of(verdict: Verdict) -> Tone:
    """How a verdict is to be taken."""
    return _TONES.get(verdict.value, "open")


def painted(word: str, tone: Tone) -> str:
    """A word in the colour of its tone; colours are taken out again where nobody sees them."""
    return click.style(word, fg=_COLOURS[tone], bold=True)


def conclude(tone: Tone, words: str) -> None:
    """Say in one line what was found."""
    head, colon, tail = visible(words).partition(":")
    say(painted(head, tone) + colon + tail)


def say_status(reason: str, status: int = 1) -> None:
    """Say why the exit status is not 0."""
    say(wrapped(f"exit status {status}: {visible(reason)}"))


def say_decisions(decisions: Sequence[Decision], *, spends_nothing: bool = False, apart: bool = False) -> None:
    """Say what is decided of every budget and risk, one line each, with the numbers."""
    words = [_word(item, spends_nothing=spends_nothing, apart=apart) for item in decisions]
    width = max((len(word) for word in words), default=0)
    for word, item in zip(words, decisions, strict=True):
        subject = visible(item.subject.removeprefix("the "))
        told = subject if item.amount is None else f"{subject}: {item.amount}"
        first, *rest = wrapped(told, indent=width + 4).splitlines()
        say(f"  {painted(word, tone_of(item.verdict))}{' ' * (width - len(word))}  {first.lstrip()}")
        for line in rest:
            say(line)


def overall(decisions: Sequence[Decision], *, spends_nothing: bool = False) -> tuple[Tone, str]:
    """What all decisions come to, in a word."""
    found = {item.verdict.value: tone_of(item.verdict) for item in decisions}
    for verdict, word in _OVERALL.items():
        if verdict in found:
            return found[verdict], word
    return "good", _SPENDS_NOTHING.upper() if spends_nothing else "KEPT"


def _word(decision: Decision, *, spends_nothing: bool, apart: bool) -> str:
    if decision.verdict.value != "implied":
        return decision.word.upper()
    if spends_nothing and decision.word == "kept":
        return _SPENDS_NOTHING
    return f"{decision.word}, for each unit of distance" if apart and decision.word == "kept" else decision.word
