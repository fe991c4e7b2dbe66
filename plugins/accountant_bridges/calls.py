"""Calls of constructors of OpenDP 0.16: what each is given, by the names that `dp.serialize` writes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from attrs import Attribute, field, frozen

from accountant import InvalidValue
from accountant.fields import about, above, below, exact, exact_list, shown, text

INSTEAD = "state what its map says as a claim in the plan"
"""What to do about what is refused."""
WHOLE = {f"{sign}{bits}" for sign in "iu" for bits in (8, 16, 32, 64, 128)} | {"usize", "isize"}
"""The types of whole numbers."""


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue(f"expected true or false, got {shown(value)}")
    return value


def _optional_flag(value: Any) -> bool | None:
    return None if value is None else _flag(value)


def no_whole_numbers(type_: str) -> str:
    """Why numbers of a type are refused."""
    return f"'{type_}' are no whole numbers, and noise on others is drawn on a lattice; {INSTEAD}"


def _whole(_: object, attribute: Attribute[Any], value: str) -> None:
    if value not in WHOLE:
        raise InvalidValue(no_whole_numbers(value))


def _two(_: object, attribute: Attribute[Any], value: tuple[Fraction, ...] | None) -> None:
    if value is not None and len(value) != 2:
        raise InvalidValue(f"expected a lower and an upper bound, got {len(value)} numbers")


@frozen
class Call:
    """The call of a constructor, as it is written."""

    function: str = field(alias="__function__", converter=text, metadata=about("the constructor"))
    module: str = field(alias="__module__", converter=text, metadata=about("the module of the constructor"))
    given: Any = field(alias="__kwargs__", metadata=about("what it was given"))
    version: str = field(alias="__version__", converter=text, metadata=about("the version of OpenDP"))


@frozen
class Composition:
    """Several measurements."""

    measurements: Any = field(metadata=about("the measurements, a list"))


@frozen
class Chain:
    """Noise over a transformation."""

    measurement1: Any = field(metadata=about("the noise"))
    transformation0: Any = field(metadata=about("what it is added to"))


@frozen
class NoiseCall:
    """Noise of a scale."""

    input_domain: Any = field(metadata=about("what is given to the noise"))
    input_metric: Any = field(metadata=about("how far that moves"))
    scale: Fraction = field(converter=exact, validator=above(0), metadata=about("the scale of the noise"))
    measure: str = field(alias="MO", converter=text, metadata=about("what its map says"))


@frozen
class Response:
    """Randomised response on any answers."""

    categories: Any = field(metadata=about("the answers there are, a list"))
    prob: Fraction = field(converter=exact, validator=[above(0), below(1)], metadata=about("the chance of the true one"))
    type: str = field(alias="T", converter=text, metadata=about("the type of answers"))


@frozen
class YesOrNo:
    """Randomised response on two answers."""

    prob: Fraction = field(converter=exact, validator=[above(0), below(1)], metadata=about("the chance of the true one"))
    constant_time: bool = field(converter=_flag, metadata=about("whether it takes the same time always"))


@frozen
class Same:
    """What a transformation gives out."""

    this: Any = field(metadata=about("the transformation"))


@frozen
class Count:
    """How many records there are."""

    input_domain: Any = field(metadata=about("the records"))
    input_metric: Any = field(metadata=about("how far datasets are apart"))
    to: str = field(alias="TO", converter=text, validator=_whole, metadata=about("the type of the count"))


@frozen
class Sum:
    """The sum of all records."""

    input_domain: Any = field(metadata=about("the records"))
    input_metric: Any = field(metadata=about("how far datasets are apart"))


@frozen
class AnyRecords:
    """Any number of records."""

    atom_domain: Any = field(metadata=about("what a record is"))


@frozen
class TwoNumbers:
    """Two numbers, as tuples are written."""

    items: tuple[Fraction, ...] | None = field(
        alias="__tuple__", converter=exact_list, validator=_two, metadata=about("two numbers")
    )


@frozen
class OneRecord:
    """A record that is a number."""

    type: str = field(alias="T", converter=text, metadata=about("the type of a record"))
    bounds: Any = field(default=None, metadata=about("what a record lies between"))
    nan: bool | None = field(default=None, converter=_optional_flag, metadata=about("whether a record may be no number"))


@frozen
class Nothing:
    """What has no parameters."""
