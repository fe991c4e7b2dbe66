"""What is tried of a mechanism."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from accountant.plugin.cases import MechanismCase
from accountant.release.mechanism import MECHANISMS, Mechanism
from accountant.testing import laws
from accountant.testing.trial import Kit, Trial

FAMILY = MECHANISMS


def trials(kit: Kit, kind: str, cls: type[Mechanism]) -> Iterator[Trial]:
    """Every law of mechanisms, on every case that the plugin offers of one."""
    subject = f"mechanism {kind}"
    yield Trial("items have cases", kit.plugin, subject, partial(laws.mechanism_has_cases, kind, kit.cases), subject)
    for case in kit.mechanisms:
        if case.mechanism.kind == kind:
            yield from on_case(kit, case, subject)


def on_case(kit: Kit, case: MechanismCase, subject: str) -> Iterator[Trial]:
    """Every law of mechanisms and their losses on one mechanism that moves one way."""
    shown = partial(laws.exact_output_is_declared, case.mechanism)
    yield Trial("exact output is declared", kit.plugin, case.name, shown, subject)
    for name, law in laws.MECHANISM_LAWS.items():
        yield Trial(name, kit.plugin, case.name, partial(law, case), subject)
    for name, law in laws.LOSS_LAWS.items():
        yield Trial(name, kit.plugin, case.name, partial(_on_loss, law, case), subject)
    for name, law in laws.PLAN_LAWS.items():
        yield Trial(name, kit.plugin, case.name, partial(law, case, kit.registry), subject)
    other = kit.company[(kit.company.index(case) + 1) % len(kit.company)]
    for name, law in laws.COMPANY_LAWS.items():
        yield Trial(name, kit.plugin, case.name, partial(law, case, other, kit.registry), subject)


def _on_loss(law: Callable[..., None], case: MechanismCase) -> None:
    law(case.mechanism.loss(case.shift))
