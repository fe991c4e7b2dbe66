"""What finite mechanisms promise, by going through everything."""

from __future__ import annotations

import math
from collections.abc import Sequence

from accountant import Interval, Step
from accountant.finite import FiniteMechanism
from accountant_pufferfish.promises.evidence import Evidence, LowerOnly, MixtureOnly, RichScenarios, SecretIndependent
from accountant_pufferfish.promises.exact import NothingLive, leak
from accountant_pufferfish.promises.guarantee import PufferfishGuarantee
from accountant_pufferfish.promises.independence import Independence
from accountant_pufferfish.promises.richness import is_rich
from accountant_pufferfish.setting.setting import Setting
from accountant_pufferfish.theorems import BAYES_FACTOR


def exact_guarantee(mechanism: FiniteMechanism, setting: Setting) -> PufferfishGuarantee:
    """What a mechanism promises in a setting, by enumeration: tight, and as a rule impossible to add up.

    It adds up only where the scenarios are rich. Where only some scenarios are known it is a lower bound.
    """
    if not setting.scenarios.complete:
        return _enumerated(mechanism, setting, LowerOnly())
    return _enumerated(mechanism, setting, RichScenarios(setting) if is_rich(setting) else MixtureOnly())


def independent_guarantees(mechanisms: Sequence[FiniteMechanism], setting: Setting) -> tuple[PufferfishGuarantee, ...]:
    """What each of several mechanisms promises by enumeration, with the evidence that these promises add up.

    Refused where the outputs are not independent of each other given every secret.
    """
    jointly = Independence(mechanisms, setting)
    return tuple(
        _enumerated(mechanism, setting, SecretIndependent(jointly, frozenset({place})))
        for place, mechanism in enumerate(jointly.mechanisms)
    )


def _enumerated(mechanism: FiniteMechanism, setting: Setting, evidence: Evidence) -> PufferfishGuarantee:
    found = leak(mechanism, setting)
    complete = setting.scenarios.complete
    if not isinstance(found, NothingLive):
        words = "infinite" if found.factor is None else str(found.factor)
        step = Step(f"the worst Bayes factor over {found.live:,} live pairs is {words}", BAYES_FACTOR, (), found.epsilon)
        return PufferfishGuarantee(setting, found.epsilon, found.bound, evidence, found.live if complete else None, (step,))
    if complete:
        return PufferfishGuarantee(setting, None, "exact", evidence, 0)
    return PufferfishGuarantee(setting, Interval(0.0, math.inf), "lower", evidence, None)
