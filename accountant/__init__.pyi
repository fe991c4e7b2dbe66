from accountant._kinds import *  # noqa: F403
from accountant.accounting.account import (
    Account as Account,
    account as account,
)
from accountant.accounting.curve import Curve as Curve
from accountant.accounting.formulas import FormulaValue as FormulaValue
from accountant.accounting.lens import (
    Answer as Answer,
    Lens as Lens,
)
from accountant.accounting.relative import (
    Relative as Relative,
    relative as relative,
)
from accountant.analysis.allocation import (
    Allocation as Allocation,
    Allotment as Allotment,
    reallocate as reallocate,
)
from accountant.analysis.auditing.auditor import (
    Auditor as Auditor,
    Finding as Finding,
)
from accountant.analysis.auditing.releases import (
    Audit as Audit,
    audit as audit,
)
from accountant.analysis.calibration import (
    Calibrated as Calibrated,
    Calibration as Calibration,
    calibrate as calibrate,
)
from accountant.analysis.changes import Change as Change
from accountant.analysis.common import (
    CommonGround as CommonGround,
    common_ground as common_ground,
)
from accountant.analysis.compared import Reason as Reason
from accountant.analysis.comparison import (
    Comparison as Comparison,
    compare as compare,
)
from accountant.analysis.difference import (
    CostChange as CostChange,
    Decided as Decided,
    PlanDifference as PlanDifference,
    Spent as Spent,
    difference as difference,
)
from accountant.analysis.implication import (
    Implication as Implication,
    implies as implies,
)
from accountant.analysis.training import dp_sgd as dp_sgd
from accountant.certificate.certificate import (
    Certificate as Certificate,
)
from accountant.certificate.certify import certify as certify
from accountant.certificate.signing.disk import (
    load_key as load_key,
    load_public_key as load_public_key,
)
from accountant.certificate.signing.envelope import Envelope as Envelope
from accountant.certificate.signing.keys import (
    PrivateKey as PrivateKey,
    PublicKey as PublicKey,
    Signer as Signer,
)
from accountant.certificate.signing.policy import TrustPolicy as TrustPolicy
from accountant.certificate.signing.sign import sign as sign
from accountant.certificate.signing.verification import (
    SignedVerification as SignedVerification,
    verify_signed as verify_signed,
)
from accountant.certificate.verification import (
    Verification as Verification,
    verify as verify,
)
from accountant.errors import (
    AccountantError as AccountantError,
    AdaptivityError as AdaptivityError,
    BudgetExceeded as BudgetExceeded,
    CertificateError as CertificateError,
    Fault as Fault,
    GridTooLarge as GridTooLarge,
    InvalidValue as InvalidValue,
    LedgerError as LedgerError,
    LimitExceeded as LimitExceeded,
    NotVerified as NotVerified,
    PlanError as PlanError,
    PluginError as PluginError,
    PluginFailure as PluginFailure,
    PolicyError as PolicyError,
    ReadingError as ReadingError,
    ReservationCancelled as ReservationCancelled,
    ShiftError as ShiftError,
    SigningError as SigningError,
    UnknownName as UnknownName,
)
from accountant.ledger.ledger import Ledger as Ledger
from accountant.loss.readings.base import PrivacyLoss as PrivacyLoss
from accountant.numbers.interval import Interval as Interval
from accountant.plan.given import PlanLike as PlanLike
from accountant.plan.grouped import GroupedTable as GroupedTable
from accountant.plan.history import (
    History as History,
    read_history as read_history,
)
from accountant.plan.plan import Plan as Plan
from accountant.plan.publication import Publication as Publication
from accountant.plan.reader import (
    load_plan as load_plan,
    load_specification as load_specification,
    read_plan as read_plan,
)
from accountant.plan.statements import Statements as Statements
from accountant.promise.cohort import Cohort as Cohort
from accountant.promise.domain import Domain as Domain
from accountant.promise.entities import (
    Entities as Entities,
    Entity as Entity,
)
from accountant.promise.guarantee import (
    Guarantee as Guarantee,
    Step as Step,
    Verdict as Verdict,
)
from accountant.promise.invariant import Invariant as Invariant
from accountant.promise.neighbours import Neighbours as Neighbours
from accountant.promise.public_facts import (
    Reach as Reach,
    Revealed as Revealed,
)
from accountant.promise.risk import (
    Assessment as Assessment,
    Recommendation as Recommendation,
)
from accountant.promise.specification import (
    Budget as Budget,
    Knowledge as Knowledge,
    Question as Question,
    Scenario as Scenario,
    Specification as Specification,
)
from accountant.promise.theorem import Theorem as Theorem
from accountant.promise.universe import (
    Closest as Closest,
    Universe as Universe,
)
from accountant.registry.admission import Plugin as Plugin
from accountant.registry.conformance import Badge as Badge
from accountant.registry.registry import (
    Registry as Registry,
    default_registry as default_registry,
)
from accountant.release.release import (
    Release as Release,
    Scope as Scope,
)
