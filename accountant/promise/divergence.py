"""Divergence: one privacy definition, as a lens on the privacy loss."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from attrs import field, fields as attrs_fields, frozen

from accountant.display.brief import Brief
from accountant.errors import InvalidValue, ReadingError
from accountant.fields import Instance, exact_list, text
from accountant.numbers.exact import plain
from accountant.numbers.interval import Interval
from accountant.promise.theorem import Adaptivity, Theorem
from accountant.values.family import Family

if TYPE_CHECKING:
    from accountant.loss import PrivacyLoss
    from accountant.promise.statement import Quantity
    from accountant.promise.words import ComparedPairs


@frozen
class Properties(Brief):
    """What a definition declares about itself; the conformance laws hold it to its word."""

    post_processing: bool
    convexity: bool
    round_trip: bool
    """Whether `measure(worst_case(a))` gives back `a`; where not, `worst_case` is an envelope that no mechanism attains."""
    failure: bool = False
    """Whether the word delta is the chance that the promise fails. Elsewhere it is a slack, and no such chance."""


@frozen
class Reading(Brief):
    """One way to read a definition off a loss: the words that must be given and the name of the value that comes back.

    A smaller value promises more. Of one word, `trend` says how the value changes as the word grows. Guarantee: so it is
    for every loss.
    """

    at: tuple[str, ...]
    value: str
    trend: Literal["falls", "grows"] | None = None
    """None where it does neither, or nobody says: then nothing is known between places that were read."""


@frozen
class Word(Brief):
    """A word at which a definition is read: what it is, and places worth trying, the most telling first.

    `span` is the range over which a curve is worth reading, on a `logarithmic` axis or on a plain one.
    """

    about: str = field(converter=text)
    places: tuple[Fraction, ...] = field(converter=exact_list)
    span: tuple[Fraction, Fraction] | None = field(default=None, converter=exact_list)
    logarithmic: bool = False

    def __attrs_post_init__(self) -> None:
        if self.span is None:
            return
        if len(self.span) != 2 or not self.span[0] < self.span[1]:
            raise InvalidValue(f"the span of '{self.about}' is a smaller and a larger place, got {len(self.span)} places")
        if self.logarithmic and self.span[0] <= 0:
            raise InvalidValue(f"the span of '{self.about}' starts above 0 on a logarithmic axis")


@frozen
class Divergence(Brief, ABC):
    """A privacy definition: its parameter, and two maps between parameters and losses.

    `measure` is the smallest parameter that a loss satisfies; `worst_case` is the largest loss that a parameter
    permits. Conversion from definition A to B is `B.measure(A.worst_case(a))`.

    `parameter` is a frozen attrs class whose fields are the parameters by name. The first of `readings` is the one a
    budget is checked by: its words and its value together are exactly those fields.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    meaning: ClassVar[str]
    """What its numbers mean, with the two sides of a comparison as `{one}` and `{other}`, and `{either}` where the order of
    the sides matters: "as likely {one} as {other}{either}"."""
    parameter: ClassVar[type[Any]]
    readings: ClassVar[tuple[Reading, ...]]
    words: ClassVar[Mapping[str, Word]] = {}
    """The words of its readings. The command line offers each as an option, and laws read the definition at its places."""
    properties: ClassVar[Properties]
    measure_theorem: ClassVar[Theorem]
    worst_case_theorem: ClassVar[Theorem]
    usual: ClassVar[bool] = False
    """Whether its words mean this definition where nobody names one, as in `account.epsilon(delta="1e-6")`. Of definitions
    that share their words one at most says so."""
    elsewhere: ClassVar[tuple[str, ...]] = ()
    """What others call it, in small letters: whoever asks for that is told its name here."""
    leak: ClassVar[str | None] = None
    """The word of the primary reading, if there is one, that is a chance with which everything may be lost.

    Guarantee: whoever keeps a parameter, except that with a further chance everything is lost, keeps the same parameter
    with this word larger by that chance. What is lost otherwise is said by `without_leak`.
    """

    @property
    def primary(self) -> Reading:
        """The first reading: the one that a budget is checked by."""
        return self.readings[0]

    @abstractmethod
    def measure(self, loss: PrivacyLoss, at: Mapping[str, Fraction]) -> Interval:
        """The value of the reading named by the words in `at`, over both directions of the loss.

        Guarantee: the interval contains the smallest value that the loss satisfies.
        """

    @abstractmethod
    def worst_case(self, parameter: Any) -> PrivacyLoss:
        """A loss that dominates every mechanism with this parameter.

        Guarantee: readings of the returned loss have upper ends that hold for every such mechanism and lower ends that
        some such mechanism attains.
        """

    def worst_case_of(self, points: Sequence[Any]) -> PrivacyLoss:
        """A loss that dominates every mechanism which satisfies all these parameters at once: a curve, known at points.

        Guarantee: as for `worst_case`. A definition whose parameter is one number is settled by the smallest.
        """
        if len(points) == 1:
            return self.worst_case(points[0])
        raise ReadingError(f"'{self.name}' has no curves: give one parameter, the smallest that is known")

    def without_leak(self, parameter: Any) -> PrivacyLoss:
        """The largest loss that a parameter permits where its leak does not happen.

        Guarantee: losing everything with the chance that `leak` names, and this otherwise, dominates every mechanism with
        the parameter.
        """
        return self.worst_case(parameter)

    def stated(self, parameter: Any, at: Mapping[str, Fraction]) -> Interval | None:
        """What a parameter says of the first reading at these words without looking at any loss, if it says anything."""
        values, first = self.values(parameter), self.primary
        same = {word: values[word] for word in first.at} == dict(at)
        return Interval.of(values[first.value]) if same else None

    def group(self, parameter: Any, size: int) -> Any | None:
        """A parameter that holds when `size` units differ instead of one, or None where no rule is known."""
        return None

    def group_of(self, points: Sequence[Any], size: int) -> tuple[Any, ...] | None:
        """Parameters that hold when `size` units differ, given that these hold at once for one; None where no rule is."""
        grown = tuple(self.group(point, size) for point in points)
        return None if any(point is None for point in grown) else grown

    def reading(self, at: Mapping[str, Fraction]) -> Reading:
        """The reading that the given words ask for; an error that lists the ones on offer otherwise."""
        for reading in self.readings:
            if set(reading.at) == set(at):
                return reading
        offers = " or ".join(
            f"{reading.value} at {' and '.join(reading.at)}" if reading.at else f"{reading.value} on its own"
            for reading in self.readings
        )
        asked = " and ".join(sorted(at)) or "no reading word"
        raise ReadingError(f"'{self.name}' gives {offers}; it cannot be read with {asked}")

    def word(self, name: str) -> Word:
        """What is known of a word; one that is not described is tried where most numbers make sense."""
        return self.words.get(name, Word(name, ("1/2",)))

    def means(self, comparison: ComparedPairs) -> str:
        """What its numbers mean between the datasets of a comparison."""
        said = self.meaning.format(one=comparison.one, other=comparison.other, either=comparison.either)
        return f"{comparison.agreeing}{said}"

    def quantity(self, at: Mapping[str, Fraction]) -> Quantity:
        """What the value of a reading counts, for two output laws."""
        from accountant.loss import FiniteLoss
        from accountant.promise.statement import Quantity

        value = self.reading(at).value
        return Quantity(f"{value} of {self.title}", lambda outcomes, words: self.measure(FiniteLoss(outcomes), words))

    def stating(self, values: Mapping[str, Any]) -> Any:
        """The parameter with these values by name; InvalidValue with all that is wrong with them otherwise."""
        from accountant.values.reading import made

        return made(self.parameter, values, f"'{self.name}'")

    def values(self, parameter: Any) -> dict[str, Fraction]:
        """The parameter as a mapping from names to exact values."""
        return {item.name: getattr(parameter, item.name) for item in attrs_fields(type(parameter))}

    def describe(self, parameter: Any) -> str:
        """The parameter in one line."""
        return ", ".join(f"{name} = {plain(value)}" for name, value in self.values(parameter).items())


