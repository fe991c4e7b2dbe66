from accountant.certificate.certificate import Certificate as Certificate
from accountant.certificate.contents import (
    CertifiedBudget as CertifiedBudget,
)
from accountant.certificate.contents import (
    CertifiedDistance as CertifiedDistance,
)
from accountant.certificate.contents import (
    CertifiedFormula as CertifiedFormula,
)
from accountant.certificate.contents import (
    CertifiedGuarantee as CertifiedGuarantee,
)
from accountant.certificate.contents import (
    CertifiedPlugin as CertifiedPlugin,
)
from accountant.certificate.contents import (
    CertifiedPublic as CertifiedPublic,
)
from accountant.certificate.contents import (
    CertifiedReading as CertifiedReading,
)
from accountant.certificate.contents import (
    CertifiedRelease as CertifiedRelease,
)
from accountant.certificate.contents import (
    CertifiedRisk as CertifiedRisk,
)
from accountant.certificate.contents import (
    CertifiedScenario as CertifiedScenario,
)
from accountant.certificate.contents import (
    CertifiedSecret as CertifiedSecret,
)
from accountant.certificate.contents import (
    CertifiedStep as CertifiedStep,
)
from accountant.certificate.contents import (
    CertifiedUniverse as CertifiedUniverse,
)
from accountant.certificate.contents import (
    CertifiedValue as CertifiedValue,
)
from accountant.certificate.contents import (
    Contents as Contents,
)
from accountant.certificate.contents import (
    Enclosure as Enclosure,
)
from accountant.certificate.contents import (
    NoBound as NoBound,
)
from accountant.certificate.contents import (
    RelativeBudget as RelativeBudget,
)
from accountant.certificate.contents import (
    StatedPublic as StatedPublic,
)
from accountant.certificate.contents import (
    StatedRisk as StatedRisk,
)
from accountant.certificate.verification import Verification as Verification
