"""What may go wrong in a mechanism."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import isqrt, sqrt
from typing import Any

import attrs
from numpy.random import default_rng

from accountant import fields
from accountant.errors import AccountantError, ShiftError
from accountant.loss import NO_LOSS, TOTAL_LOSS, FiniteLoss, Noise, PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.plugin.cases import ConformanceCase, MechanismCase
from accountant.registry.registry import default_registry
from accountant.release.query import Shift
from accountant.release.release import MECHANISMS, Mechanism
from accountant.testing.instances import plainest
from accountant.testing.lossy import unless_same
from accountant.testing.parameters import bounds_of
from accountant.testing.planting import Cases, Offered, faulty, number_fields, offering, with_field
from accountant.values.schema import NUMBER_SCHEMA

FAMILY = MECHANISMS


def loss_of_a_smaller_shift(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Half of the way that the query moves is accounted for."""
    return _moved(cls, lambda move: move / 2, lambda move: Fraction((abs(move) + 1) // 2))


@offering(lambda cases: (case for case in cases if isinstance(case, MechanismCase)))
def a_little_less_lost_and_no_oracle(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Almost all of the way that the query moves is accounted for, and nothing says how likely outputs are."""
    almost = Fraction(499, 500)
    runs = hasattr(cls, "simulate") and _takes(cls, Shift.along([almost]))
    return _moved(cls, lambda move: move * almost) if runs else None


def second_coordinate_forgotten(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Only one of the coordinates that move is accounted for."""
    return _reshifted(cls, lambda shift: Shift.along((shift.coordinates or ())[:1]))


def l2_for_l1(cls: type[Mechanism]) -> type[Mechanism] | None:
    """All coordinates are put into one, as long as they are together by the L2 norm."""
    return _reshifted(cls, lambda shift: Shift.along([Fraction(isqrt(int(shift.l2_squared * 10**12)), 10**6)]))


def mean_of_the_coordinates(cls: type[Mechanism]) -> type[Mechanism] | None:
    """One coordinate is accounted for, which moves as all do on average."""

    def loss(mechanism: Mechanism, shift: Shift) -> PrivacyLoss:
        moves = [abs(move) for move in shift.coordinates or ()]
        return cls.loss(mechanism, Shift.along([Fraction(sum(moves) // len(moves))]) if len(set(moves)) > 1 else shift)

    return faulty(cls, loss=loss) if _takes(cls, Shift.along([3, 1])) else None


def chances_that_do_not_sum_to_one(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Where the query moves by more than one, chances are left out, and no loss can be made of them."""

    def loss(mechanism: Mechanism, shift: Shift) -> PrivacyLoss:
        if shift.linf > 1:
            return FiniteLoss([("1/2", "1/4"), ("1/4", "1/2")])
        return cls.loss(mechanism, shift)

    return faulty(cls, loss=loss) if _takes(cls, Shift.along([2])) else None


def third_coordinate_forgotten(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Only the two coordinates that move least are accounted for."""
    return _reshifted(cls, lambda shift: Shift.along(sorted(shift.coordinates or (), key=abs)[:2]))


def small_parameters_cut_off(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The first quarter of what a parameter may be is taken for what comes after it, where less is lost."""
    for member in attrs.fields(cls):
        bounds = bounds_of(member)
        reached = bounds.upper_allowed and member.converter is fields.exact
        if reached and bounds.width is not None and bounds.lower is not None:
            return _cut(cls, member.name, bounds.lower + bounds.width / 4)
    return None


def _cut(cls: type[Mechanism], name: str, least: Fraction) -> type[Mechanism] | None:
    def loss(mechanism: Mechanism, shift: Shift) -> PrivacyLoss:
        return cls.loss(attrs.evolve(mechanism, **{name: max(getattr(mechanism, name), least)}), shift)

    plain = plainest(cls, default_registry())
    known = [] if plain is None else [attrs.evolve(plain, **{name: end}) for end in (least * Fraction(99, 100), least)]
    lost = [cls.loss(mechanism, Shift.along([1])).delta(0) for mechanism in known]
    less = len(lost) == 2 and lost[1].upper < lost[0].lower
    return faulty(cls, loss=loss) if less else None


def attained_losses_made_up(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Some answers are said to lose everything, though what is claimed is less."""
    plain = plainest(cls, default_registry())
    own = cls.attained is not Mechanism.attained and plain is not None
    return faulty(cls, attained=lambda self, shift: (TOTAL_LOSS,)) if own else None


def twice_the_move_said_to_be_attained(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The loss that is said to be attained is that of twice the move."""

    def attained(self: Mechanism, shift: Shift) -> tuple[PrivacyLoss, ...]:
        return cls.attained(self, Shift.along([2 * move for move in shift.coordinates or ()]))

    own = cls.attained is not Mechanism.attained and _takes(cls, Shift.along([2]))
    return faulty(cls, attained=attained) if own else None


def falling_answers_forgotten(cls: type[Mechanism]) -> type[Mechanism] | None:
    """A move downwards is taken for a tenth of it."""
    tenth = Fraction(1, 10)
    return _moved(cls, lambda move: move if move > 0 else -move * tenth) if _takes(cls, Shift.along([tenth])) else None


def equal_coordinates_counted_once(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Of coordinates that move alike one is accounted for."""
    return _reshifted(cls, lambda shift: Shift.along(set(map(abs, shift.coordinates or ()))))


@offering(lambda cases: (case for case in cases if isinstance(case, MechanismCase)))
def broken_moves_cut_and_no_oracle(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Moves are rounded down to whole numbers, those below one up, and nothing says how likely outputs are."""
    runs = hasattr(cls, "simulate") and _takes(cls, Shift.along(["3/2"]))
    return _moved(cls, lambda move: max(Fraction(1), Fraction(abs(move) // 1))) if runs else None


def right_for_whole_moves_only(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Moves are rounded down to whole numbers."""
    return _moved(cls, lambda move: Fraction(abs(move) // 1)) if _takes(cls, Shift.along(["3/2"])) else None


def right_for_positive_moves_only(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Coordinates that fall are forgotten."""
    return _reshifted(cls, lambda shift: Shift.along(move for move in shift.coordinates or () if move > 0))


def norms_taken_for_one_coordinate(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Where only norms are known, the largest coordinate is taken for all there is."""

    def loss(mechanism: Mechanism, shift: Shift) -> PrivacyLoss:
        return cls.loss(mechanism, Shift.along([shift.linf]) if shift.coordinates is None else shift)

    return unless_same(cls, loss)


@offering(lambda cases: (case for case in cases if isinstance(case, MechanismCase)))
def norms_taken_for_one_coordinate_and_no_oracle(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The same where nothing says how likely outputs are."""
    return norms_taken_for_one_coordinate(cls)


def farthest_of_several_possible_moves(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Where several moves are possible the farthest coordinate is accounted for, however many move."""
    return _where(
        cls, _OF_SEVERAL, lambda shift: shift.coordinates is None and bool(shift.gathered), lambda shift: shift.linf
    )


def l2_norm_where_nothing_bounds_l1(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Where the L1 norm is not known the L2 norm is taken for it."""
    unknown = Shift(None, Fraction(4), Fraction(1))
    if _takes(cls, unknown) or not _takes(cls, Shift(Fraction(4), Fraction(4), Fraction(1))):
        return None
    return _where(cls, unknown, lambda shift: shift.in_l1 is None, lambda shift: Fraction(isqrt(int(shift.l2_squared))))


def losses_kept_by_words(cls: type[Mechanism]) -> type[Mechanism] | None:
    """What was found of a shift is kept under its words, and these leave out what they do not need."""
    alike = [Shift(Fraction(4), Fraction(square), Fraction(2)) for square in (6, 8)]
    if len({str(shift) for shift in alike}) > 1 or not all(_takes(cls, shift) for shift in alike):
        return None
    found: dict[tuple[Mechanism, str], PrivacyLoss] = {}

    def loss(mechanism: Mechanism, shift: Shift) -> PrivacyLoss:
        place = mechanism, str(shift)
        if place not in found:
            found[place] = cls.loss(mechanism, shift)
        return found[place]

    plain = plainest(cls, default_registry())
    same = plain is None or cls.loss(plain, alike[0]) == cls.loss(plain, alike[1])
    return None if same else faulty(cls, loss=loss)


def one_sided_moves_halved(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Where it is known which neighbour has more, half is accounted for."""
    one_sided = attrs.evolve(Shift.along([1]), one_sided=True)
    return _where(cls, one_sided, lambda shift: shift.one_sided, lambda shift: shift.linf / 2)


_OF_SEVERAL = Shift.worst([Shift.along([1, -1]), Shift.along([1, 1])])


def _where(
    cls: type[Mechanism], example: Shift, said: Callable[[Shift], bool], far: Callable[[Shift], Fraction]
) -> type[Mechanism] | None:
    """Shifts of which something is said are taken for a move of one coordinate."""

    def loss(mechanism: Mechanism, shift: Shift) -> PrivacyLoss:
        return cls.loss(mechanism, Shift.along([far(shift)]) if said(shift) else shift)

    return faulty(cls, loss=loss) if cls.needs_query and _takes(cls, Shift.along([far(example)])) else None


def numbers_said_to_be_closer(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Published numbers are said to be half as far off as they are."""
    plain = plainest(cls, default_registry())
    if plain is None or plain.error(Fraction(19, 20)) is None:
        return None

    def error(mechanism: Mechanism, share: Fraction) -> Interval | None:
        found = cls.error(mechanism, share)
        return None if found is None else Interval(found.lower / 2, found.upper / 2)

    return faulty(cls, error=error)


@offering(lambda cases: (case for case in cases if isinstance(case, MechanismCase)))
def numbers_said_to_be_closer_and_no_oracle(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The same where nothing says how likely outputs are."""
    return numbers_said_to_be_closer(cls) if hasattr(cls, "simulate") else None


def large_moves_cut_off(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Moves beyond three are taken for three."""
    return _moved(cls, lambda move: min(abs(move), Fraction(3)))


def far_moves_start_again(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Moves beyond five are taken for one, as if a table ended there."""
    return _moved(cls, lambda move: move if abs(move) <= 5 else Fraction(1))


@offering(lambda cases: (case for case in cases if isinstance(case, MechanismCase)))
def far_moves_start_again_and_no_oracle(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The same where nothing says how likely outputs are."""
    return far_moves_start_again(cls) if hasattr(cls, "simulate") else None


def scaled_the_wrong_way(cls: type[Mechanism]) -> type[Mechanism] | None:
    """More noise is less noise."""
    return None if cls.scaled is Mechanism.scaled else faulty(cls, scaled=lambda self, by: cls.scaled(self, 1 / by))


def output_of_more_noise_changed(cls: type[Mechanism]) -> type[Mechanism] | None:
    """It is said merely to change the output of the same mechanism with twice the noise."""
    none = cls.scaled is Mechanism.scaled
    return None if none else faulty(cls, unprocessed=lambda self: cls.scaled(self, Fraction(2)))


def small_moves_cost_nothing(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Where a query moves by less than a thousandth nothing is lost."""

    def loss(self: Mechanism, shift: Shift) -> PrivacyLoss:
        return NO_LOSS if shift.linf < Fraction(1, 1000) else cls.loss(self, shift)

    return faulty(cls, loss=loss) if cls.needs_query else None


def noise_squared_when_scaled(cls: type[Mechanism]) -> type[Mechanism] | None:
    """With twice the noise asked for it has four times as much."""
    return None if cls.scaled is Mechanism.scaled else faulty(cls, scaled=lambda self, by: cls.scaled(self, by**2))


def root_of_the_noise_when_scaled(cls: type[Mechanism]) -> type[Mechanism] | None:
    """With four times the noise asked for it has twice as much."""

    def scaled(self: Mechanism, by: Fraction) -> Mechanism | None:
        return cls.scaled(self, Fraction(sqrt(by)))

    return None if cls.scaled is Mechanism.scaled else faulty(cls, scaled=scaled)


def noise_shared_when_run(cls: type[Mechanism]) -> type[Mechanism] | None:
    """All coordinates get the same noise when it is run."""
    simulate: Any = getattr(cls, "simulate", None)

    def run(self: Any, answers: Any, generator: Any) -> Any:
        return answers + simulate(self, 0 * answers[:, :1], generator)

    return None if simulate is None else faulty(cls, simulate=run)


def answers_rounded_when_run(cls: type[Mechanism]) -> type[Mechanism] | None:
    """Answers are rounded to whole numbers when it is run."""
    simulate: Any = getattr(cls, "simulate", None)
    if simulate is None or not _takes(cls, Shift.along(["1/2"])):
        return None
    return faulty(cls, simulate=lambda self, answers, generator: simulate(self, answers.round(), generator))


def same_noise_whenever_run(cls: type[Mechanism]) -> type[Mechanism] | None:
    """It has a generator of its own when it is run, which begins anew every time."""
    simulate: Any = getattr(cls, "simulate", None)
    if simulate is None:
        return None
    return faulty(cls, simulate=lambda self, answers, generator: simulate(self, answers, default_rng(0)))


@offering(lambda cases: (case for case in cases if isinstance(case, MechanismCase)))
def wide_noise_cut_when_run(cls: type[Mechanism]) -> type[Mechanism] | None:
    """What is run has a third of the noise but where cases are, and nothing says how likely outputs are."""
    simulate: Any = getattr(cls, "simulate", None)
    names = list(number_fields(cls))
    if simulate is None or not names:
        return None

    def run(self: Any, answers: Any, generator: Any) -> Any:
        share = 1.0 if getattr(self, names[0]) in _OF_CASES else 1 / 3
        return answers + share * (simulate(self, answers, generator) - answers)

    return faulty(cls, simulate=run)


_OF_CASES = tuple(Fraction(value) for value in ("1/2", 1, 2, 4, 8, 30))


def half_the_noise_when_run(cls: type[Mechanism]) -> type[Mechanism] | None:
    """What is run has half the noise that is accounted for."""
    return _run(cls, 0.5)


def a_tenth_less_noise_when_run(cls: type[Mechanism]) -> type[Mechanism] | None:
    """What is run has nine tenths of the noise that is accounted for."""
    return _run(cls, 0.9)


def exact_output_hidden(cls: type[Mechanism]) -> type[Mechanism] | None:
    """What the output shows exactly is not declared."""
    return faulty(cls, publishes=lambda self: ()) if cls.theorem.exactly else None


def scope_exceeded(cls: type[Mechanism]) -> type[Mechanism] | None:
    """It is said to hold between neighbours that its theorem does not cover."""
    return faulty(cls, relations=None) if cls.theorem.relations is not None else None


def parameter_halved_when_read(cls: type[Mechanism]) -> type[Mechanism] | None:
    """A parameter is halved when it is read, and so again when what was written is read."""
    names = [name for name in number_fields(cls) if name not in cls.alternatives]

    said = fields.about("a number", schema=NUMBER_SCHEMA)
    halved = {"converter": lambda value: fields.exact(value) / 2, "metadata": said}
    return with_field(cls, names[0], **halved) if names else None


def half_as_much_noise_again_when_run(cls: type[Mechanism]) -> type[Mechanism] | None:
    """What is run has more noise than is accounted for."""
    return _run(cls, 1.5)


@offering(lambda cases: (case for case in cases if isinstance(case, MechanismCase)))
def half_the_noise_when_run_and_no_oracle(cls: type[Mechanism]) -> type[Mechanism] | None:
    """What is run has half the noise that is accounted for, and nothing says how likely outputs are."""
    return _run(cls, 0.5)


def noise_said_to_be_wider(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The noise that is said to be added is that of twice the scale."""
    plain = plainest(cls, default_registry())
    wider = None if plain is None else plain.scaled(Fraction(2))
    if plain is None or wider is None or plain.added_noise() is None or wider.added_noise() == plain.added_noise():
        return None

    def added_noise(mechanism: Mechanism) -> Noise | None:
        twice = cls.scaled(mechanism, Fraction(2))
        return None if twice is None else cls.added_noise(twice)

    return faulty(cls, added_noise=added_noise)


def places_said_to_be_near(cls: type[Mechanism]) -> type[Mechanism] | None:
    """The noise is said to hide places that it hardly hides."""
    plain = plainest(cls, default_registry())
    known = None if plain is None else plain.added_noise()
    if known is None or known.whole:
        return None

    def added_noise(mechanism: Mechanism) -> Noise | None:
        noise = cls.added_noise(mechanism)
        if noise is None:
            return None
        far = {"near": property(lambda noise: Fraction(noise.reach(-12.0)))}
        said: Noise = type("Said", (type(noise),), far)(*attrs.astuple(noise, recurse=False))
        return said

    return faulty(cls, added_noise=added_noise)


def parameter_of_any_kind(cls: type[Mechanism]) -> type[Mechanism]:
    """A parameter of which the field does not say what it may be."""
    said = fields.about("further settings", schema={"type": "object"})
    return faulty(cls, __annotations__={"settings": Any}, settings=attrs.field(default=None, kw_only=True, metadata=said))


def _first_pairs(pairs: tuple[FiniteLoss, ...]) -> Offered:
    """The first case of several with exact pairs has other ones."""

    def change(cases: Cases) -> Iterator[ConformanceCase]:
        with_pairs = [case for case in cases if isinstance(case, MechanismCase) and case.pairs]
        for case in cases:
            first = len(with_pairs) > 1 and case is with_pairs[0]
            yield attrs.evolve(with_pairs[0], pairs=pairs) if first else case

    return change


@offering(_first_pairs((FiniteLoss([("1/2", "1/2"), ("1/2", "1/2")]),)))
def pairs_of_one_case_made_up(cls: type[Mechanism]) -> type[Mechanism]:
    """One of several cases has a pair whose two laws are equal."""
    return cls


def _weak(cases: Cases) -> Iterator[ConformanceCase]:
    pair = FiniteLoss([("1001/2000", "999/2000"), ("999/2000", "1001/2000")])
    for case in cases:
        yield attrs.evolve(case, pairs=(pair,)) if isinstance(case, MechanismCase) and case.pairs else case


@offering(_weak)
def pairs_of_answers_that_hardly_differ(cls: type[Mechanism]) -> type[Mechanism]:
    """The exact pairs are those of two answers that hardly differ."""
    return cls


def _reshifted(cls: type[Mechanism], other: Callable[[Shift], Shift]) -> type[Mechanism] | None:
    """The loss of another shift where several coordinates are known, or one; norms stay as they are."""

    def loss(mechanism: Mechanism, shift: Shift) -> PrivacyLoss:
        wrong = shift if shift.coordinates is None else other(shift)
        return cls.loss(mechanism, shift if wrong.is_zero else wrong)

    return unless_same(cls, loss)


def _moved(cls: type[Mechanism], *ways: Callable[[Fraction], Fraction]) -> type[Mechanism] | None:
    """The loss of other moves: the first of several ways that the mechanism takes."""

    def loss(mechanism: Mechanism, shift: Shift) -> PrivacyLoss:
        for way in ways if shift.coordinates else ():
            wrong = Shift.along(map(way, shift.coordinates or ()))
            try:
                return cls.loss(mechanism, shift if wrong.is_zero else wrong)
            except ShiftError:
                continue
        return cls.loss(mechanism, shift)

    return unless_same(cls, loss)


def _takes(cls: type[Mechanism], shift: Shift) -> bool:
    plain = plainest(cls, default_registry())
    try:
        return plain is not None and plain.loss(shift) is not None
    except AccountantError:
        return False


def _run(cls: type[Mechanism], share: float) -> type[Mechanism] | None:
    simulate: Any = getattr(cls, "simulate", None)
    if simulate is None:
        return None
    return faulty(cls, simulate=_less(simulate, share))


def _less(simulate: Callable[..., Any], share: float) -> Callable[..., Any]:
    def run(self: Any, answers: Any, generator: Any) -> Any:
        return answers + share * (simulate(self, answers, generator) - answers)

    return run
