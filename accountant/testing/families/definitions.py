"""What is tried of a privacy definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from hypothesis import strategies as st

from accountant.plugin.cases import ParameterCase
from accountant.promise.divergence import DIVERGENCES, Divergence
from accountant.release.claim import Claim
from accountant.testing import laws, strategies
from accountant.testing.families.mechanisms import on_case
from accountant.testing.places import far_parameters, far_points
from accountant.testing.trial import Kit, Trial
from accountant.testing.worlds import in_worlds

FAMILY = DIVERGENCES


def trials(kit: Kit, name: str, definition: Divergence) -> Iterator[Trial]:
    """Every law of definitions, and those of mechanisms on claims of its parameters."""
    subject = f"definition {name}"
    has_cases = partial(laws.definition_has_cases, name, kit.cases)
    yield Trial("items have cases", kit.plugin, subject, has_cases, subject)
    first = partial(laws.first_reading_names_the_parameter, definition)
    yield Trial("first reading names the parameter", kit.plugin, name, first, subject)
    yield from _parameters(kit, definition, subject)
    yield from _promises(kit, definition, subject)
    yield from _meaning(kit, definition, subject)
    for case in kit.mechanisms:
        if isinstance(case.mechanism, Claim) and case.mechanism.divergence.name == name:
            yield from on_case(kit, case, subject)


def _parameters(kit: Kit, definition: Divergence, subject: str) -> Iterator[Trial]:
    for name, law in _PARAMETER_LAWS.items():
        far = partial(_on_far_parameters, law, definition)
        yield Trial(name, kit.plugin, f"{definition.name}, far out", far, subject)
    larger = partial(_on_far_parameters, laws.larger_parameters_permit_more, definition)
    yield Trial("worst case dominates", kit.plugin, f"{definition.name}, smaller parameters", larger, subject)
    for known in kit.own_cases:
        if not isinstance(known, ParameterCase) or known.divergence != definition.name:
            continue
        check = partial(laws.parameters_come_back, definition, known.parameter)
        yield Trial("parameters come back", kit.plugin, known.name, check, subject)
        if definition.leak is not None:
            told = partial(laws.leaks_are_told, definition, known.parameter)
            yield Trial("leaks are told", kit.plugin, known.name, told, subject)


_PARAMETER_LAWS: laws.Laws = {
    "parameters come back": laws.parameters_come_back,
    "stated values hold": laws.stated_values_hold,
}


def _on_far_parameters(law: Callable[..., None], definition: Divergence) -> None:
    for parameter in far_parameters(definition):
        law(definition, parameter)


def _promises(kit: Kit, definition: Divergence, subject: str) -> Iterator[Trial]:
    pair, name = strategies.finite_losses(), definition.name
    alike = kit.searched(laws.directions_read_alike, definition, loss=pair)
    yield Trial("worst case dominates", kit.plugin, f"{name}, both directions", alike, subject)
    one = kit.searched(laws.readings_are_one_promise, definition, loss=pair)
    yield Trial("readings are one promise", kit.plugin, name, one, subject)
    answers = partial(_on_every_loss, kit, definition)
    yield Trial("readings answer on every loss", kit.plugin, name, answers, subject)
    dominates = kit.searched(laws.worst_case_dominates, definition, loss=strategies.finite_losses(smallest=1))
    yield Trial("worst case dominates", kit.plugin, name, dominates, subject)
    extreme = kit.searched(
        laws.worst_case_dominates, definition, places=st.just(far_points), loss=strategies.extreme_losses()
    )
    yield Trial("worst case dominates", kit.plugin, f"{name}, extreme losses", extreme, subject)
    if any(reading.trend is not None for reading in definition.readings):
        moves = kit.searched(laws.values_move_as_declared, definition, loss=pair)
        yield Trial("values move as declared", kit.plugin, name, moves, subject)
    curves = kit.searched(laws.curves_dominate, definition, loss=pair)
    yield Trial("worst case of a curve dominates", kit.plugin, name, curves, subject)
    groups = kit.searched(laws.groups_never_exceed, definition, chain=strategies.chains())
    yield Trial("groups keep what they cost", kit.plugin, name, groups, subject)
    aligned = kit.searched(laws.groups_never_exceed, definition, chain=strategies.tilted_chains())
    yield Trial("groups keep what they cost", kit.plugin, f"{name}, groups that add up", aligned, subject)
    lean = strategies.leaning_chains() | strategies.leaking_chains()
    leaning = kit.searched(laws.groups_never_exceed, definition, chain=lean, examples=60)
    yield Trial("groups keep what they cost", kit.plugin, f"{name}, groups that lean one way", leaning, subject)
    if definition.properties.post_processing:
        channel = strategies.channels()
        check = kit.searched(laws.post_processing_never_raises, definition, pair=pair, channel=channel)
        yield Trial("properties hold as declared", kit.plugin, f"{name}, post-processing", check, subject)
    if definition.properties.failure:
        check = kit.searched(laws.failures_are_chances, definition, pair=pair)
        yield Trial("properties hold as declared", kit.plugin, f"{name}, failure", check, subject)
    if definition.properties.convexity:
        weight = strategies.exact_numbers(0, 1)
        check = kit.searched(laws.mixtures_never_raise, definition, first=pair, second=pair, weight=weight)
        yield Trial("properties hold as declared", kit.plugin, f"{name}, mixtures", check, subject)


def _on_every_loss(kit: Kit, definition: Divergence) -> None:
    for loss in strategies.one_of_each():
        laws.readings_answer(definition, loss)
    kit.searched(laws.readings_answer, definition, loss=strategies.losses())()


def _meaning(kit: Kit, definition: Divergence, subject: str) -> Iterator[Trial]:
    words = partial(_on_words, kit, definition)
    yield Trial("meanings are never false", kit.plugin, f"{definition.name}, its words", words, subject)
    said = partial(in_worlds, laws.meaning_is_never_false, definition, kit.registry, 15, kit.depth)
    yield Trial("meanings are never false", kit.plugin, definition.name, said, subject)


def _on_words(kit: Kit, definition: Divergence) -> None:
    laws.meaning_names_both_sides(definition)
    kit.searched(laws.meaning_is_what_is_measured, definition, loss=strategies.finite_losses(smallest=1))()
