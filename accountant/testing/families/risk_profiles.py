"""What is tried of a risk profile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from accountant.plugin.oracles import RiskProfileOracle
from accountant.promise.risk import RISK_PROFILES, RiskProfile
from accountant.testing import laws
from accountant.testing.examples import examples
from accountant.testing.instances import edge_cases, instances
from accountant.testing.trial import Kit, Trial

FAMILY = RISK_PROFILES


def trials(kit: Kit, kind: str, cls: type[RiskProfile]) -> Iterator[Trial]:
    """What it recommends, calls kept and calls exceeded, against an attack on a grid of beliefs."""
    subject = f"risk profile {kind}"
    asked = partial(_asked, kit, cls)
    yield Trial("assessments are admissible", kit.plugin, f"{subject}, somebody", asked, subject)
    for law, check in (
        ("recommendations are admissible", laws.recommendations_are_admissible),
        ("assessments are admissible", partial(laws.assessments_are_admissible, registry=kit.registry)),
    ):
        yield Trial(law, kit.plugin, subject, partial(_tried, kit, cls, check), subject)


def _asked(kit: Kit, cls: type[RiskProfile]) -> None:
    drawn = examples(instances(cls, kit.registry, kit.oracle(RiskProfileOracle, cls.kind)), 10, kit.depth)
    laws.some_beliefs_are_asked_about(cls.kind, drawn)


def _tried(kit: Kit, cls: type[RiskProfile], law: Callable[..., None]) -> None:
    oracle = kit.oracle(RiskProfileOracle, cls.kind)
    for profile in edge_cases(cls, kit.registry) if oracle is None else ():
        law(profile=profile)
    kit.searched(law, profile=instances(cls, kit.registry, oracle), examples=10)()
