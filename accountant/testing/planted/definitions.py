"""What may go wrong in a definition."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs
from attrs import evolve, field

from accountant.errors import AccountantError
from accountant.fields import about, exact
from accountant.loss import NO_LOSS, TOTAL_LOSS, BracketLoss, FiniteLoss, PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.promise.divergence import DIVERGENCES, Divergence, Properties, Reading
from accountant.testing.places import far_parameters, points
from accountant.testing.planting import TENTH, changed, faulty

FAMILY = DIVERGENCES
At = Mapping[str, Fraction]


def one_direction_read(definition: Divergence) -> Divergence | None:
    """The reverse of a loss is forgotten."""

    def measure(self: Divergence, loss: PrivacyLoss, at: At) -> Interval:
        return definition.measure(changed(loss, reverse=lambda own: own), at)

    skewed = FiniteLoss([("1/2", "1/4"), ("1/2", "3/4")])
    alike = all(
        _alike(definition.measure(loss, at), measure(definition, loss, at))
        for loss in (skewed, skewed.reverse())
        for _, at in points(definition)
    )
    return None if alike else changed(definition, measure=measure)


def a_tenth_too_little_read(definition: Divergence) -> Divergence:
    """Every number that is read is a tenth too small."""
    return _measuring(definition, lambda found, loss: _times(found, TENTH))


def lower_ends_left_open(definition: Divergence) -> Divergence | None:
    """Values are read from above only, though they are said to come back."""
    if not definition.properties.round_trip:
        return None
    return _measuring(definition, lambda found, loss: Interval(0.0, found.upper))


def fails_where_everything_may_be_lost(definition: Divergence) -> Divergence:
    """It divides by the chance that not everything is lost."""

    def divided(found: Interval, loss: PrivacyLoss) -> Interval:
        left = 1 - Fraction(loss.infinite().upper)
        return _times(found, left / left)

    return _measuring(definition, divided)


def infinite_losses_taken_for_large_ones(definition: Divergence) -> Divergence | None:
    """Where everything may be lost, a very large number is read."""
    if definition.measure(TOTAL_LOSS, _first_place(definition)).upper < math.inf:
        return None

    def capped(found: Interval, loss: PrivacyLoss) -> Interval:
        return Interval(min(found.lower, _VERY_LARGE), _VERY_LARGE) if found.upper == math.inf else found

    return _measuring(definition, capped)


_VERY_LARGE = 1e300


def _first_place(definition: Divergence) -> dict[str, Fraction]:
    return {word: definition.word(word).places[0] for word in definition.primary.at}


def fewer_outcomes_read_as_worse(definition: Divergence) -> Divergence | None:
    """A pair with few outcomes is read as worse than one with many."""
    if not definition.properties.post_processing:
        return None

    def fewer(found: Interval, loss: PrivacyLoss) -> Interval:
        return _times(found, 1 + Fraction(1, len(loss.atoms))) if isinstance(loss, FiniteLoss) else found

    return _measuring(definition, fewer)


def mixed_pairs_read_as_worse(definition: Divergence) -> Divergence | None:
    """Pairs that share many outcomes are read as worse than those that share none."""
    if not definition.properties.convexity:
        return None

    def shared(found: Interval, loss: PrivacyLoss) -> Interval:
        if not isinstance(loss, FiniteLoss):
            return found
        return _times(found, 1 + sum((min(p, q) for p, q in loss.atoms), Fraction(0)))

    return _measuring(definition, shared)


def small_delta_rounded(definition: Divergence) -> Divergence | None:
    """A delta below 1e-12 is taken for that."""
    if "delta" not in definition.primary.at:
        return None

    def measure(self: Divergence, loss: PrivacyLoss, at: At) -> Interval:
        return definition.measure(loss, {**at, "delta": max(at["delta"], Fraction(1, 10**12))} if "delta" in at else at)

    return changed(definition, measure=measure)


def second_reading_twice_as_kind(definition: Divergence) -> Divergence | None:
    """Another reading than the first says half as much."""
    if len(definition.readings) < 2:
        return None

    def measure(self: Divergence, loss: PrivacyLoss, at: At) -> Interval:
        found = definition.measure(loss, at)
        return found if definition.reading(at) == definition.primary else _times(found, Fraction(1, 2))

    return changed(definition, measure=measure)


def second_reading_a_little_harsher(definition: Divergence) -> Divergence | None:
    """Of pairs that are listed, another reading than the first says a little more."""
    if len(definition.readings) < 2:
        return None

    def measure(self: Divergence, loss: PrivacyLoss, at: At) -> Interval:
        found = definition.measure(loss, at)
        kept = definition.reading(at) == definition.primary or not isinstance(loss, FiniteLoss)
        return found if kept else _times(found, 1 + Fraction(1, 10**6))

    return changed(definition, measure=measure)


def fails_on_what_is_known_from_both_sides(definition: Divergence) -> Divergence:
    """It is read by a method that losses which are known from both sides only do not have."""

    def direct(found: Interval, loss: PrivacyLoss) -> Interval:
        if isinstance(loss, BracketLoss):
            raise AttributeError(f"'{type(loss).__name__}' object has no attribute 'atoms'")
        return found

    return _measuring(definition, direct)


def three_outcomes_read_as_worse(definition: Divergence) -> Divergence | None:
    """A pair with three outcomes is read as a little worse."""
    if not definition.properties.post_processing:
        return None

    def three(found: Interval, loss: PrivacyLoss) -> Interval:
        listed = isinstance(loss, FiniteLoss) and len(loss.atoms) == 3
        return _times(found, 1 + Fraction(1, 10**6)) if listed else found

    return _measuring(definition, three)


def worst_case_of_half(definition: Divergence) -> Divergence | None:
    """The worst case of a parameter is that of half of it."""
    return _worst(definition, lambda value: value / 2)


def cut_off_far_out(definition: Divergence) -> Divergence | None:
    """Values above twelve are taken for twelve."""
    return _worst(definition, lambda value: min(value, Fraction(12)))


def tens_forgotten(definition: Divergence) -> Divergence | None:
    """Values beyond ten start again."""
    return _worst(definition, lambda value: value % 10)


def group_forgotten(definition: Divergence) -> Divergence | None:
    """A group costs no more than one unit."""
    return None if _no_groups(definition) else changed(definition, group=lambda self, parameter, size: parameter)


def group_forgotten_of_a_curve(definition: Divergence) -> Divergence | None:
    """A group that keeps several points costs no more than one unit."""
    if type(definition).group_of is Divergence.group_of:
        return None

    def group_of(self: Divergence, points: Sequence[Any], size: int) -> Any:
        return tuple(points) if len(points) > 1 else definition.group_of(points, size)

    return changed(definition, group_of=group_of)


def square_forgotten_in_groups(definition: Divergence) -> Divergence | None:
    """A group of so many costs so many times as much, which is not always enough."""

    def group(self: Divergence, parameter: Any, size: int) -> Any:
        value = definition.primary.value
        return evolve(parameter, **{value: definition.values(parameter)[value] * size})

    if _no_groups(definition) or all(_linear(definition, parameter) for parameter in far_parameters(definition)):
        return None
    return changed(definition, group=group)


def curve_of_the_smallest_numbers(definition: Divergence) -> Divergence | None:
    """From several points the smallest number of each kind is taken."""

    def worst_case_of(self: Divergence, points: Sequence[Any]) -> PrivacyLoss:
        all_values = [definition.values(point) for point in points]
        return definition.worst_case(
            definition.parameter(**{name: min(values[name] for values in all_values) for name in all_values[0]})
        )

    # Of a single number the smallest is right, and of numbers that grow together those of one point.
    first, own = definition.primary, type(definition).worst_case_of
    if own is Divergence.worst_case_of or not first.at or first.trend != "falls":
        return None
    return changed(definition, worst_case_of=worst_case_of)


def lower_end_of_a_curve_too_high(definition: Divergence) -> Divergence | None:
    """From several points, what bounds every mechanism that keeps them is said to be lost by some."""
    own = type(definition).worst_case_of
    if own is Divergence.worst_case_of or not any(
        isinstance(definition.worst_case_of([point]), BracketLoss) for point in far_parameters(definition)
    ):
        return None

    def worst_case_of(self: Divergence, points: Sequence[Any]) -> PrivacyLoss:
        found = definition.worst_case_of(points)
        if isinstance(found, BracketLoss) and len(points) > 1:
            return BracketLoss(found.above, found.above)
        return found

    return changed(definition, worst_case_of=worst_case_of)


def stated_everywhere(definition: Divergence) -> Divergence | None:
    """What a parameter says at one place it is said to say everywhere."""
    if not definition.primary.at:
        return None
    value = definition.primary.value
    return changed(definition, stated=lambda self, parameter, at: Interval.of(definition.values(parameter)[value]))


def leak_forgotten(definition: Divergence) -> Divergence | None:
    """Without its leak nothing is said to be lost."""
    return None if definition.leak is None else changed(definition, without_leak=lambda self, parameter: NO_LOSS)


def word_of_the_reading_forgotten(definition: Divergence) -> Divergence | None:
    """The first reading does not name all of the parameter."""
    first = definition.primary
    if not first.at:
        return None
    return changed(definition, readings=(Reading(first.at[1:], first.value), *definition.readings[1:]))


def trend_the_wrong_way_round(definition: Divergence) -> Divergence | None:
    """What falls as a word grows is said to grow, and what grows to fall."""
    if all(reading.trend is None for reading in definition.readings):
        return None
    turned = (
        reading if reading.trend is None else evolve(reading, trend="falls" if reading.trend == "grows" else "grows")
        for reading in definition.readings
    )
    return changed(definition, readings=tuple(turned))


def parameter_that_no_reading_names(definition: Divergence) -> Divergence:
    """Its parameter has a further number, which the first reading does not name."""
    said = field(default=Fraction(1), converter=exact, kw_only=True, metadata=about("a further number"))
    further = faulty(definition.parameter, __annotations__={"further": Fraction}, further=said)
    return changed(definition, parameter=further)


def round_trip_declared_wrongly(definition: Divergence) -> Divergence | None:
    """An envelope is said to be attained."""
    known = definition.properties
    return None if known.round_trip else changed(definition, properties=evolve(known, round_trip=True))


def convexity_declared_wrongly(definition: Divergence) -> Divergence | None:
    """Mixtures are said never to be worse."""
    known: Properties = definition.properties
    return None if known.convexity else changed(definition, properties=evolve(known, convexity=True))


def slack_called_a_failure(definition: Divergence) -> Divergence | None:
    """Its delta is said to be the chance that the promise fails, and is none."""
    known: Properties = definition.properties
    delta = any("delta" in reading.at for reading in definition.readings)
    return changed(definition, properties=evolve(known, failure=True)) if delta and not known.failure else None


def sides_written_out(definition: Divergence) -> Divergence:
    """Its meaning speaks of two values, whatever neighbours are."""
    said = definition.meaning.format(one="with one value of a unit", other="with another", either="")
    return changed(definition, meaning=said)


def values_named_beside_the_sides(definition: Divergence) -> Divergence:
    """Its meaning leaves the sides open, and speaks of whole values before it does."""
    return changed(definition, meaning=f"for any one value of a unit, {definition.meaning}")


def times_said_of_a_difference(definition: Divergence) -> Divergence | None:
    """Its meaning says so many times where it is so much more, or forgets a power."""
    said = definition.meaning.replace("e^", "")
    said = re.sub(r"by more than (.*) likelier {one} than", r"more than \1 times as likely {one} as", said)
    return None if said == definition.meaning or "times as likely" not in said else changed(definition, meaning=said)


def half_said_of_the_whole(definition: Divergence) -> Divergence | None:
    """Its meaning says half of what it is."""
    said = definition.meaning.replace("by more than the", "by more than half the")
    return None if said == definition.meaning else changed(definition, meaning=said)


def number_left_out_of_the_meaning(definition: Divergence) -> Divergence | None:
    """Its meaning does not say what one of its several numbers does."""
    names = [member.name for member in attrs.fields(definition.parameter)]
    last = names[-1]
    if len(names) < 2 or last not in definition.meaning:
        return None
    return changed(definition, meaning=definition.meaning.replace(last, "some"))


def meaning_dropped(definition: Divergence) -> Divergence:
    """It does not say what its numbers mean."""
    return changed(definition, meaning="")


def _measuring(definition: Divergence, other: Any) -> Divergence:
    return changed(definition, measure=lambda self, loss, at: other(definition.measure(loss, at), loss))


def _worst(definition: Divergence, other: Callable[[Fraction], Fraction]) -> Divergence | None:
    value = definition.primary.value
    known = [definition.values(parameter)[value] for parameter in far_parameters(definition)]
    if all(other(each) == each for each in known):
        return None

    def worst_case(self: Divergence, parameter: Any) -> PrivacyLoss:
        try:
            less = evolve(parameter, **{value: other(definition.values(parameter)[value])})
        except AccountantError:
            less = parameter
        return definition.worst_case(less)

    return changed(definition, worst_case=worst_case)


def _alike(one: Interval, other: Interval) -> bool:
    return one.lower <= other.upper and other.lower <= one.upper


def _linear(definition: Divergence, parameter: Any) -> bool:
    """Whether two units cost twice as much as one, or as much as there is."""
    grown, value = definition.group(parameter, 2), definition.primary.value
    return grown is None or definition.values(grown)[value] <= 2 * definition.values(parameter)[value]


def _no_groups(definition: Divergence) -> bool:
    return type(definition).group is Divergence.group


def _times(found: Interval, share: Fraction) -> Interval:
    return Interval(float(share) * found.lower, float(share) * found.upper)