@frozen
class CompositionRule(Brief, ABC):
    """How parameters of one definition add up over releases, without looking at the losses behind them.

    `merges` says that claims of this definition lose nothing when they are added up before anything else is done.
    `places` are the reading words, of the definition's first reading, at which values are added up when another definition
    is to be read from the sums; a rule holds at every place on its own.
    """

    name: ClassVar[str]
    divergence: ClassVar[str]
    adaptivity: ClassVar[Adaptivity]
    theorem: ClassVar[Theorem]
    merges: ClassVar[bool]
    title: ClassVar[str | None] = None
    """What the rule does with the values, in words; that they are summed up where nothing is said."""
    places: ClassVar[tuple[Mapping[str, Fraction], ...]] = ({},)

    @abstractmethod
    def compose(self, parts: Sequence[tuple[Interval, int]]) -> Interval:
        """The value of the first reading for all parts together, each a value at one place and how often it is spent."""


@frozen
class Summable(CompositionRule):
    """A rule by which weights add up, where the weight of a value is a growing function of it.

    Guarantee: composing values is summing their weights, so that a running total may be added to, and taken from.
    """

    usual: ClassVar[bool] = False
    """Whether a budget whose own definition has no rule is kept by adding up values of this one, if nobody says how."""

    @abstractmethod
    def weight(self, value: Fraction) -> Fraction:
        """The weight of a value."""

    @abstractmethod
    def value(self, weight: Fraction) -> Interval:
        """The value that has a weight."""


@frozen
class Additive(Summable):
    """A rule by which values simply add up."""

    def compose(self, parts: Sequence[tuple[Interval, int]]) -> Interval:
        return sum((value.times(count) for value, count in parts), Interval.of(0))

    def weight(self, value: Fraction) -> Fraction:
        return value

    def value(self, weight: Fraction) -> Interval:
        return Interval.of(weight)


DIVERGENCES: Family[Divergence] = Family(
    "accountant_divergences", "divergence", Divergence, cites=("measure_theorem", "worst_case_theorem")
)


def definition(given: object) -> Divergence:
    """A definition, or the installed one that is called so."""
    if isinstance(given, str):
        from accountant.registry.registry import default_registry

        return default_registry().find(DIVERGENCES, given)
    Instance(Divergence, "give the name of a definition, such as 'approx'")(None, None, given)
    return cast(Divergence, given)


COMPOSITION_RULES: Family[CompositionRule] = Family(
    "accountant_composition_rules", "composition rule", CompositionRule, cites=("theorem",)
)
