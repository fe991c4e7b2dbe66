"""Lens: an account seen through one definition, and which definition is meant where nobody names one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from inspect import Parameter, Signature
from typing import Any

from attrs import frozen

from accountant.errors import ReadingError, nearest
from accountant.numbers.exact import ExactLike, exact
from accountant.numbers.interval import Interval, upper_fraction
from accountant.promise.divergence import DIVERGENCES, Divergence
from accountant.promise.guarantee import Guarantee
from accountant.registry.registry import Registry

Asking = Callable[[Mapping[str, Fraction]], Guarantee]
"""What a definition says at some words."""


@frozen(repr=False)
class Answer:
    """One value that a definition answers with: call it with the words to read it at, such as `power(level="0.05")`."""

    definition: Divergence
    name: str
    _ask: Asking

    def __repr__(self) -> str:
        words = ", ".join(self.__signature__.parameters)
        return f"Answer({self.definition.name!r}: {self.name}({words}))"

    def __call__(self, **words: ExactLike) -> Interval:
        """The value at these words."""
        at = exact_words(words)
        if self.definition.reading(at).value != self.name:
            offers = (_offer(reading.value, reading.at) for reading in self.definition.readings)
            raise ReadingError(
                f"'{self.definition.name}' gives {' or '.join(offers)}, and no {_offer(self.name, tuple(at))}"
            )
        return self._ask(at).value

    @property
    def __signature__(self) -> Signature:
        """The words of its readings, for whoever completes them; those that not every reading has may be left out."""
        readings = [set(reading.at) for reading in self.definition.readings if reading.value == self.name]
        words = sorted(set[str]().union(*readings))
        always = set[str].intersection(*readings)
        return Signature(
            [
                Parameter(word, Parameter.KEYWORD_ONLY, default=Parameter.empty if word in always else None)
                for word in words
            ],
            return_annotation=Interval,
        )


@frozen(repr=False)
class Lens:
    """An account seen through one definition. Every value that the definition answers with is a method of that name.

    `lens("fdp").power(level="0.05")`, `lens("zcdp").rho()`: any definition has these, whoever wrote it; `dir` lists them.
    """

    definition: Divergence
    _ask: Asking

    def __repr__(self) -> str:
        offers = (_offer(reading.value, reading.at) for reading in self.definition.readings)
        return f"Lens({self.definition.name!r}: {', '.join(offers)})"

    def measure(self, **words: ExactLike) -> Guarantee:
        """The guarantee at these words, with its derivation."""
        return self._ask(exact_words(words))

    def value(self, **words: ExactLike) -> Interval:
        """The value of the definition's first reading, the one that budgets are checked by."""
        return self._named(self.definition.primary.value)(**words)

    def parameter(self, **words: ExactLike) -> Any:
        """A parameter that the account satisfies: the first reading's words with its upper end.

        A ReadingError where no parameter is known to be kept.
        """
        found = self.value(**words)
        if found.upper == float("inf"):
            raise ReadingError(f"no parameter of '{self.definition.name}' is known to be kept: its value may be infinite")
        return self.definition.stating({**words, self.definition.primary.value: upper_fraction(found)})

    def __getattr__(self, name: str) -> Answer:
        # A lens that is being copied has no definition yet.
        if name.startswith("_") or name == "definition":
            raise AttributeError(name)
        return self._named(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._values})

    @property
    def _values(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(reading.value for reading in self.definition.readings))

    def _named(self, name: str) -> Answer:
        if name not in self._values:
            near = nearest(name, self._values)
            hint = f"did you mean '{near}'?" if near else f"it gives {', '.join(self._values)}"
            raise AttributeError(f"'{self.definition.name}' gives no '{name}'; {hint}")
        return Answer(self.definition, name, self._ask)


def exact_words(words: Mapping[str, ExactLike]) -> dict[str, Fraction]:
    """Words with exact values."""
    return {name: exact(value) for name, value in words.items()}


def answering(registry: Registry, value: str, *at: str) -> Divergence:
    """The definition that is meant where a value at some words is asked for and nobody says of which."""

    def answers(definition: Divergence) -> bool:
        return any(reading.value == value and set(reading.at) == set(at) for reading in definition.readings)

    return _meant(registry, answers, _offer(value, at))


def stated_by(registry: Registry, *words: str) -> Divergence:
    """The definition that is meant where a parameter is given by names and nobody says of which."""

    def states(definition: Divergence) -> bool:
        return {*definition.primary.at, definition.primary.value} == set(words)

    return _meant(registry, states, f"a parameter {' and '.join(words)}")


def _meant(registry: Registry, fits: Callable[[Divergence], bool], asked: str) -> Divergence:
    found = [definition for definition in registry[DIVERGENCES].values() if fits(definition)]
    usual = found if len(found) == 1 else [definition for definition in found if definition.usual]
    if len(usual) == 1:
        return usual[0]
    names = " and ".join(f"'{definition.name}'" for definition in usual or found)
    why = f"{names} all have {asked}" if found else f"no definition has {asked}"
    raise ReadingError(f"{why}; name the one that is meant, with lens(name), measure(name, ...) or Budget.of(name, ...)")


def _offer(value: str, at: tuple[str, ...]) -> str:
    return f"{value} at {' and '.join(at)}" if at else f"{value} on its own"
