"""Laws of every privacy definition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import attrs

from accountant.errors import InvalidValue, ReadingError
from accountant.loss import FiniteLoss, PrivacyLoss
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval, float_above
from accountant.promise.divergence import Divergence
from accountant.testing.counterexamples import (
    broken,
    delta,
    described,
    measured,
    meet,
    method,
    read,
    safe,
    show,
    surely_worse,
)
from accountant.testing.places import Places, epsilons, last_epsilons, points
from accountant.values.writing import at_words

_TIGHT, _LARGEST = 1e-6, 700.0

Channel = Sequence[Sequence[Fraction]]


def sent_through(pair: FiniteLoss, channel: Channel) -> FiniteLoss:
    """The pair after post-processing: row i of the channel is the law of the new outcome when the i-th old one happens."""
    rows = [channel[index % len(channel)] for index in range(len(pair.atoms))]
    outcomes = zip(
        *([(p * chance, q * chance) for chance in row] for (p, q), row in zip(pair.atoms, rows, strict=True)), strict=True
    )
    return FiniteLoss((sum(p for p, _ in outcome), sum(q for _, q in outcome)) for outcome in outcomes)


def mixed(first: FiniteLoss, second: FiniteLoss, weight: Fraction) -> FiniteLoss:
    """The first pair with probability `weight`, else the second; which of them was used is not shown."""
    none = (Fraction(0), Fraction(0))
    size = max(len(first.atoms), len(second.atoms))
    left, right = ([*pair.atoms, *[none] * (size - len(pair.atoms))] for pair in (first, second))
    return FiniteLoss(
        (weight * p + (1 - weight) * r, weight * q + (1 - weight) * s) for (p, q), (r, s) in zip(left, right, strict=True)
    )


def post_processing_never_raises(definition: Divergence, pair: FiniteLoss, channel: Channel) -> None:
    """Whatever is done to the output, the parameter does not get worse."""
    after = sent_through(pair, channel)
    for reading, at in points(definition):
        before_value, after_value = measured(definition, pair, at), measured(definition, after, at)
        if surely_worse(after_value, before_value):
            broken(
                f"post-processing must not worsen '{definition.name}', which declares so",
                pair=show(pair),
                channel=_shown(channel),
                after=show(after),
                value=reading.value + at_words(at),
                before_it=before_value,
                after_it=after_value,
            )


def mixtures_never_raise(definition: Divergence, first: FiniteLoss, second: FiniteLoss, weight: Fraction) -> None:
    """Choosing between two mechanisms by a coin is no worse than the worse of them."""
    both = mixed(first, second, weight)
    for reading, at in points(definition):
        parts = [measured(definition, pair, at) for pair in (first, second)]
        value = measured(definition, both, at)
        if all(surely_worse(value, part) for part in parts):
            broken(
                f"a mixture must not worsen '{definition.name}', which declares convexity",
                first=show(first),
                second=show(second),
                weight_of_the_first=plain(weight),
                value=reading.value + at_words(at),
                of_the_parts=" and ".join(str(part) for part in parts),
                of_the_mixture=value,
            )


def failures_are_chances(definition: Divergence, pair: FiniteLoss) -> None:
    """Where delta is said to be the chance that a promise fails, no more than that chance is beyond epsilon."""
    words = {word for reading in definition.readings for word in (*reading.at, reading.value)}
    if "delta" not in words:
        broken(
            f"'{definition.name}' must not say what its delta is, which it does not have",
            words=", ".join(sorted(words)),
            look_at="'properties': 'failure' is about a word 'delta'",
        )
    for reading, at in points(definition):
        value = measured(definition, pair, at)
        if reading.at != ("delta",) or reading.value != "epsilon" or not value.upper < _LARGEST:
            continue
        most = Fraction(math.exp(value.upper * (1 + _TIGHT) + _TIGHT))
        for direction, atoms in (("P to Q", pair.atoms), ("Q to P", [(q, p) for p, q in pair.atoms])):
            beyond = sum((p for p, q in atoms if p > most * q), Fraction(0))
            if beyond > at["delta"]:
                broken(
                    f"delta of '{definition.name}' is no chance of failure, which it declares",
                    pair=show(pair),
                    direction=direction,
                    said=f"{reading.value}{at_words(at)} is {value}",
                    chance_of_a_larger_loss=plain(beyond),
                    look_at="'properties': 'failure' is False where delta is a slack",
                )


def parameters_come_back(definition: Divergence, parameter: Any) -> None:
    """Measuring the worst case of a parameter gives it back: tightly where the definition declares a round trip."""
    worst, stated = definition.worst_case(parameter), definition.values(parameter)
    for reading in definition.readings:
        if not {*reading.at, reading.value} <= set(stated):
            continue
        at = {word: stated[word] for word in reading.at}
        value, wanted = measured(definition, worst, at), stated[reading.value]
        tight = value.width <= _TIGHT * max(1.0, abs(float(wanted)))
        if not value.contains(wanted) or (definition.properties.round_trip and not tight):
            broken(
                f"'{definition.name}' must give back its own parameter" + ("" if tight else ", and tightly"),
                parameter=described(definition, parameter),
                value=reading.value + at_words(at),
                measured_on_its_worst_case=value,
                lower=value.lower,
                upper=value.upper,
            )


def worst_case_dominates(definition: Divergence, loss: PrivacyLoss, places: Places = points) -> None:
    """The worst case of what was measured on a loss is at least that loss, in both directions."""
    for parameter in _kept(definition, loss, places):
        worst = definition.worst_case(parameter)
        _require_above(f"the worst case of '{definition.name}'", worst, loss, described(definition, parameter))


def curves_dominate(definition: Divergence, loss: PrivacyLoss, places: Places = points) -> None:
    """The worst case of all that was measured on a loss at once is at least that loss, in both directions."""
    held = list(_kept(definition, loss, places))
    try:
        worst = definition.worst_case_of(held) if len(held) > 1 else None
    except ReadingError:
        return
    if worst is not None:
        words = "; ".join(described(definition, parameter) for parameter in held)
        _require_above(f"the worst case of '{definition.name}' at several places", worst, loss, words)
        for parameter in held:
            _require_kept(definition, worst, parameter, words)


def _require_kept(definition: Divergence, worst: PrivacyLoss, parameter: Any, words: str) -> None:
    """The lower end of a worst case keeps what it is the worst case of: some mechanism that keeps it loses as much."""
    stated, first = definition.values(parameter), definition.primary
    value = measured(definition, worst, {word: stated[word] for word in first.at})
    if value.lower > float_above(stated[first.value]):
        broken(
            f"the lower end of the worst case of '{definition.name}' at several places must keep every one of them",
            points=words,
            not_kept=described(definition, parameter),
            lower_end=value.lower,
            look_at=method(definition, "worst_case_of"),
        )


def _kept(definition: Divergence, loss: PrivacyLoss, places: Places) -> Iterator[Any]:
    """The parameters that a loss satisfies by the first reading, at each place where there is one."""
    for reading, at in places(definition):
        if reading != definition.primary:
            continue
        value = safe(measured(definition, loss, at))
        parameter = None if value is None else parameter_of(definition, {**at, reading.value: value})
        if parameter is not None:
            yield parameter


def _require_above(what: str, worst: PrivacyLoss, loss: PrivacyLoss, parameter: str) -> None:
    for direction, above, below in (("P to Q", worst, loss), ("Q to P", worst.reverse(), loss.reverse())):
        most, told = (read(side, "the chance of an infinite loss", side.infinite) for side in (above, below))
        if told.lower > most.upper:
            broken(
                f"{what} must dominate every loss with that parameter, what tells everything included",
                loss=show(loss),
                parameter=parameter,
                direction=direction,
                chance_of_an_infinite_loss=told,
                in_the_worst_case=most,
                look_at="'measure', which may be too small, and 'worst_case'",
            )
        for point in (*epsilons(below), *last_epsilons(above)):
            allowed, found = delta(above, point), delta(below, point)
            if found.lower > allowed.upper:
                broken(
                    f"{what} must dominate every loss with that parameter",
                    loss=show(loss),
                    parameter=parameter,
                    direction=direction,
                    at_epsilon=plain(point),
                    delta_of_the_loss=found,
                    delta_of_the_worst_case=allowed,
                    look_at="'measure', which may be too small, and 'worst_case'",
                )


def directions_read_alike(definition: Divergence, loss: PrivacyLoss) -> None:
    """A loss and its reverse have the same parameter: neighbours are compared both ways."""
    for reading, at in points(definition):
        one, other = measured(definition, loss, at), measured(definition, loss.reverse(), at)
        if not meet(one, other):
            broken(
                f"'{definition.name}' must read both directions of a loss",
                loss=show(loss),
                value=reading.value + at_words(at),
                read_on_it=one,
                read_on_its_reverse=other,
                look_at="'measure': take the larger of the loss and loss.reverse()",
            )


def readings_are_one_promise(definition: Divergence, loss: PrivacyLoss) -> None:
    """Whoever keeps the value of one reading keeps every other that says the same with another word as its value."""
    for (first, at), second in itertools.product(points(definition), definition.readings):
        if first == second or {*first.at, first.value} != {*second.at, second.value}:
            continue
        value = safe(measured(definition, loss, at))
        stated = {} if value is None else {**at, first.value: value}
        if value is None or parameter_of(definition, stated) is None:
            continue
        found = measured(definition, loss, {word: stated[word] for word in second.at})
        if surely_worse(found, Interval.of(stated[second.value])):
            broken(
                f"the readings of '{definition.name}' must be one promise",
                loss=show(loss),
                **{"by one reading": f"{first.value}{at_words(at)} is {plain(value)}"},
                **{f"then {second.value} is at most": plain(stated[second.value])},
                **{"by the other reading": found},
            )


def larger_parameters_permit_more(definition: Divergence, parameter: Any) -> None:
    """A parameter whose value is larger, and nothing else, permits no less: its worst case dominates."""
    first, values = definition.primary, definition.values(parameter)
    larger = parameter_of(definition, {**values, first.value: values[first.value] * Fraction(3, 2)})
    if larger is None:
        return
    small, large = definition.worst_case(parameter), definition.worst_case(larger)
    for point in epsilons(small):
        before, after = delta(small, point), delta(large, point)
        if before.lower > after.upper:
            broken(
                f"a larger parameter of '{definition.name}' must not permit less",
                at_epsilon=plain(point),
                **{f"delta permitted by {described(definition, parameter)}": before},
                **{f"delta permitted by {described(definition, larger)}": after},
                look_at="'worst_case'",
            )


def stated_values_hold(definition: Divergence, parameter: Any, places: Places = points) -> None:
    """What a parameter says of the first reading elsewhere is not below what some mechanism with it attains."""
    worst = definition.worst_case(parameter)
    for reading, at in places(definition):
        stated = definition.stated(parameter, at) if reading == definition.primary else None
        if stated is None:
            continue
        value = measured(definition, worst, at)
        if surely_worse(value, stated):
            broken(
                f"what '{definition.name}' states without looking at a loss must hold for every mechanism with it",
                parameter=described(definition, parameter),
                value=reading.value + at_words(at),
                stated=stated,
                attained_by_its_worst_case=value,
                look_at="'stated'",
            )


def parameter_of(definition: Divergence, values: dict[str, Fraction]) -> Any | None:
    """The parameter with these values; None where the definition does not admit them."""
    try:
        return definition.parameter(**values)
    except InvalidValue:
        return None


def first_reading_names_the_parameter(definition: Divergence) -> None:
    """The words and the value of the first reading are the fields of the parameter: a budget is checked by it."""
    first, members = definition.primary, [member.name for member in attrs.fields(definition.parameter)]
    if sorted({*first.at, first.value}) != sorted(members):
        broken(
            f"the first reading of '{definition.name}' must name its parameter",
            parameter=", ".join(members),
            first_reading=f"{first.value} at {', '.join(first.at) or 'nothing'}",
        )


def readings_answer(definition: Divergence, loss: PrivacyLoss) -> None:
    """Every reading of a definition answers on every loss with an interval around the value."""
    for reading, at in points(definition):
        words = f"{reading.value} of '{definition.name}'{at_words(at)}"
        value = read(loss, words, definition.measure, loss, at)
        if not value.lower <= value.upper or (value.exact is not None and not value.lower <= value.exact <= value.upper):
            broken(f"{words} must be an interval around the value", loss=show(loss), ends=(value.lower, value.upper))


def _shown(channel: Channel) -> str:
    return "[" + ", ".join("(" + ", ".join(plain(chance) for chance in row) + ")" for row in channel) + "]"
