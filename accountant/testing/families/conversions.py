"""What is tried of a published conversion."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from hypothesis import strategies as st

from accountant.plugin.cases import ParameterCase
from accountant.promise.conversion import CONVERSIONS, Conversion
from accountant.promise.divergence import DIVERGENCES, Divergence
from accountant.testing import laws, strategies
from accountant.testing.places import far_parameters, far_points, points
from accountant.testing.trial import Kit, Trial

FAMILY = CONVERSIONS


def trials(kit: Kit, name: str, conversion: Conversion) -> Iterator[Trial]:
    """Every law of conversions, on exact pairs and on all parameters that plugins offer."""
    subject = f"conversion {name}"
    names = partial(laws.conversion_names_definitions, name, kit.registry)
    yield Trial("conversions name definitions", kit.plugin, name, names, subject)
    source, target = (kit.registry[DIVERGENCES].get(word) for word in (conversion.source, conversion.target))
    if source is None or target is None:
        return
    pair = strategies.finite_losses(smallest=1)
    holds = kit.searched(laws.conversion_holds, conversion, source, target, pair=pair)
    yield Trial("conversions hold for exact pairs", kit.plugin, name, holds, subject)
    far = kit.searched(
        laws.conversion_holds, conversion, source, target, places=st.just(far_points), pair=strategies.extreme_losses()
    )
    yield Trial("conversions hold for exact pairs", kit.plugin, f"{name}, extreme pairs", far, subject)
    lens = partial(_on_far_parameters, conversion, source, target)
    yield Trial("conversions never beat what is attained", kit.plugin, f"{name}, far out", lens, subject)
    for case in kit.cases:
        if isinstance(case, ParameterCase) and case.divergence == source.name:
            check = partial(laws.conversion_never_beats_the_lens, conversion, source, target, case.parameter)
            yield Trial("conversions never beat what is attained", kit.plugin, f"{name}, {case.name}", check, subject)


def _on_far_parameters(conversion: Conversion, source: Divergence, target: Divergence) -> None:
    for parameter in far_parameters(source):
        for places in (points, far_points):
            laws.conversion_never_beats_the_lens(conversion, source, target, parameter, places)
