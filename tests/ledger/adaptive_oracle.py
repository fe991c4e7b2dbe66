"""The worst that any strategy can do, by enumeration: each release may depend on every earlier output.

An option is a release as the ledger sees it, and two laws between which an attacker must decide. A strategy is a tree: at
each node it stops, or takes an option that the book still lets pass and goes on below each output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from attrs import frozen

from accountant import Release, default_registry
from accountant.finite import TableMechanism
from accountant.ledger import Batch, read_terms
from accountant.ledger.batch import Priced
from accountant.ledger.book import Book
from accountant.ledger.books import book_of
from accountant.ledger.entries import Charge, added

Law = tuple[Fraction, ...]


@frozen
class Option:
    """What a release is charged, and the laws of its output under both hypotheses."""

    charge: Charge
    left: Law
    right: Law


def law(*weights: int) -> Law:
    """Probabilities in proportion to whole numbers."""
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def book(*budgets: dict[str, Any], adaptivity: str = "fully-adaptive") -> Book:
    """The book of a ledger with these budgets."""
    terms = read_terms(
        {"ledger": {"adaptivity": adaptivity}, "specification": {"neighbours": "add-remove"}, "budget": list(budgets)}
    )
    return book_of(terms, default_registry())


def options(found: Book, *pairs: tuple[Law, Law]) -> list[Option]:
    """Tables as options, in both directions."""
    listed = []
    for left, right in pairs:
        charge = charged(found, Release("table", TableMechanism((left, right))))
        if charge is not None:
            listed += [Option(charge, left, right), Option(charge, right, left)]
    return listed


def charged(found: Book, release: Release) -> Charge | None:
    """What a book charges for a release."""
    return found.charge(Priced.of(Batch(release), found.terms, default_registry()), {})


def worst(
    choices: Sequence[Option],
    keeps: Callable[[Charge], bool],
    leaf: Callable[[Fraction, Fraction], Fraction],
    depth: int,
    spent: Charge | None = None,
    left: Fraction = Fraction(1),
    right: Fraction = Fraction(1),
) -> Fraction:
    """The largest sum over outputs of a function of both likelihoods, over all strategies that the book lets pass."""
    best = leaf(left, right)
    for option in choices if depth else ():
        after = added(spent or {}, option.charge)
        if keeps(after):
            below = (
                worst(choices, keeps, leaf, depth - 1, after, left * p, right * q)
                for p, q in zip(option.left, option.right, strict=True)
                if p or q
            )
            best = max(best, sum(below, Fraction(0)))
    return best


def largest_ratio(
    choices: Sequence[Option], keeps: Callable[[Charge], bool], depth: int, spent: Charge | None = None
) -> Fraction:
    """The largest likelihood ratio of any output that some strategy can reach."""
    best = Fraction(1)
    for option in choices if depth else ():
        after = added(spent or {}, option.charge)
        if keeps(after):
            step = max(p / q for p, q in zip(option.left, option.right, strict=True) if q)
            best = max(best, step * largest_ratio(choices, keeps, depth - 1, after))
    return best


def moment(order: int) -> Callable[[Fraction, Fraction], Fraction]:
    """p^order q^(1 - order), whose sum is the exponential of (order - 1) times a Renyi divergence."""
    return lambda p, q: p**order / q ** (order - 1)


def excess(factor: Fraction) -> Callable[[Fraction, Fraction], Fraction]:
    """The part of p above factor q, whose sum is the hockey-stick divergence."""
    return lambda p, q: max(Fraction(0), p - factor * q)
