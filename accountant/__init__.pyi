from accountant.accounting.account import (
    Account as Account,
)
from accountant.accounting.account import (
    account as account,
)
from accountant.accounting.formulas import FormulaValue as FormulaValue
from accountant.accounting.relative import (
    Relative as Relative,
)
from accountant.accounting.relative import (
    relative as relative,
)
from accountant.analysis.auditing.auditor import (
    Auditor as Auditor,
)
from accountant.analysis.auditing.auditor import (
    Finding as Finding,
)
from accountant.analysis.auditing.releases import (
    Audit as Audit,
)
from accountant.analysis.auditing.releases import (
    audit as audit,
)
from accountant.analysis.calibration import (
    Calibration as Calibration,
)
from accountant.analysis.calibration import (
    calibrate as calibrate,
)
from accountant.analysis.comparison import (
    Comparison as Comparison,
)
from accountant.analysis.comparison import (
    compare as compare,
)
from accountant.analysis.implication import (
    Implication as Implication,
)
from accountant.analysis.implication import (
    Reason as Reason,
)
from accountant.analysis.implication import (
    implies as implies,
)
from accountant.certificate.certificate import (
    Certificate as Certificate,
)
from accountant.certificate.certify import certify as certify
from accountant.certificate.verification import (
    Verification as Verification,
)
from accountant.certificate.verification import (
    verify as verify,
)
from accountant.errors import (
    AccountantError as AccountantError,
)
from accountant.errors import (
    AdaptivityError as AdaptivityError,
)
from accountant.errors import (
    BudgetExceeded as BudgetExceeded,
)
from accountant.errors import (
    CertificateError as CertificateError,
)
from accountant.errors import (
    Fault as Fault,
)
from accountant.errors import (
    GridTooLarge as GridTooLarge,
)
from accountant.errors import (
    InvalidValue as InvalidValue,
)
from accountant.errors import (
    LedgerError as LedgerError,
)
from accountant.errors import (
    PlanError as PlanError,
)
from accountant.errors import (
    PluginError as PluginError,
)
from accountant.errors import (
    ReadingError as ReadingError,
)
from accountant.errors import (
    ShiftError as ShiftError,
)
from accountant.errors import (
    UnknownName as UnknownName,
)
from accountant.ledger.ledger import Ledger as Ledger
from accountant.loss.readings.base import PrivacyLoss as PrivacyLoss
from accountant.numbers.interval import Interval as Interval
from accountant.plan.plan import Plan as Plan
from accountant.plan.reader import (
    load_plan as load_plan,
)
from accountant.plan.reader import (
    load_specification as load_specification,
)
from accountant.plan.reader import (
    read_plan as read_plan,
)
from accountant.promise.guarantee import (
    Guarantee as Guarantee,
)
from accountant.promise.guarantee import (
    Step as Step,
)
from accountant.promise.guarantee import (
    Verdict as Verdict,
)
from accountant.promise.invariant import Invariant as Invariant
from accountant.promise.neighbours import Neighbours as Neighbours
from accountant.promise.public_facts import (
    Reach as Reach,
)
from accountant.promise.public_facts import (
    Revealed as Revealed,
)
from accountant.promise.risk import (
    Assessment as Assessment,
)
from accountant.promise.risk import (
    Recommendation as Recommendation,
)
from accountant.promise.specification import (
    Budget as Budget,
)
from accountant.promise.specification import (
    Knowledge as Knowledge,
)
from accountant.promise.specification import (
    Question as Question,
)
from accountant.promise.specification import (
    Scenario as Scenario,
)
from accountant.promise.specification import (
    Specification as Specification,
)
from accountant.promise.theorem import Theorem as Theorem
from accountant.promise.universe import Closest as Closest
from accountant.registry.admission import Plugin as Plugin
from accountant.registry.registry import (
    Registry as Registry,
)
from accountant.registry.registry import (
    default_registry as default_registry,
)
from accountant.release.release import (
    Release as Release,
)
from accountant.release.release import (
    Scope as Scope,
)
