"""Laws of words that need no world: what a meaning says of chances in the usual words, and what no number supports."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction

from attrs import frozen

from accountant.loss import FiniteLoss
from accountant.numbers.exact import plain
from accountant.promise.divergence import Divergence
from accountant.promise.guarantee import Verdict
from accountant.report.document import Document, prose
from accountant.report.interface import Report
from accountant.testing.counterexamples import broken, measured, method, show
from accountant.testing.places import points
from accountant.testing.worlds import World
from accountant.values.writing import at_words

_THING = r"^no (?:single )?(?P<thing>output|event|outcome|answer|result) is "
_ENDS = r"(?:{either})?[.]?$"
_SHARES = {"half": Fraction(1, 2), "twice": Fraction(2), "a third of": Fraction(1, 3), "a tenth of": Fraction(1, 10)}
_SHARE = rf"(?:(?P<share>{'|'.join(_SHARES)}) )?"
_TIMES = re.compile(
    _THING
    + rf"more than (?:{_SHARE}(?P<power>e\^)?(?:the )?(?P<name>\d+\.\d+|\w+) times|(?P<two>twice)) as likely"
    + r"(?:, plus (?:the )?(?P<plus>\w+),)? {one} as {other}"
    + _ENDS
)
_BY = re.compile(
    _THING + rf"by more than {_SHARE}(?:the )?(?P<plus>\w+) (?:likelier|more likely) {{one}} than {{other}}" + _ENDS
)
_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_LARGEST = 700.0
"""Whose power of e is still a double."""

_WHOM = (
    r"(?:you|any ?one|any ?body|an? (?:person|individual|respondent)|people|persons|individuals|respondents|participants)"
)
_LEARN = r"(?:find out|learn|tell|know|infer|(?:re-?)?identify)"
_LEARNT = rf"{_LEARN} (?:who|anything|{_WHOM}|(?:whether|if) (?:{_WHOM}|some(?:one|body)))\b"
_OF_DATA = (
    r"\b(?:data|dataset|privacy|release|publication|answers?|counts?|outputs?|statistics|results?|tables?|this|it|they"
    r"|every(?:one|body)|you|people)"
)
_BOASTS = re.compile(
    r"\b(?:there is|poses?|carr(?:y|ies)|bears?) (?:no|zero) (?:privacy |disclosure |re-?identification )?risk"
    rf"(?=\s*(?:[.,;:!]|$)|\s(?:at all|whatsoever|to|for {_WHOM})\b)"
    r"|\b(?:is|are) (?:risk[- ]free|without (?:any )?risk)\b"
    rf"|{_OF_DATA} (?:is|are|stays?|remains?) (?:completely|fully|perfectly|totally|absolutely) "
    r"(?:private|anonymous|safe|secure|protected)\b"
    rf"|\b(?:nobody|no one|no attacker|no adversary) can (?:ever )?{_LEARNT}"
    rf"|\bimpossible to {_LEARNT}"
    rf"|\b(?:{_WHOM} cannot|no (?:one|body|person|individual|respondent) can) be (?:re-?)?identified\b"
    rf"|\bnothing (?:is|can be) (?:learned|inferred|revealed) about {_WHOM}\b"
    rf"|\b(?:data|answers?|records?|values?) (?:cannot|can't) be (?:traced|linked|tied|connected) (?:back )?to {_WHOM}\b",
    re.IGNORECASE,
)
_UNLESS = re.compile(
    r"\?|\b(?:not|never|no promise|than|beyond|if|unless|except|whether|almost|hardly|would|may|might|must|should"
    r"|says?|called|from this (?:page|report|number)|with certainty|for sure)\b",
    re.IGNORECASE,
)
"""Words with which such a sentence denies it, asks, or says how much is meant."""


def meaning_is_what_is_measured(definition: Divergence, loss: FiniteLoss) -> None:
    """Where a meaning says in the usual words by how much one side is likelier, no event exceeds that.

    The usual words, and nothing before them: so many times as likely, or 2 times, or twice, perhaps plus something; or
    likelier by something; or by half of it.
    Where a meaning speaks of outputs, each is taken alone; an event may be several of them.
    """
    said = _TIMES.search(definition.meaning) or _BY.search(definition.meaning)
    if said is None:
        return
    claim, first = _Claim.of(said), definition.primary
    if claim.names != {first.value, *first.at}:
        return
    together = sum if said["thing"] == "event" else max
    for reading, at in points(definition):
        value = measured(definition, loss, at)
        if reading != first or value.upper == math.inf:
            continue
        allowed = claim.allowed({**at, first.value: Fraction(value.upper)})
        if allowed is None:
            continue
        times, plus = allowed
        found = max(together(_beyond(atoms, times)) for atoms in (loss.atoms, [(q, p) for p, q in loss.atoms]))
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


@frozen
class _Claim:
    """By how much one side is likelier, as a meaning says it: so many times, and by how much more."""

    times: str
    """A figure, or the name of a number; nothing where it is not more than once."""
    power: bool
    """Whether that is what e is raised to."""
    plus: str
    share: Fraction

    @classmethod
    def of(cls, said: re.Match[str]) -> _Claim:
        words = said.groupdict()
        times = "2" if words.get("two") else words.get("name") or ""
        share = _SHARES.get(words.get("share") or "", Fraction(1))
        return cls(times, bool(words.get("power")), words.get("plus") or "", share)

    @property
    def names(self) -> set[str]:
        """The numbers that are named; how many times may be a figure instead."""
        return {name for name in (self.times, self.plus) if name} - set(_FIGURE.findall(self.times))

    def allowed(self, stated: Mapping[str, Fraction]) -> tuple[Fraction, Fraction] | None:
        """How many times, and how much more, given the numbers by name; None where that is beyond all doubles."""
        number = stated[self.times] if self.times in stated else Fraction(self.times or 1)
        if self.power and number > _LARGEST:
            return None
        times, plus = Fraction(math.exp(number)) if self.power else number, stated.get(self.plus, Fraction(0))
        return (self.share * times, plus) if self.times else (times, self.share * plus)


_HAIR = Fraction(1, 10**9)


def _beyond(atoms: Iterable[tuple[Fraction, Fraction]], times: Fraction) -> list[Fraction]:
    """By how much each output of one side is likelier than so many times as on the other; at least by nothing."""
    return [Fraction(0), *(p - times * q for p, q in atoms if p > times * q)]


_ALL_ATTRIBUTES = re.compile(
    r"\b(?:holds? (?:for|of)|applies to|protects?|hides?|covers?) (?:every|any|each|all) attributes?\b"
    r"(?! (?:that|which|named|listed|above|below|but|except|in|of the plan))",
    re.IGNORECASE,
)
_KEPT = re.compile(
    r"\b(?:(?P<all>all|every) )?(?:the )?budgets? (?:is|are) (?:kept|met|respected|satisfied)\b"
    r"|\b(?:is|are|stays?|remains?) within (?:the|its|(?P<each>all|every)) budgets?\b",
    re.IGNORECASE,
)


_NOTHING_LOST = re.compile(
    r"(?<!expected )(?<!mean )\b(?:loss|epsilon|cost) (?:is|=|equals) (?:0(?!\.?\d)|zero\b|nothing\b)|\bnothing is lost\b",
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
                convention="these words are taken for a promise; with 'not', 'unless' or 'with certainty' they are none",
                plan=world.plan.as_data(),
            )


def _untrue(sentence: str, world: World) -> re.Match[str] | None:
    """Words that are true of some plans, and not of this one; one budget may be kept where not all are."""
    if world.plan.specification.neighbours.attributes and (found := _ALL_ATTRIBUTES.search(sentence)):
        return found
    losing = all(entry.loss.delta(0).lower > 0.0 for entry in world.account.entries)
    if losing and (found := _NOTHING_LOST.search(sentence)):
        return found
    found = None if world.certificate.kept else _KEPT.search(sentence)
    some = any(verdict is Verdict.IMPLIED for verdict in world.certificate.verdicts)
    return found if found and (not some or found["all"] or found["each"]) else None
