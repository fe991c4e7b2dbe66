"""Mechanisms made of mechanisms: what is done to an output, and which of several is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import Attribute, evolve, field, frozen

from accountant import InvalidValue, Invariant, Theorem
from accountant.fields import about, above, at_most, each, exact, mechanism, names, several, text
from accountant.numbers import plain
from accountant.plugin import Mechanism, Shift
from accountant_builtin.theorems import DATA_PROCESSING, MIXTURE

if TYPE_CHECKING:
    from accountant.finite import TableMechanism
    from accountant.loss import PrivacyLoss


@frozen
class PostProcessed(Mechanism):
    """The output of a mechanism after something is done to it that looks at no data: clamping, rounding, sorting.

    Guarantee: loses no more than the mechanism. Drawing again until the output fits is another mechanism, and no
    post-processing.
    """

    kind: ClassVar[str] = "post-processed"
    theorem: ClassVar[Theorem] = DATA_PROCESSING
    needs_query: ClassVar[bool] = False
    any_relation: ClassVar[bool] = True

    mechanism: Mechanism = field(
        converter=mechanism, metadata=about("the mechanism whose output is changed, a table with its kind")
    )
    by: str = field(converter=text, metadata=about("what is done to the output, in words"))
    reads: frozenset[str] | None = field(
        default=None,
        converter=names,
        metadata=about("statistics of the confidential data that this reads exactly, by name; they count as published"),
    )

    def publishes(self) -> tuple[Invariant, ...]:
        """What is read again is no post-processing: the promise then lives between datasets that agree on it."""
        return tuple(Invariant(name) for name in sorted(self.reads or ()))

    def loss(self, shift: Shift) -> PrivacyLoss:
        return self.mechanism.loss(shift)

    def unprocessed(self) -> Mechanism:
        return self.mechanism.unprocessed()

    def scaled(self, factor: Fraction) -> PostProcessed | None:
        less = self.mechanism.scaled(factor)
        return None if less is None else evolve(self, mechanism=less)


@frozen
class Part:
    """One of the mechanisms of a mixture."""

    chance: Fraction = field(
        converter=exact, validator=[above(0), at_most(1)], metadata=about("the chance that this mechanism is run")
    )
    mechanism: Mechanism = field(converter=mechanism, metadata=about("the mechanism, a table with its kind"))


def _certain(_: object, attribute: Attribute[Any], parts: Sequence[Part]) -> None:
    total = sum((part.chance for part in parts), Fraction(0))
    if total != 1:
        raise InvalidValue(f"the chances must sum to exactly 1, got {plain(total)}; write thirds as '1/3'")


@frozen
class Mixture(Mechanism):
    """One of several mechanisms, drawn by chances that look at no data.

    Guarantee: holds whether or not it is published which of them was run.
    """

    kind: ClassVar[str] = "mixture"
    theorem: ClassVar[Theorem] = MIXTURE
    needs_query: ClassVar[bool] = False
    any_relation: ClassVar[bool] = True

    parts: tuple[Part, ...] = field(
        converter=several,
        validator=[each(Part), _certain],
        metadata=about("the mechanisms with their chances, which sum to exactly 1"),
    )

    def loss(self, shift: Shift) -> PrivacyLoss:
        """Tables are looked at together: where an answer has one row of one of them, it has that row of all."""
        from accountant.finite import TableMechanism
        from accountant.loss import NO_LOSS, BracketLoss, MixtureLoss

        tables: dict[int, list[tuple[Fraction, TableMechanism]]] = {}
        known: list[tuple[Fraction, PrivacyLoss]] = []
        for chance, drawn in self._drawn():
            if isinstance(drawn, TableMechanism):
                tables.setdefault(len(drawn.rows), []).append((chance, drawn))
            else:
                known.append((chance, drawn.loss(shift)))
        each = sorted(map(_together, tables.values()), key=lambda drawn: -drawn[0])
        # Answers of a query that has fewer of them than a table has rows: which they are is not said.
        known += [(chance, BracketLoss(loss, NO_LOSS)) for chance, loss in each[1:]]
        return _beside(*each[0], known) if each else MixtureLoss.of(known)

    def _drawn(self) -> Iterator[tuple[Fraction, Mechanism]]:
        """What may be run in the end, with its chance."""
        for part in self.parts:
            inner = part.mechanism.unprocessed()
            if isinstance(inner, Mixture):
                yield from ((part.chance * chance, drawn) for chance, drawn in inner._drawn())
            else:
                yield part.chance, inner

    def scaled(self, factor: Fraction) -> Mixture | None:
        """The same with the noise of every part that has any scaled."""
        changed = [part.mechanism.scaled(factor) for part in self.parts]
        if all(new is None for new in changed):
            return None
        pairs = zip(self.parts, changed, strict=True)
        return Mixture(tuple(part if new is None else evolve(part, mechanism=new) for part, new in pairs))


def _together(tables: Sequence[tuple[Fraction, TableMechanism]]) -> tuple[Fraction, PrivacyLoss]:
    """The chance that one of some tables with as many rows is drawn, and its loss then: side by side they are one table."""
    from accountant.finite import rows_loss

    total = sum((chance for chance, _ in tables), Fraction(0))
    rows = zip(*(table.rows for _, table in tables), strict=True)
    shares = [chance / total for chance, _ in tables]
    return total, rows_loss(
        tuple(share * mass for share, row in zip(shares, several, strict=True) for mass in row) for several in rows
    )


def _beside(chance: Fraction, one: PrivacyLoss, known: list[tuple[Fraction, PrivacyLoss]]) -> PrivacyLoss:
    """A table that is drawn with a chance, or else something of which the loss is known."""
    from accountant.loss import FiniteLoss, MixtureLoss, OneOf

    if isinstance(one, OneOf) and all(isinstance(loss, FiniteLoss) for _, loss in known):
        # Beside the same loss the one of several that is largest stays so.
        return one.each(lambda loss: MixtureLoss.of([(chance, loss), *known]))
    return MixtureLoss.of([(chance, one), *known])
