"""Moves: answers before and after, and the shifts between which a mechanism may be asked what that costs.

Whole and broken moves, of either sign, some ten times as large as the noise, unequal ones in several coordinates, and
shifts that are known by their norms only or gathered.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from attrs import evolve, frozen

from accountant.numbers.exact import plain
from accountant.plugin.oracles import MechanismOracle
from accountant.release.query import Shift
from accountant.release.release import Mechanism

_HALF = Fraction(1, 2)
SINGLE = tuple(Fraction(move) for move in (1, -1, 2, Fraction(3, 2), 3, Fraction(1, 3), -5, 7))
SEVERAL = tuple(
    tuple(Fraction(move) for move in moves)
    for moves in ((1, 1), (1, -1), (3, 1), (1, 1, 1), (Fraction(5, 2), -_HALF), (1, 1, 1, 1, -1))
)
_MOST_ANSWERS, _MOST_MOVES = 6, 12
_MANY = 20
_ORDERS = ((0, 1), (0, 0), (0, 1, 2))
"""Which of a few pairs of answers several coordinates have: different ones, and twice the same."""


@frozen
class Move:
    """Answers before and after, one number for each coordinate, and a shift that says they may differ so."""

    before: tuple[Any, ...]
    after: tuple[Any, ...]
    shift: Shift

    @property
    def exact(self) -> bool:
        """Whether the shift says no more than what happens."""
        return self.shift.coordinates == self.itself.coordinates

    @property
    def itself(self) -> Shift:
        """The shift that says no more than what happens."""
        return Shift.along(after - before for before, after in zip(self.before, self.after, strict=True))

    def __str__(self) -> str:
        one, other = (", ".join(plain(value) for value in side) for side in (self.before, self.after))
        return f"({one}) and ({other})"


@frozen
class WholeMove(Move):
    """Two answers as the author writes them down, each a single one whatever it is made of."""

    @property
    def exact(self) -> bool:
        return False

    @property
    def itself(self) -> Shift:
        return self.shift

    def __str__(self) -> str:
        one, other = (side[0] for side in (self.before, self.after))
        return f"{_shown(one)} and {_shown(other)}"


def _shown(answer: Any) -> str:
    if isinstance(answer, tuple):
        return f"({', '.join(map(_shown, answer))})"
    return plain(answer) if isinstance(answer, Fraction) else str(answer)


def whole_moves(oracle: MechanismOracle, mechanism: Mechanism) -> list[Move]:
    """The moves that an author lists."""
    assert oracle.moves is not None
    listed = itertools.islice(oracle.moves(mechanism), _MOST_MOVES)
    return [WholeMove((before,), (after,), shift) for before, after, shift in listed]


def norms(moves: Sequence[Fraction]) -> Shift:
    """The shift of which only the norms are known."""
    known = Shift.along(moves)
    return Shift(known.l1, known.l2_squared, known.linf)


def single_moves(oracle: MechanismOracle, mechanism: Mechanism, scale: Fraction = Fraction(1)) -> Iterator[Move]:
    """Moves of one coordinate, each with the shift that says it, then with one that says more."""
    known = answers(oracle, mechanism)
    if known is not None:
        pairs = list(itertools.combinations(known, 2))
        widest = max((abs(after - before) for before, after in pairs), default=Fraction(1))
        for place, pair in enumerate(pairs):
            # Answers rise and fall by turns.
            before, after = reversed(pair) if place % 2 else pair
            yield Move((before,), (after,), _between(mechanism, [after - before]))
            yield Move((before,), (after,), _between(mechanism, [widest]))
        return
    far = 10 * scale
    for move in dict.fromkeys((*SINGLE, Fraction(far.__ceil__()), far)):
        yield Move((Fraction(0),), (move,), Shift.along([move]))
    yield Move((Fraction(5),), (Fraction(6),), Shift.along([1]))
    for less, more in ((1, 2), (1, 7), (_HALF, 1), (1, Fraction(3, 2))):
        yield Move((Fraction(0),), (Fraction(less),), Shift.along([more]))


def several_moves(oracle: MechanismOracle, mechanism: Mechanism) -> Iterator[Move]:
    """Moves of several coordinates, with shifts that say them, that say more, or that know norms only."""
    known = answers(oracle, mechanism)
    if known is not None:
        pairs = list(itertools.permutations(known, 2))[:3]
        for order in _ORDERS if pairs else ():
            chosen = [pairs[place % len(pairs)] for place in order]
            before, after = (tuple(pair[side] for pair in chosen) for side in (0, 1))
            moved = [b - a for a, b in chosen]
            yield Move(before, after, _between(mechanism, moved))
            for shift in _said(moved) if mechanism.asks_query else ():
                yield Move(before, after, shift)
        return
    for moves in SEVERAL:
        yield Move((Fraction(0),) * len(moves), moves, Shift.along(moves))
    one, two = Fraction(1), Fraction(2)
    for moves, shift in (
        ((one,), Shift.along([1, 1])),
        ((one, one), Shift.along([3, 1])),
        ((one, -one), norms([one, one])),
        ((one,) * 5, norms([one] * 5)),
        ((two,), Shift(two, 2 * two, two)),
        ((one, one), Shift(two, 2 * two, two)),
        ((two,), Shift(two, 2 * two, two, gathered=(two,))),
        ((one, one), Shift(two, 2 * two, two, gathered=(two,))),
        *_of_many(),
    ):
        yield Move((Fraction(0),) * len(moves), moves, shift)


def _of_many() -> Iterator[tuple[tuple[Fraction, ...], Shift]]:
    """Moves among several possible ones, of a group, and of answers of which nothing bounds the L1 norm, each with the
    shifts that queries make of these.
    """
    one = Fraction(1)
    # The same L1 norm and the same farthest coordinate, as words have it, and a larger L2 norm afterwards.
    alike: tuple[tuple[Fraction, ...], ...] = ((2 * one, one, one), (2 * one, 2 * one))
    for moves in alike:
        yield moves, norms(moves)
    moved: tuple[tuple[Fraction, ...], ...] = ((one,), (one, one), (one,) * 4)
    for moves in moved:
        yield from ((moves, shift) for shift in _said(moves))
    yield (2 * one, 2 * one), Shift.along([1, 1]).times(2)
    yield (3 * one,), evolve(Shift.along([3]), unit=Shift.along([1]), units=3)


def _said(moves: Sequence[Fraction]) -> Iterator[Shift]:
    """What queries say of such a move where they do not say it: by norms, without the L1 norm, as one of several, and that
    the same neighbour has more everywhere.
    """
    known = Shift.along(moves)
    yield norms(moves)
    yield Shift(None, known.l2_squared, known.linf)
    if len(moves) > 1:
        yield Shift.worst([known, Shift.along([*moves[:-1], -moves[-1]])])
    if min(moves) > 0:
        yield evolve(known, one_sided=True)


def many_moves(oracle: MechanismOracle, mechanism: Mechanism) -> Iterator[Move]:
    """Moves of very many coordinates, all alike, said so and known by norms only."""
    before, *others = answers(oracle, mechanism) or [Fraction(0), Fraction(1)]
    if mechanism.asks_query and others:
        moved = [others[0] - before] * _MANY
        for shift in (Shift.along(moved), norms(moved)):
            yield Move((before,) * _MANY, (others[0],) * _MANY, shift)


def answers(oracle: MechanismOracle, mechanism: Mechanism) -> list[Fraction] | None:
    """Some of the answers there are, None where every number is one."""
    if oracle.answers is None:
        return None if mechanism.asks_query else [Fraction(0), Fraction(1)]
    known = [Fraction(value) for value in itertools.islice(oracle.answers(mechanism), 10_000)]
    return known if len(known) <= _MOST_ANSWERS else [*known[: _MOST_ANSWERS - 1], known[-1]]


def happens(oracle: MechanismOracle | None, mechanism: Mechanism, shift: Shift) -> bool:
    """Whether answers may differ so that are nothing before they move, as far as the author says what answers there are.

    Without a query there is one answer, which is another one or is not.
    """
    if not mechanism.asks_query:
        return shift.coordinates == (Fraction(1),)
    if oracle is None or oracle.answers is None:
        return True
    known = {Fraction(value) for value in itertools.islice(oracle.answers(mechanism), 10_000)}
    return known.issuperset({Fraction(0), *(shift.coordinates or ())})


def _between(mechanism: Mechanism, moves: Sequence[Fraction]) -> Shift:
    """What a release says of answers that change: without a query, that they do."""
    return Shift.along(moves if mechanism.asks_query else [1] * len(moves))
