"""What is tried of a mechanism."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import attrs
from hypothesis import strategies as st

from accountant.plugin.cases import MechanismCase
from accountant.plugin.oracles import MechanismOracle
from accountant.release.claim import Claim
from accountant.release.query import Shift
from accountant.release.release import MECHANISMS, Mechanism
from accountant.testing import laws
from accountant.testing.claims import claimed, loss_of
from accountant.testing.examples import examples
from accountant.testing.instances import edge_cases, instances, underivable
from accountant.testing.moves import Move, happens, many_moves, several_moves, single_moves, whole_moves
from accountant.testing.once import Once
from accountant.testing.outputs import spread
from accountant.testing.trial import Kit, Trial

FAMILY = MECHANISMS

_MANY, _FEW = 12, 2
_ONE = Fraction(1)
_DRAWN = Once(most=1)


def trials(kit: Kit, kind: str, cls: type[Mechanism]) -> Iterator[Trial]:
    """Every law of mechanisms: on what the oracle says, on drawn parameters, on every case that the plugin offers."""
    subject = f"mechanism {kind}"
    oracle = kit.oracle(MechanismOracle, kind)
    if oracle is not None and oracle.says_outputs:
        for name, law in (_OF_OUTPUTS if oracle.moves is None else _OF_WHOLE_MOVES).items():
            yield Trial(name, kit.plugin, subject, partial(law, kit, oracle, cls), subject)
    exercised = partial(_on_cases, laws.mechanism_has_cases, kit, kind, cls)
    yield Trial("items have cases", kit.plugin, subject, exercised, subject)
    near = partial(_on_cases, laws.pairs_come_near_the_claim, kit, kind)
    yield Trial("exact pairs come near the claim", kit.plugin, f"{subject}, by its cases", near, subject)
    cases = [case for case in kit.mechanisms if case.mechanism.kind == kind]
    first = first_of_shape(cases)
    for case in cases:
        yield from on_case(kit, case, subject, case in first)
    for case in cases[:1]:
        releases = partial(laws.one_more_release_never_costs_less, case)
        yield Trial("one more release never costs less", kit.plugin, f"{case.name}, many times", releases, subject)
    if cls is not Claim:
        drawable = partial(laws.parameters_can_be_drawn, cls, kit.registry, oracle)
        yield Trial("parameters can be drawn", kit.plugin, subject, drawable, subject)
    if (oracle is not None and oracle.instances is not None) or not underivable(cls):
        if hasattr(cls, "simulate"):
            audited = partial(_on_runs, kit, oracle, cls)
            yield Trial("an audit never refutes the claim", kit.plugin, f"{subject}, drawn", audited, subject)
            if oracle is None or not oracle.says_outputs:
                seen = partial(_on_seen_errors, kit, oracle, cls)
                yield Trial("published numbers are as far off as is said", kit.plugin, subject, seen, subject)
        if cls.scaled is not Mechanism.scaled:
            wide = partial(_on_scaled, kit, oracle, cls)
            yield Trial("more noise never costs more", kit.plugin, f"{subject}, how much", wide, subject)
        alike = partial(_on_equal, kit, oracle, cls)
        yield Trial("order is irrelevant", kit.plugin, f"{subject}, drawn", alike, subject)
        for name, drawn in {**laws.DRAWN_LAWS, **laws.LOSS_LAWS}.items():
            on_loss = name in laws.LOSS_LAWS
            check = partial(_on_drawn, kit, oracle, cls, partial(_on_loss, drawn) if on_loss else drawn)
            yield Trial(name, kit.plugin, f"{subject}, drawn", check, subject)


def first_of_shape(cases: Iterable[MechanismCase]) -> list[MechanismCase]:
    """Of cases in which the same parameters are given, and which move as many coordinates, the first."""
    found: dict[tuple[object, ...], MechanismCase] = {}
    for case in cases:
        given = [member.name for member in attrs.fields(type(case.mechanism)) if _given(case.mechanism, member)]
        found.setdefault((case.mechanism.kind, *given, len(case.shift.coordinates or ())), case)
    return list(found.values())


def _given(mechanism: Mechanism, member: attrs.Attribute[Any]) -> bool:
    return bool(getattr(mechanism, member.name) != member.default)


def on_case(kit: Kit, case: MechanismCase, subject: str, first: bool = True) -> Iterator[Trial]:
    """Every law of mechanisms and their losses on one mechanism that moves one way.

    What takes longest is tried on the first case of its shape only, unless more is asked: runs, and several releases.
    """
    everything = first or kit.depth.level > 1
    shown = partial(laws.exact_output_is_declared, case.mechanism)
    yield Trial("exact output is declared", kit.plugin, case.name, shown, subject)
    for name, law in laws.MECHANISM_LAWS.items():
        if law is not laws.audits_never_refute_the_claim:
            yield Trial(name, kit.plugin, case.name, partial(law, case), subject)
        elif everything:
            audited = partial(law, case, kit.oracle(MechanismOracle, case.item))
            yield Trial(name, kit.plugin, case.name, audited, subject)
    for name, law in laws.LOSS_LAWS.items():
        yield Trial(name, kit.plugin, case.name, partial(_on_loss, law, case), subject)
    for name, law in laws.PLAN_LAWS.items():
        if everything or law is laws.written_and_read_is_equal:
            yield Trial(name, kit.plugin, case.name, partial(law, case, kit.registry), subject)
    other = kit.company[(kit.company.index(case) + 1) % len(kit.company)]
    for name, law in laws.COMPANY_LAWS.items() if everything else ():
        yield Trial(name, kit.plugin, case.name, partial(law, case, other, kit.registry), subject)


def _on_cases(law: Callable[..., None], kit: Kit, kind: str, *further: Any) -> None:
    """A law of the cases of a kind: those of the plugin itself, and where it has none those of all."""
    own = [case for case in kit.own_cases if case.item == kind]
    law(kind, *further, own or kit.cases)


def _on_loss(law: Callable[..., None], case: MechanismCase) -> None:
    law(loss_of(case))


# Parameters that are drawn ----------------------------------------------------------------------------------------------


def _values(kit: Kit, oracle: MechanismOracle | None, cls: type[Mechanism], usual: int) -> list[Mechanism]:
    """Mechanisms of a class: the plain and the extreme ones first, then drawn ones; more of them where more is asked."""
    return _DRAWN.find(kit, (cls, usual, kit.depth.seed), lambda: _found(kit, oracle, cls, usual))


def _found(kit: Kit, oracle: MechanismOracle | None, cls: type[Mechanism], usual: int) -> list[Mechanism]:
    most = kit.depth.examples(usual)
    fixed = () if oracle is not None and oracle.instances is not None else edge_cases(cls, kit.registry, most)
    drawn = examples(instances(cls, kit.registry, oracle), max(most - len(fixed), usual // 3), kit.depth)
    return list(dict.fromkeys((*fixed, *drawn)))


def _on_drawn(kit: Kit, oracle: MechanismOracle | None, cls: type[Mechanism], law: Callable[..., None]) -> None:
    """A law on parameters that are drawn, each with the first move that the mechanism accepts."""
    for mechanism in _values(kit, oracle, cls, _MANY // 2):
        shift = _accepted(mechanism)
        if shift is not None:
            law(MechanismCase("drawn", mechanism, shift))


def _on_equal(kit: Kit, oracle: MechanismOracle | None, cls: type[Mechanism]) -> None:
    """Losses of different parameters and moves: some are nearly the same."""
    moves = [Shift.along([move]) for move in (1, Fraction(3, 2), 2)]
    values = _values(kit, oracle, cls, _MANY // 2)
    found = (claimed(mechanism, shift) for mechanism in values for shift in moves)
    laws.equal_losses_read_alike([loss for loss in found if loss is not None])


def _on_scaled(kit: Kit, oracle: MechanismOracle | None, cls: type[Mechanism]) -> None:
    """As many times the noise as is asked for."""
    for mechanism in _values(kit, oracle, cls, _FEW)[: kit.depth.level]:
        laws.scaled_noise_is_as_wide(oracle, mechanism)


def _on_runs(kit: Kit, oracle: MechanismOracle | None, cls: type[Mechanism]) -> None:
    """Audits of parameters that are drawn, each with another move: broken, unequal in two coordinates, far."""
    for place, mechanism in enumerate(_values(kit, oracle, cls, _AUDITED)):
        for shift in (_RUN_MOVES[place % len(_RUN_MOVES)], Shift.along([1])):
            if happens(oracle, mechanism, shift) and claimed(mechanism, shift) is not None:
                laws.runs_of_any_parameters_keep_the_claim(mechanism, shift)
                break


def _on_seen_errors(kit: Kit, oracle: MechanismOracle | None, cls: type[Mechanism]) -> None:
    """How far numbers are off when the mechanism is run, where nothing else says it."""
    for mechanism in _values(kit, oracle, cls, _FEW):
        laws.errors_are_seen(mechanism)


_AUDITED = 6
_RUN_MOVES = tuple(Shift.along(moves) for moves in (["3/2"], ["1/2"], [2, -1], [5], [1, 1, 1], [1]))


def _accepted(mechanism: Mechanism) -> Shift | None:
    for shift in (Shift.along([1]), Shift.along([1, 1]), Shift.at([1]), Shift.at([1, 0]), Shift.at([1, 0, 0])):
        if claimed(mechanism, shift) is not None:
            return shift
    return None


# What the oracle says ---------------------------------------------------------------------------------------------------


def _claims(kit: Kit, oracle: MechanismOracle, cls: type[Mechanism]) -> None:
    """Outputs of one coordinate that moves, for many parameters; then for moves that are drawn."""
    compared = 0
    for place, mechanism in enumerate(_values(kit, oracle, cls, _MANY)):
        moves = list(single_moves(oracle, mechanism, spread(oracle, mechanism, Fraction(0))))
        # All moves with the plainest parameters, and a third of them with each of the others in turn.
        moves = moves if place < _FEW else moves[place % 3 :: 3]
        compared += sum(laws.outputs_never_beat_the_claim(oracle, mechanism, move) for move in moves)
    laws.require_evidence(oracle, compared)
    if oracle.answers is None:
        moved = st.fractions(-6, 6, max_denominator=4).filter(bool) | st.integers(1, 12).map(Fraction)
        drawn = {"mechanism": instances(cls, kit.registry, oracle), "by": moved}
        kit.searched(partial(_on_drawn_move, oracle), examples=12, **drawn)()


def _on_drawn_move(oracle: MechanismOracle, mechanism: Mechanism, by: Fraction) -> None:
    if mechanism.asks_query:
        laws.outputs_never_beat_the_claim(oracle, mechanism, Move((Fraction(0),), (by,), Shift.along([by])))


def _several(kit: Kit, oracle: MechanismOracle, cls: type[Mechanism]) -> None:
    """Outputs of several coordinates, and of several releases."""
    for place, mechanism in enumerate(_values(kit, oracle, cls, _FEW)):
        for move in (*several_moves(oracle, mechanism), *(() if place else many_moves(oracle, mechanism))):
            laws.outputs_never_beat_the_claim(oracle, mechanism, move)
        if place < _FEW:
            for move in itertools.islice(single_moves(oracle, mechanism, _ONE), 1):
                laws.outputs_never_beat_the_claim(oracle, mechanism, move, times=3)


def _whole(kit: Kit, oracle: MechanismOracle, cls: type[Mechanism]) -> None:
    """Outputs of the moves that the author lists."""
    compared = 0
    for mechanism in _values(kit, oracle, cls, _MANY):
        moves = whole_moves(oracle, mechanism)
        compared += sum(laws.outputs_never_beat_the_claim(oracle, mechanism, move) for move in moves)
    laws.require_evidence(oracle, compared)


def _near_by_whole(kit: Kit, oracle: MechanismOracle, cls: type[Mechanism]) -> None:
    """What is said to be lost at least, by the moves that the author lists."""
    for mechanism in _values(kit, oracle, cls, _MANY // 2):
        laws.some_listed_move_comes_near(oracle, mechanism, whole_moves(oracle, mechanism))


def _repeated(kit: Kit, oracle: MechanismOracle, cls: type[Mechanism]) -> None:
    """Outputs of several releases, each moved in the same way."""
    for mechanism in _values(kit, oracle, cls, _FEW):
        for move in whole_moves(oracle, mechanism)[:_FEW]:
            laws.outputs_never_beat_the_claim(oracle, mechanism, move, times=3)


def _attained(kit: Kit, oracle: MechanismOracle, cls: type[Mechanism]) -> None:
    """Losses that are said to be attained, and lower ends."""
    for mechanism in _values(kit, oracle, cls, _MANY // 2):
        moves = list(single_moves(oracle, mechanism, _ONE))
        for move in moves[:6]:
            laws.attained_losses_are_those_of_outputs(oracle, mechanism, move)
        for shift in dict.fromkeys(move.shift for move in moves):
            laws.lower_ends_are_reached(oracle, mechanism, shift, moves)


def _runs(kit: Kit, oracle: MechanismOracle, cls: type[Mechanism]) -> None:
    """What is seen when the mechanism is run."""
    for mechanism in _values(kit, oracle, cls, 4):
        places = laws.run_answers(oracle, mechanism)
        for answer in places:
            laws.runs_follow_the_outputs(oracle, mechanism, answer)
        laws.runs_are_independent(oracle, mechanism, places)


def _errors(kit: Kit, oracle: MechanismOracle, cls: type[Mechanism]) -> None:
    """How far published numbers are said to be off."""
    for mechanism in _values(kit, oracle, cls, 4):
        laws.errors_are_as_said(oracle, mechanism)


def _noise(kit: Kit, oracle: MechanismOracle, cls: type[Mechanism]) -> None:
    """The noise that is said to be added."""
    for mechanism in _values(kit, oracle, cls, 4):
        laws.noise_is_that_of_the_outputs(oracle, mechanism)


_OF_WHOLE_MOVES: dict[str, Callable[[Kit, MechanismOracle, type[Mechanism]], None]] = {
    "outputs never beat the claim": _whole,
    "outputs of several coordinates and releases never beat the claim": _repeated,
    "exact pairs come near the claim": _near_by_whole,
}


_OF_OUTPUTS: dict[str, Callable[[Kit, MechanismOracle, type[Mechanism]], None]] = {
    "outputs never beat the claim": _claims,
    "outputs of several coordinates and releases never beat the claim": _several,
    "attained losses are those of outputs": _attained,
    "runs follow the outputs": _runs,
    "published numbers are as far off as is said": _errors,
    "noise loses what is claimed": _noise,
}
