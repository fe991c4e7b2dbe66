"""Tables beside the figures: power at a few levels, what pure differential privacy allows, and who spends which share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import frozen

from accountant import Interval
from accountant.numbers import plain
from accountant.plugin import DIVERGENCES
from accountant_posterior.pictures.rivals import Rivals
from accountant_posterior.reports.view import View

if TYPE_CHECKING:
    from accountant import Account

LEVELS = (Fraction(1, 100), Fraction(1, 20), Fraction(1, 10))
_EPSILONS = tuple(map(Fraction, ("0.1", "0.5", "1", "2", "4")))


@frozen
class Numbers:
    """A table of numbers, each with both ends."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(account: Account, views: Sequence[View]) -> Iterator[Numbers]:
    """All tables of an account; that of shares where its rho can be shared."""
    yield Numbers(
        "levels",
        "The largest power of any test at three levels",
        ("at stake", "of", "rho", "level", "power_lower", "power_upper"),
        tuple(row for view in views for row in _levels(view)),
    )
    yield Numbers(
        "pure",
        "The largest power that pure differential privacy allows, whatever is released",
        ("epsilon", "level", "power_lower", "power_upper"),
        tuple(_pure(account)),
    )
    shares = tuple(_shares(account))
    if shares:
        columns = ("release", "rho_lower", "rho_upper", "rho", "share")
        yield Numbers("shares", "The rho of each release, exactly where it is known so", columns, shares)


def _levels(view: View) -> Iterator[tuple[str, ...]]:
    rivals = Rivals.of(view.account)
    for level in LEVELS:
        rho = "" if rivals is None else rivals.shown
        own = view.account.measure("fdp", level=level).value
        yield (view.label, "these releases", rho, plain(level), *_ends(own))
        if rivals is not None:
            for word, loss in (("Gaussian noise", rivals.gaussian), ("any mechanism", rivals.worst)):
                yield (view.label, word, rho, plain(level), *_ends(rivals.reader(loss, "fdp", "level")(level)))


def _pure(account: Account) -> Iterator[tuple[str, ...]]:
    known = account.registry[DIVERGENCES]
    for epsilon in _EPSILONS if {"pure", "fdp"} <= set(known) else ():
        loss = known["pure"].worst_case(known["pure"].parameter(epsilon))
        for level in LEVELS:
            yield (plain(epsilon), plain(level), *_ends(known["fdp"].measure(loss, {"level": level})))


def _shares(account: Account) -> Iterator[tuple[str, ...]]:
    """The rho of each release alone, and its share of their sum where all are known exactly."""
    if Rivals.of(account) is None or account.whereabouts:
        return
    zcdp = account.registry.find(DIVERGENCES, "zcdp")
    costs = [(entry.release.name, account.cost(entry, zcdp, {})) for entry in account.entries]
    exact = [cost.exact for _, cost in costs if cost.exact is not None]
    whole = sum(exact, Fraction(0)) if len(exact) == len(costs) else None
    for name, cost in costs:
        known = "" if cost.exact is None else str(cost.exact)
        share = "" if whole is None or cost.exact is None else str(cost.exact / whole)
        yield (name, *_ends(cost), known, share)


def _ends(value: Interval) -> tuple[str, str]:
    return tuple("inf" if math.isinf(end) else repr(end) for end in (value.lower, value.upper))  # type: ignore[return-value]
