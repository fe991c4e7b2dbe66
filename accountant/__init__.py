"""accountant: says what a set of data releases promises, proves it with two-sided numbers, and explains it in words.

Every mechanism is a privacy loss; every definition is a lens on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant._lazy import lazy

if TYPE_CHECKING:
    from accountant.accounting import Account, account
    from accountant.auditing import (
        Audit,
        Auditor,
        Contrasted,
        Finding,
        Scored,
        Simulated,
        SimulatedSampling,
        audit,
    )
    from accountant.calibration import Calibration, calibrate
    from accountant.certificate import Certificate, certify
    from accountant.comparison import Comparison, compare
    from accountant.conformance import ConformanceCase, MechanismCase, ParameterCase
    from accountant.conversion import Conversion
    from accountant.divergence import Adaptivity, Additive, CompositionRule, Divergence, Properties, Reading, Summable
    from accountant.errors import (
        AccountantError,
        AdaptivityError,
        BudgetExceeded,
        GridTooLarge,
        InvalidValue,
        LedgerError,
        PlanError,
        PluginError,
        ShiftError,
    )
    from accountant.formulas import Published
    from accountant.guarantee import Guarantee, Step, Verdict
    from accountant.hookspecs import hookimpl
    from accountant.implication import Implication, Reason, implies
    from accountant.interval import Interval, float_above, float_below, larger
    from accountant.invariant import Invariant
    from accountant.ledger import Ledger
    from accountant.logarithm import log_of
    from accountant.loss import PrivacyLoss
    from accountant.mechanism import Mechanism
    from accountant.neighbours import Neighbours, Relation
    from accountant.plan import Plan
    from accountant.plan_reader import load_plan, load_specification, read_plan
    from accountant.public import Apart, Public, Revealed
    from accountant.query import Query, Shift
    from accountant.registry import Registry, default_registry
    from accountant.relative_promise import Relative, relative
    from accountant.release import Release, Scope
    from accountant.report import Document, Paragraph, Renderer, Report, Table
    from accountant.risk import Assessment, Recommendation, RiskProfile
    from accountant.sampling import Sampling
    from accountant.specification import Budget, Knowledge, Question, Scenario, Specification
    from accountant.theorem import Theorem
    from accountant.universe import Closest
    from accountant.verification import verify

_HOMES = {
    "accounting": ("Account", "account"),
    "auditing": ("Audit", "Auditor", "Contrasted", "Finding", "Scored", "Simulated", "SimulatedSampling", "audit"),
    "calibration": ("Calibration", "calibrate"),
    "certificate": ("Certificate", "certify"),
    "comparison": ("Comparison", "compare"),
    "conformance": ("ConformanceCase", "MechanismCase", "ParameterCase"),
    "conversion": ("Conversion",),
    "divergence": ("Adaptivity", "Additive", "CompositionRule", "Divergence", "Properties", "Reading", "Summable"),
    "errors": (
        "AccountantError",
        "AdaptivityError",
        "BudgetExceeded",
        "GridTooLarge",
        "InvalidValue",
        "LedgerError",
        "PlanError",
        "PluginError",
        "ShiftError",
    ),
    "formulas": ("Published",),
    "guarantee": ("Guarantee", "Step", "Verdict"),
    "hookspecs": ("hookimpl",),
    "implication": ("Implication", "Reason", "implies"),
    "interval": ("Interval", "float_above", "float_below", "larger"),
    "invariant": ("Invariant",),
    "ledger": ("Ledger",),
    "logarithm": ("log_of",),
    "loss": ("PrivacyLoss",),
    "mechanism": ("Mechanism",),
    "neighbours": ("Neighbours", "Relation"),
    "plan": ("Plan",),
    "plan_reader": ("load_plan", "load_specification", "read_plan"),
    "public": ("Apart", "Public", "Revealed"),
    "query": ("Query", "Shift"),
    "registry": ("Registry", "default_registry"),
    "relative_promise": ("Relative", "relative"),
    "release": ("Release", "Scope"),
    "report": ("Document", "Paragraph", "Renderer", "Report", "Table"),
    "risk": ("Assessment", "Recommendation", "RiskProfile"),
    "sampling": ("Sampling",),
    "specification": ("Budget", "Knowledge", "Question", "Scenario", "Specification"),
    "theorem": ("Theorem",),
    "universe": ("Closest",),
    "verification": ("verify",),
}

__getattr__, __dir__ = lazy(__name__, _HOMES)

__all__ = [
    "Account",
    "AccountantError",
    "Adaptivity",
    "AdaptivityError",
    "Additive",
    "Apart",
    "Assessment",
    "Audit",
    "Auditor",
    "Budget",
    "BudgetExceeded",
    "Calibration",
    "Certificate",
    "Closest",
    "Comparison",
    "CompositionRule",
    "ConformanceCase",
    "Contrasted",
    "Conversion",
    "Divergence",
    "Document",
    "Finding",
    "GridTooLarge",
    "Guarantee",
    "Implication",
    "Interval",
    "InvalidValue",
    "Invariant",
    "Knowledge",
    "Ledger",
    "LedgerError",
    "Mechanism",
    "MechanismCase",
    "Neighbours",
    "Paragraph",
    "ParameterCase",
    "Plan",
    "PlanError",
    "PluginError",
    "PrivacyLoss",
    "Properties",
    "Public",
    "Published",
    "Query",
    "Question",
    "Reading",
    "Reason",
    "Recommendation",
    "Registry",
    "Relation",
    "Relative",
    "Release",
    "Renderer",
    "Report",
    "Revealed",
    "RiskProfile",
    "Sampling",
    "Scenario",
    "Scope",
    "Scored",
    "Shift",
    "ShiftError",
    "Simulated",
    "SimulatedSampling",
    "Specification",
    "Step",
    "Summable",
    "Table",
    "Theorem",
    "Verdict",
    "account",
    "audit",
    "calibrate",
    "certify",
    "compare",
    "default_registry",
    "float_above",
    "float_below",
    "hookimpl",
    "implies",
    "larger",
    "load_plan",
    "load_specification",
    "log_of",
    "read_plan",
    "relative",
    "verify",
]
