from accountant.certificate.certificate import Certificate as Certificate
from accountant.certificate.contents import (
    CertifiedBudget as CertifiedBudget,
    CertifiedCohort as CertifiedCohort,
    CertifiedDistance as CertifiedDistance,
    CertifiedDistribution as CertifiedDistribution,
    CertifiedFormula as CertifiedFormula,
    CertifiedGuarantee as CertifiedGuarantee,
    CertifiedLayer as CertifiedLayer,
    CertifiedPlugin as CertifiedPlugin,
    CertifiedPublic as CertifiedPublic,
    CertifiedReading as CertifiedReading,
    CertifiedRelease as CertifiedRelease,
    CertifiedRisk as CertifiedRisk,
    CertifiedScenario as CertifiedScenario,
    CertifiedSecret as CertifiedSecret,
    CertifiedStep as CertifiedStep,
    CertifiedTable as CertifiedTable,
    CertifiedUniverse as CertifiedUniverse,
    CertifiedValue as CertifiedValue,
    Contents as Contents,
    Enclosure as Enclosure,
    NoBound as NoBound,
    RelativeBudget as RelativeBudget,
    StatedPublic as StatedPublic,
    StatedRisk as StatedRisk,
)
from accountant.certificate.findings import enclosure as enclosure
from accountant.certificate.recomputed import Held as Held
from accountant.certificate.sealed import (
    Sealed as Sealed,
    write_sealed as write_sealed,
)
from accountant.certificate.signing.envelope import Signature as Signature
from accountant.certificate.signing.policy import TrustedKey as TrustedKey
from accountant.certificate.signing.roles import Role as Role
from accountant.certificate.signing.trust import (
    SignedBy as SignedBy,
    Trust as Trust,
)
from accountant.certificate.verification import Verification as Verification
