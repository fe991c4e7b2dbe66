"""What may go wrong in a published conversion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import attrs
from attrs import evolve

from accountant.numbers.interval import Interval
from accountant.promise.conversion import CONVERSIONS, Conversion
from accountant.promise.divergence import DIVERGENCES
from accountant.registry.registry import default_registry
from accountant.testing.places import far_parameters, far_points
from accountant.testing.planting import TENTH, changed

FAMILY = CONVERSIONS


def half_of_it(conversion: Conversion) -> Conversion:
    """A constant is half of what it should be."""
    return _converting(conversion, lambda parameter, at: _times(conversion.convert(parameter, at), Fraction(1, 2)))


def a_tenth_too_little(conversion: Conversion) -> Conversion:
    """A constant is nine tenths of what it should be."""
    return _converting(conversion, lambda parameter, at: _times(conversion.convert(parameter, at), TENTH))


def cut_off_far_out(conversion: Conversion) -> Conversion | None:
    """Parameters above three are taken for three."""

    def convert(parameter: Any, at: Mapping[str, Fraction]) -> Interval:
        values = {member.name: getattr(parameter, member.name) for member in attrs.fields(type(parameter))}
        return conversion.convert(evolve(parameter, **{name: min(v, Fraction(3)) for name, v in values.items()}), at)

    return None if _same(conversion, convert) else _converting(conversion, convert)


def small_delta_rounded(conversion: Conversion) -> Conversion | None:
    """A delta below 1e-12 is taken for that."""
    target = default_registry()[DIVERGENCES].get(conversion.target)
    if target is None or "delta" not in target.primary.at:
        return None

    def convert(parameter: Any, at: Mapping[str, Fraction]) -> Interval:
        return conversion.convert(parameter, {**at, **{w: max(at[w], Fraction(1, 10**12)) for w in at if w == "delta"}})

    return None if _same(conversion, convert) else _converting(conversion, convert)


def small_values_taken_for_nothing(conversion: Conversion) -> Conversion:
    """Parameters below a thousandth are taken for nothing."""

    def convert(parameter: Any, at: Mapping[str, Fraction]) -> Interval:
        first = attrs.fields(type(parameter))[0].name
        small = getattr(parameter, first) < Fraction(1, 1000)
        return Interval.of(0) if small else conversion.convert(parameter, at)

    return _converting(conversion, convert)


def tiny_values_taken_for_nothing(conversion: Conversion) -> Conversion | None:
    """Parameters below one in a billion are taken for nothing."""

    def convert(parameter: Any, at: Mapping[str, Fraction]) -> Interval:
        numbers = [getattr(parameter, member.name) for member in attrs.fields(type(parameter))]
        return Interval.of(0) if min(numbers) < Fraction(1, 10**9) else conversion.convert(parameter, at)

    return None if _same(conversion, convert) else _converting(conversion, convert)


def moderate_values_misread(conversion: Conversion) -> Conversion | None:
    """Between six fifths and five halves an eighth of what it should be is read from a table."""
    source = default_registry()[DIVERGENCES].get(conversion.source)
    if source is None or [member.name for member in attrs.fields(source.parameter)] != ["epsilon"]:
        return None

    def convert(parameter: Any, at: Mapping[str, Fraction]) -> Interval:
        found = conversion.convert(parameter, at)
        return _times(found, Fraction(1, 8)) if Fraction(6, 5) < parameter.epsilon < Fraction(5, 2) else found

    return _converting(conversion, convert)


def target_misspelt(conversion: Conversion) -> Conversion:
    """It leads to a definition that nobody registers."""
    return changed(conversion, target=conversion.target[::-1])


def source_and_target_exchanged(conversion: Conversion) -> Conversion:
    """It is said to lead from where it leads to."""
    return changed(conversion, source=conversion.target, target=conversion.source)


def _same(conversion: Conversion, convert: Callable[[Any, Mapping[str, Fraction]], Interval]) -> bool:
    """Whether another formula is the honest one after all."""
    source, target = (default_registry()[DIVERGENCES].get(name) for name in (conversion.source, conversion.target))
    places = ({},) if target is None else [at for _, at in far_points(target)]
    known = [] if source is None else list(far_parameters(source))
    return all(conversion.convert(each, at) == convert(each, at) for at in places for each in known)


def _converting(conversion: Conversion, convert: Callable[[Any, Mapping[str, Fraction]], Interval]) -> Conversion:
    return changed(conversion, convert=lambda self, parameter, at: convert(parameter, at))


def _times(found: Interval, share: Fraction) -> Interval:
    return Interval(float(share) * found.lower, float(share) * found.upper)
