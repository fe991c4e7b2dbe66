"""Laws of published conversions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from accountant.errors import InvalidValue
from accountant.loss import FiniteLoss, PrivacyLoss
from accountant.numbers.interval import Interval
from accountant.promise.conversion import Conversion
from accountant.promise.divergence import Divergence
from accountant.testing.counterexamples import broken, measured, method, safe, show, surely_worse
from accountant.testing.places import Places, points
from accountant.values.writing import at_words


def conversion_never_beats_the_lens(
    conversion: Conversion, source: Divergence, target: Divergence, parameter: Any, places: Places = points
) -> None:
    """A published value is never better than what some mechanism with that parameter attains."""
    for words, published, attained in _violations(conversion, target, parameter, source.worst_case(parameter), places):
        broken(
            f"the conversion '{conversion.name}' promises more than some mechanism keeps",
            parameter=source.describe(parameter),
            value=words,
            published=published,
            by_the_worst_case=attained,
            look_at=_suspect(conversion),
        )


def conversion_holds(
    conversion: Conversion, source: Divergence, target: Divergence, pair: FiniteLoss, places: Places = points
) -> None:
    """What a conversion makes of an exact pair's own parameter is never below the pair's value."""
    first = source.primary
    for reading, at in places(source):
        value = safe(measured(source, pair, at)) if reading == first else None
        if value is None:
            continue
        try:
            parameter = source.parameter(**at, **{first.value: value})
        except InvalidValue:
            continue
        for words, published, held in _violations(conversion, target, parameter, pair, places):
            broken(
                f"the conversion '{conversion.name}' must hold for every mechanism with that parameter",
                pair=show(pair),
                parameter=source.describe(parameter),
                value=words,
                published=published,
                by_the_pair=held,
                look_at=_suspect(conversion),
            )


def _suspect(conversion: Conversion) -> str:
    return f"{method(conversion, 'convert')}, from '{conversion.source}' to '{conversion.target}'"


def _violations(
    conversion: Conversion, target: Divergence, parameter: Any, loss: PrivacyLoss, places: Places
) -> Iterator[tuple[str, Interval, Interval]]:
    """Where a loss is certainly worse than what a conversion promises, with both values."""
    for reading, at in places(target):
        if reading == target.primary:
            published, value = conversion.convert(parameter, at), measured(target, loss, at)
            if surely_worse(value, published):
                yield reading.value + at_words(at), published, value
