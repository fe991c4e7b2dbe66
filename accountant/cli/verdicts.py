"""Verdicts: what a command concludes, said before anything else, and why it does not answer 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from accountant.cli.output import say, visible, wrapped
from accountant.promise.guarantee import Verdict

if TYPE_CHECKING:
    from accountant.certificate.decisions import Decision

_COLOURS = {Verdict.IMPLIED: "green", Verdict.REFUTED: "red", Verdict.UNKNOWN: "yellow", Verdict.VACUOUS: "yellow"}
_OVERALL = (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.VACUOUS)
_SPENDS_NOTHING = "nothing is spent"


def painted(word: str, verdict: Verdict) -> str:
    """A word in the colour of a verdict; colours are taken out again where nobody sees them."""
    return click.style(word, fg=_COLOURS[verdict], bold=True)


def conclude(verdict: Verdict, words: str) -> None:
    """Say in one line what was found."""
    head, colon, tail = visible(words).partition(":")
    say(painted(head, verdict) + colon + tail)


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
        say(f"  {painted(word, item.verdict)}{' ' * (width - len(word))}  {first.lstrip()}")
        for line in rest:
            say(line)


def overall(decisions: Iterable[Decision], *, spends_nothing: bool = False) -> tuple[Verdict, str]:
    """The verdict on all together, and the word for it."""
    found = {item.verdict for item in decisions}
    for verdict in _OVERALL:
        if verdict in found:
            return verdict, {Verdict.REFUTED: "NOT KEPT"}.get(verdict, verdict.value.upper())
    return Verdict.IMPLIED, _SPENDS_NOTHING.upper() if spends_nothing else "KEPT" if found else "NOTHING IS ASKED"


def _word(decision: Decision, *, spends_nothing: bool, apart: bool) -> str:
    if decision.verdict is not Verdict.IMPLIED:
        return decision.word.upper()
    if spends_nothing and decision.word == "kept":
        return _SPENDS_NOTHING
    return f"{decision.word}, for each unit of distance" if apart and decision.word == "kept" else decision.word
