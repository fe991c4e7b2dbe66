"""Decisions: what a certificate decides, one line for each verdict, with the reason where it is not kept."""

from __future__ import annotations

from attrs import frozen

from accountant.certificate.contents import CertifiedBudget, CertifiedReading, CertifiedRisk, Contents, RelativeBudget
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
    """What is read, and at which words."""
    return f"{found.divergence} {found.value.name}" + "".join(f" at {word} {number}" for word, number in found.at.items())


def _budget(budget: CertifiedBudget) -> Decision:
    found, limit, remark = budget.guarantee.value, budget.limit, budget.guarantee.remark
    open_between = f"it lies between {found.lower} and {found.upper}, and whether at most {limit} is not settled"
    why = {
        Verdict.REFUTED: f"it is at least {found.lower}, above {limit}",
        Verdict.UNKNOWN: remark or open_between,
        Verdict.VACUOUS: _NOBODY,
    }
    return _decision(f"the budget {reading_words(budget.guarantee)}", budget.verdict, _BUDGETS, why.get(budget.verdict))


def _relative(name: str, budget: RelativeBudget) -> Decision:
    found, remark = budget.guarantee, budget.relative.remark
    subject = budget.divergence if found is None else reading_words(found)
    why = remark
    if why is None and found is not None:
        limit = budget.parameter[found.value.name]
        why = f"it is known to be at most {found.value.upper}, and whether at most {limit} is not settled"
    settled = budget.verdict is Verdict.IMPLIED
    return _decision(f"the budget {subject} relative to '{name}'", budget.verdict, _BUDGETS, None if settled else why)


def _risk(risk: CertifiedRisk) -> Decision:
    kept = risk.verdict is Verdict.IMPLIED
    return _decision(f"the risk '{risk.stated.kind}'", risk.verdict, _RISKS, None if kept else risk.statement)


def _decision(subject: str, verdict: Verdict, words: dict[Verdict, str], why: str | None) -> Decision:
    return Decision(subject, verdict, words.get(verdict, verdict.value), why)
