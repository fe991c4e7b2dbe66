"""Laws of what a definition says that a group costs: several neighbours in a row, and how far apart their ends are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

from accountant.errors import AccountantError
from accountant.loss import FiniteLoss
from accountant.numbers.interval import Interval
from accountant.promise.divergence import Divergence
from accountant.testing.counterexamples import broken, described, measured, method, safe, surely_worse
from accountant.testing.laws.definition import parameter_of
from accountant.testing.places import Places, points

T = TypeVar("T")
Chain = Sequence[Sequence[Fraction]]


def groups_never_exceed(definition: Divergence, chain: Chain, places: Places = points) -> None:
    """The ends of several neighbours in a row keep what the group rule says of a parameter that every step keeps.

    And of all such parameters at once, where the rule has more to say of these together.
    """
    steps = [FiniteLoss(zip(left, right, strict=True)) for left, right in pairwise(chain)]
    kept = [parameter for parameter in (_kept(definition, steps, at) for at in _at(definition, places)) if parameter]
    for parameter in kept:
        together = _said(definition, (parameter,), len(steps), partial(definition.group, parameter, len(steps)))
        if together is not None:
            _require_kept(definition, chain, (parameter,), together, "group")
    if type(definition).group_of is not Divergence.group_of and len(kept) > 1:
        for together in _said(definition, kept, len(steps), partial(definition.group_of, kept, len(steps))) or ():
            _require_kept(definition, chain, kept, together, "group_of")


def _at(definition: Divergence, places: Places) -> list[dict[str, Fraction]]:
    """Where the first reading is read."""
    return [at for reading, at in places(definition) if reading == definition.primary]


def _kept(definition: Divergence, steps: Sequence[FiniteLoss], at: dict[str, Fraction]) -> Any | None:
    """A parameter that every step keeps; None where there is none."""
    held = [safe(measured(definition, step, at)) for step in steps]
    known = [value for value in held if value is not None]
    if len(known) < len(held):
        return None
    return parameter_of(definition, {**at, definition.primary.value: max(known)})


def _require_kept(definition: Divergence, chain: Chain, each: Sequence[Any], together: Any, name: str) -> None:
    stated, first = definition.values(together), definition.primary
    ends = FiniteLoss(zip(chain[0], chain[-1], strict=True))
    value = measured(definition, ends, {word: stated[word] for word in first.at})
    if surely_worse(value, Interval.of(stated[first.value])):
        broken(
            f"a group must keep what '{definition.name}' says it costs",
            laws_in_a_row="; ".join("(" + ", ".join(str(chance) for chance in law) + ")" for law in chain),
            each_step="; ".join(described(definition, parameter) for parameter in each),
            all_steps=described(definition, together),
            measured_between_the_ends=value,
            look_at=method(definition, name),
        )


def _said(definition: Divergence, each: Sequence[Any], size: int, action: Callable[[], T]) -> T:
    try:
        return action()
    except AccountantError as error:
        broken(
            f"'{definition.name}' must say what a group costs, or return None",
            each_step="; ".join(described(definition, parameter) for parameter in each),
            steps=size,
            error=f"{type(error).__name__}: {error}",
            look_at=method(definition, "group"),
        )
