"""A certified value as a document writes it, with what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant.numbers.exact import exact
from accountant.numbers.interval import Interval
from accountant.promise.divergence import DIVERGENCES
from accountant.promise.statement import Statement

if TYPE_CHECKING:
    from accountant.accounting.account import Account
    from accountant.certificate.contents import CertifiedReading
    from accountant.promise.divergence import Divergence
    from accountant.promise.words import ComparedPairs


def stated(found: CertifiedReading, comparison: ComparedPairs, account: Account, digits: int = 6) -> Statement | str:
    """The upper end of a value, rounded up to some figures, between the datasets of a comparison; no bound says nothing."""
    if found.value.upper == "inf":
        return "infinite"
    at = {word: exact(number) for word, number in found.at.items()}
    definition: Divergence = account.registry.find(DIVERGENCES, found.divergence)
    text = Interval.of(found.value.upper).rounded(digits)[1]
    return Statement(text, comparison, definition.quantity(at), exact(text), at)
