from accountant.analysis.auditing.simulation import (
    Contrasted as Contrasted,
    Scored as Scored,
    Simulated as Simulated,
    SimulatedSampling as SimulatedSampling,
)
from accountant.engines.engine import Engine as Engine
from accountant.engines.kinds import (
    ENGINES as ENGINES,
    EngineKind as EngineKind,
)
from accountant.loss.families.noise import (
    Noise as Noise,
    RealNoise as RealNoise,
    WholeNoise as WholeNoise,
)
from accountant.plan.bridge import (
    BRIDGES as BRIDGES,
    Bridge as Bridge,
    Brought as Brought,
)
from accountant.plugin.cases import (
    CASES as CASES,
    ConformanceCase as ConformanceCase,
    MechanismCase as MechanismCase,
    ParameterCase as ParameterCase,
)
from accountant.plugin.families import COMMANDS as COMMANDS
from accountant.plugin.hookspecs import hookimpl as hookimpl
from accountant.plugin.oracles import (
    BridgeOracle as BridgeOracle,
    Chance as Chance,
    MechanismOracle as MechanismOracle,
    Oracle as Oracle,
    PolicyOracle as PolicyOracle,
    PublicOracle as PublicOracle,
    QueryOracle as QueryOracle,
    RelationOracle as RelationOracle,
    RiskProfileOracle as RiskProfileOracle,
    SamplingOracle as SamplingOracle,
)
from accountant.promise.conversion import (
    CONVERSIONS as CONVERSIONS,
    Conversion as Conversion,
)
from accountant.promise.divergence import (
    COMPOSITION_RULES as COMPOSITION_RULES,
    DIVERGENCES as DIVERGENCES,
    Additive as Additive,
    CompositionRule as CompositionRule,
    Divergence as Divergence,
    Properties as Properties,
    Reading as Reading,
    Summable as Summable,
    Word as Word,
)
from accountant.promise.neighbours import (
    ADD_REMOVE as ADD_REMOVE,
    NEIGHBOURS as NEIGHBOURS,
    POLICIES as POLICIES,
    REPLACE_ONE as REPLACE_ONE,
    Policy as Policy,
    Record as Record,
    Relation as Relation,
)
from accountant.promise.public_facts import (
    PUBLIC_FACTS as PUBLIC_FACTS,
    Public as Public,
    Reach as Reach,
    Revealed as Revealed,
)
from accountant.promise.risk import (
    RISK_PROFILES as RISK_PROFILES,
    Assessment as Assessment,
    Recommendation as Recommendation,
    RiskProfile as RiskProfile,
)
from accountant.promise.statement import (
    Quantity as Quantity,
    Statement as Statement,
)
from accountant.promise.theorem import (
    THEOREMS as THEOREMS,
    Adaptivity as Adaptivity,
    Theorem as Theorem,
)
from accountant.promise.words import (
    ComparedPairs as ComparedPairs,
    joined as joined,
    plural as plural,
)
from accountant.release.claim import Claim as Claim
from accountant.release.error import distance as distance
from accountant.release.query import (
    QUERIES as QUERIES,
    Query as Query,
    Records as Records,
    Shift as Shift,
)
from accountant.release.release import (
    MECHANISMS as MECHANISMS,
    Mechanism as Mechanism,
)
from accountant.release.sampling import (
    SAMPLINGS as SAMPLINGS,
    Between as Between,
    Sampling as Sampling,
)
from accountant.release.stated import Vector as Vector
from accountant.report.interface import (
    RENDERERS as RENDERERS,
    REPORTS as REPORTS,
    Renderer as Renderer,
    Report as Report,
)
from accountant.values.family import Family as Family
from accountant.values.reading import Reader as Reader
