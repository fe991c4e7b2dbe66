"""Decisions: what a certificate decides, one line for each verdict, with the reason where it is not kept."""

from __future__ import annotations

from attrs import frozen

from accountant.certificate.contents import (
    CertifiedBudget,
    CertifiedReading,
    CertifiedRisk,
    Contents,
    Enclosure,
    RelativeBudget,
)
from accountant.numbers.exact import exact
from accountant.numbers.interval import Interval
from accountant.promise.guarantee import Verdict

_RISKS = {Verdict.IMPLIED: "tolerated", Verdict.REFUTED: "not tolerated"}
_BUDGETS = {Verdict.IMPLIED: "kept", Verdict.REFUTED: "exceeded"}
_NOBODY = "no two datasets are compared, so that nothing is promised"


@frozen
class Decision:
    """What is decided of a budget or a risk, and why where that is not what was asked for."""

    subject: str
    verdict: Verdict
    word: str
    """The verdict as it is said of such a subject."""
    why: str | None
    amount: str | None = None
    """What was found beside what was asked for, rounded outward to figures that a person can read."""

    def __str__(self) -> str:
        return f"{self.subject} is {self.word}" + ("" if self.why is None else f": {self.why}")


def decisions(says: Contents) -> tuple[Decision, ...]:
    """Everything that a certificate decides, in the order of the plan: of budgets, of relative ones, of risks."""
    relative = (_relative(known.stated.name, budget) for known in says.public for budget in known.budgets)
    return (*map(_budget, says.budgets), *relative, *map(_risk, says.risks))


def unkept(says: Contents) -> tuple[Decision, ...]:
    """Why a certificate does not hold: each decision that is not what was asked for."""
    return tuple(item for item in decisions(says) if item.verdict is not Verdict.IMPLIED)


def reading_words(found: CertifiedReading) -> str:
    """What is read, at which words and of whom."""
    at = "".join(f" at {word} {number}" for word, number in found.at.items())
    return f"{found.divergence} {found.value.name}{at}" + ("" if found.cohort is None else f" for {found.cohort}")


def _budget(budget: CertifiedBudget) -> Decision:
    found, limit, remark = budget.guarantee.value, budget.limit, budget.guarantee.remark
    low, high = _figures(found, limit)
    between = f"it lies between {low} and {high}, and whether at most {limit} is not settled"
    why, amount = {
        Verdict.IMPLIED: (None, f"at most {high} of {limit}"),
        Verdict.REFUTED: (f"it is at least {low}, above {limit}", f"at least {low}, above {limit}"),
        Verdict.UNKNOWN: (remark or between, f"between {low} and {high}, where {limit} was asked for"),
        Verdict.VACUOUS: (_NOBODY, None),
    }[budget.verdict]
    return _decision(f"the budget {reading_words(budget.guarantee)}", budget.verdict, _BUDGETS, why, amount)


def _figures(found: Enclosure, limit: str) -> tuple[str, str]:
    """Both ends, rounded outward."""
    return _end(found.lower, limit, 0), _end(found.upper, limit, 1)


def _end(written: str, limit: str, which: int) -> str:
    """An end at six figures; as it is certified where six would show it on the other side of the limit."""
    if written == "inf":
        return "infinite"
    short, most = Interval.of(written).rounded(6)[which], exact(limit)
    return short if (exact(short) > most) is (exact(written) > most) else written


def _relative(name: str, budget: RelativeBudget) -> Decision:
    found, remark = budget.guarantee, budget.relative.remark
    subject = budget.divergence if found is None else reading_words(found)
    why, amount = remark, None
    if found is not None:
        limit = str(budget.parameter[found.value.name])
        high = _figures(found.value, limit)[1]
        amount = f"at most {high} of {limit}"
        why = why or f"it is known to be at most {high}, and whether at most {limit} is not settled"
    settled = budget.verdict is Verdict.IMPLIED
    whole = f"the budget {subject} relative to '{name}'"
    return _decision(whole, budget.verdict, _BUDGETS, None if settled else why, amount)


def _risk(risk: CertifiedRisk) -> Decision:
    kept = risk.verdict is Verdict.IMPLIED
    return _decision(f"the risk '{risk.stated.kind}'", risk.verdict, _RISKS, None if kept else risk.statement)


def _decision(
    subject: str, verdict: Verdict, words: dict[Verdict, str], why: str | None, amount: str | None = None
) -> Decision:
    return Decision(subject, verdict, words.get(verdict, verdict.value), why, amount)
