"""Laws of words that need no world: what a meaning says of chances in the usual words, and what no number supports."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction

from accountant.loss import FiniteLoss
from accountant.numbers.exact import plain
from accountant.promise.divergence import Divergence
from accountant.report.document import Document, prose
from accountant.report.interface import Report
from accountant.testing.counterexamples import broken, measured, method, show
from accountant.testing.places import points
from accountant.testing.worlds import World
from accountant.values.writing import at_words

_THING = r"no (?:single )?(?:output|event|outcome|answer|result) is "
_ENDS = r"(?:{either})?[.]?$"
_TIMES = re.compile(
    _THING
    + r"more than (?P<power>e\^)?(?:the )?(?P<name>\w+) times as likely(?:, plus (?:the )?(?P<plus>\w+),)? {one} as {other}"
    + _ENDS
)
_BY = re.compile(_THING + r"by more than (?:the )?(?P<plus>\w+) (?:likelier|more likely) {one} than {other}" + _ENDS)

_BOASTS = re.compile(
    r"\bno (?:\w+ )?risk\b(?! profile)|\brisk[- ]free\b|\bwithout (?:any )?risk\b"
    r"|\b(?:completely|fully|perfectly|totally|absolutely) (?:private|anonymous|safe|secure|protected)\b"
    r"|\b(?:nobody|no one|no attacker|no adversary) can (?:ever )?(?:find out|learn|tell|know|infer|(?:re-?)?identify)\b"
    r"|\bimpossible to (?:find out|learn|tell|infer|(?:re-?)?identify)\b"
    r"|\bcannot be (?:(?:re-?)?identified|inferred|learned)\b"
    r"|\bnothing (?:is|can be) (?:learned|inferred|revealed)\b",
    re.IGNORECASE,
)
_UNLESS = re.compile(
    r"\b(?:not|never|no promise|than|beyond|if|unless|except|almost|hardly|with certainty|for sure)\b", re.IGNORECASE
)
"""Words with which such a sentence denies it, or says how much is meant."""


def meaning_is_what_is_measured(definition: Divergence, loss: FiniteLoss) -> None:
    """Where a meaning says in the usual words by how much one side is likelier, no event exceeds that.

    The usual words: so many times as likely, perhaps plus something; or likelier by something.
    """
    said = _TIMES.search(definition.meaning) or _BY.search(definition.meaning)
    names = {} if said is None else {key: name for key, name in said.groupdict().items() if key != "power" and name}
    first = definition.primary
    if set(names.values()) != {first.value, *first.at}:
        return
    for reading, at in points(definition):
        value = measured(definition, loss, at)
        if reading != first or value.upper == math.inf:
            continue
        stated = {**at, first.value: Fraction(value.upper)}
        times = _times(stated[names["name"]], bool(said and said["power"])) if "name" in names else Fraction(1)
        plus = stated[names["plus"]] if "plus" in names else Fraction(0)
        found = max(_beyond(loss.atoms, times), _beyond([(q, p) for p, q in loss.atoms], times))
        if found > plus + _HAIR:
            broken(
                f"what '{definition.name}' is said to mean must hold",
                meaning=definition.meaning,
                pair=show(loss),
                said=f"{first.value}{at_words(at)} is {value}",
                **{f"an event is beyond {float(times):.6g} times as likely by": f"{float(found):.6g}"},
                allowed=plain(plus),
                look_at=f"'meaning', {method(definition, 'measure')}",
            )


_HAIR = Fraction(1, 10**9)


def _times(number: Fraction, power: bool) -> Fraction:
    return Fraction(math.exp(min(float(number), 700.0))) if power else number


def _beyond(atoms: Iterable[tuple[Fraction, Fraction]], times: Fraction) -> Fraction:
    """By how much the best event of one side is likelier than so many times as on the other."""
    return sum((max(p - times * q, Fraction(0)) for p, q in atoms), Fraction(0))


_ALL_ATTRIBUTES = re.compile(r"\b(?:every|any|each|all) attributes?\b", re.IGNORECASE)
_KEPT = re.compile(
    r"\bbudgets? (?:is|are) (?:kept|met|respected|satisfied)\b"
    r"|\b(?:is|are|stays?|remains?) within (?:the|its|all|every) budgets?\b",
    re.IGNORECASE,
)


def require_modesty(report: Report, document: Document, world: World) -> None:
    """Where outputs tell anything at all, no sentence says that they tell nothing."""
    if all(entry.loss.delta(0).upper <= 0.0 for entry in world.account.entries):
        return
    for sentence in (part for words in prose(document) for part in re.split(r"(?<=[.;:!?])\s", words)):
        said = _BOASTS.search(sentence) or _untrue(sentence, world)
        if said and not _UNLESS.search(sentence):
            broken(
                f"the report '{report.name}' must not promise what does not hold",
                sentence=sentence.strip(),
                words=said[0],
                remedy="say what holds of this plan, and leave out what does not hold of every plan",
                plan=world.plan.as_data(),
            )


def _untrue(sentence: str, world: World) -> re.Match[str] | None:
    """Words that are true of some plans, and not of this one."""
    some = _ALL_ATTRIBUTES.search(sentence) if world.plan.specification.neighbours.attributes else None
    return some or (None if world.certificate.kept else _KEPT.search(sentence))
