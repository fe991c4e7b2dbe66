from accountant.analysis.auditing.simulation import (
    Contrasted as Contrasted,
)
from accountant.analysis.auditing.simulation import (
    Scored as Scored,
)
from accountant.analysis.auditing.simulation import (
    Simulated as Simulated,
)
from accountant.analysis.auditing.simulation import (
    SimulatedSampling as SimulatedSampling,
)
from accountant.plugin.cases import (
    CASES as CASES,
)
from accountant.plugin.cases import (
    ConformanceCase as ConformanceCase,
)
from accountant.plugin.cases import (
    MechanismCase as MechanismCase,
)
from accountant.plugin.cases import (
    ParameterCase as ParameterCase,
)
from accountant.plugin.families import COMMANDS as COMMANDS
from accountant.plugin.hookspecs import hookimpl as hookimpl
from accountant.promise.conversion import (
    CONVERSIONS as CONVERSIONS,
)
from accountant.promise.conversion import (
    Conversion as Conversion,
)
from accountant.promise.divergence import (
    COMPOSITION_RULES as COMPOSITION_RULES,
)
from accountant.promise.divergence import (
    DIVERGENCES as DIVERGENCES,
)
from accountant.promise.divergence import (
    Adaptivity as Adaptivity,
)
from accountant.promise.divergence import (
    Additive as Additive,
)
from accountant.promise.divergence import (
    CompositionRule as CompositionRule,
)
from accountant.promise.divergence import (
    Divergence as Divergence,
)
from accountant.promise.divergence import (
    Properties as Properties,
)
from accountant.promise.divergence import (
    Reading as Reading,
)
from accountant.promise.divergence import (
    Summable as Summable,
)
from accountant.promise.divergence import (
    Word as Word,
)
from accountant.promise.neighbours import (
    ADD_REMOVE as ADD_REMOVE,
)
from accountant.promise.neighbours import (
    NEIGHBOURS as NEIGHBOURS,
)
from accountant.promise.neighbours import (
    REPLACE_ONE as REPLACE_ONE,
)
from accountant.promise.neighbours import (
    Relation as Relation,
)
from accountant.promise.public_facts import (
    PUBLIC_FACTS as PUBLIC_FACTS,
)
from accountant.promise.public_facts import (
    Public as Public,
)
from accountant.promise.public_facts import (
    Reach as Reach,
)
from accountant.promise.public_facts import (
    Revealed as Revealed,
)
from accountant.promise.risk import (
    RISK_PROFILES as RISK_PROFILES,
)
from accountant.promise.risk import (
    Assessment as Assessment,
)
from accountant.promise.risk import (
    Recommendation as Recommendation,
)
from accountant.promise.risk import (
    RiskProfile as RiskProfile,
)
from accountant.promise.theorem import (
    THEOREMS as THEOREMS,
)
from accountant.promise.theorem import (
    Theorem as Theorem,
)
from accountant.release.claim import Claim as Claim
from accountant.release.mechanism import (
    MECHANISMS as MECHANISMS,
)
from accountant.release.mechanism import (
    Mechanism as Mechanism,
)
from accountant.release.query import (
    QUERIES as QUERIES,
)
from accountant.release.query import (
    Query as Query,
)
from accountant.release.query import (
    Shift as Shift,
)
from accountant.release.sampling import (
    SAMPLINGS as SAMPLINGS,
)
from accountant.release.sampling import (
    Sampling as Sampling,
)
from accountant.release.stated import Vector as Vector
from accountant.report.interface import (
    RENDERERS as RENDERERS,
)
from accountant.report.interface import (
    REPORTS as REPORTS,
)
from accountant.report.interface import (
    Renderer as Renderer,
)
from accountant.report.interface import (
    Report as Report,
)
from accountant.values.family import Family as Family
