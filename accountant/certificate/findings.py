"""Findings: what an account computes, in the numbers and words of a certificate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from accountant.accounting.formulas import FormulaValue
from accountant.certificate.contents import (
    CertifiedCohort,
    CertifiedDistance,
    CertifiedFormula,
    CertifiedGuarantee,
    CertifiedReading,
    CertifiedStep,
    CertifiedValue,
    Enclosure,
)
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.promise.guarantee import Guarantee, Step
from accountant.values.writing import unstructure

DIGITS = 10
"""Significant figures of certified numbers, rounded outward."""


def enclosure(value: Interval) -> Enclosure:
    """An interval as decimals rounded outward, and exactly where it is known so."""
    return Enclosure(*_ends(value))


def named(name: str, value: Interval, digits: int = DIGITS) -> CertifiedValue:
    """A value of a definition by its name."""
    return CertifiedValue(name, *_ends(value, digits))


def distance(divergence: str, value: Interval) -> CertifiedDistance:
    """What holds in a definition between datasets that are farther apart than neighbours."""
    return CertifiedDistance(divergence, *_ends(value))


def _ends(value: Interval, digits: int = DIGITS) -> tuple[str, str, str | None]:
    return (*value.rounded(digits), None if value.exact is None else plain(value.exact))


def reading(guarantee: Guarantee) -> CertifiedReading:
    """What a guarantee says and by which route."""
    return CertifiedReading(**_said(guarantee))


def _said(guarantee: Guarantee) -> dict[str, Any]:
    return {
        "divergence": guarantee.divergence,
        "at": {word: plain(value) for word, value in guarantee.at.items()},
        "value": named(guarantee.name, guarantee.value),
        "bound": guarantee.bound,
        "evidence": guarantee.evidence,
        "cohort": None if guarantee.cohort is None else CertifiedCohort(unstructure(guarantee.cohort)),
    }


def certified(guarantee: Guarantee) -> CertifiedGuarantee:
    """A guarantee with its derivation."""
    steps = derivation(guarantee.derivation)
    return CertifiedGuarantee(**_said(guarantee), derivation=steps, remark=guarantee.remark)


def derivation(steps: Iterable[Step]) -> tuple[CertifiedStep, ...]:
    """A derivation as numbered lines."""
    return tuple(
        CertifiedStep(
            number, step.statement, step.theorem, step.uses, None if step.value is None else enclosure(step.value)
        )
        for number, step in enumerate(steps, start=1)
    )


def formulas(items: Iterable[FormulaValue]) -> tuple[CertifiedFormula, ...]:
    """What formulas from the literature give."""
    return tuple(CertifiedFormula(item.conversion, item.parameter, *_ends(item.value), item.theorem) for item in items)
