"""What risk profiles rest on. Proofs are in docs/explanation/risk-profiles.md."""

from __future__ import annotations

from accountant import Theorem

_PAGE = "explanation/risk-profiles"
_INDEPENDENT = "in the attacker's model the target is independent of all other records"


def _ours(name: str, statement: str, *assumptions: str) -> Theorem:
    return Theorem(name, statement, "accountant", _PAGE, assumptions, "proved-here")


RISE = _ours(
    "risk-independent-rise",
    "With prior p of membership and q of a sensitive value, the probability of both rises at most by the factor "
    "1/(p q + p (1 - q) e^-b + (1 - p) e^-epsilon), where b bounds what changes with the target's value: b = 2 epsilon, or "
    "the epsilon between replace-one neighbours.",
    _INDEPENDENT,
)
MEMBERSHIP = _ours(
    "risk-strong-rise",
    "For who knows all other records, a probability p of membership, or of one of two values between replace-one "
    "neighbours, rises at most by the factor 1/(p + (1 - p) e^-epsilon), and some output of a mechanism that is no better "
    "than epsilon reaches it.",
)
CORNERS = _ours(
    "risk-profile-corners",
    "On a box of priors, the epsilon that a tolerance max{a/(p q), r} admits is smallest where its two parts meet on the "
    "lower edge in q or on the upper edge in p, or at the ends of these nearest to that; for a tolerance that depends on "
    "p q alone it is smallest at p = 1.",
)
SEARCH = _ours(
    "risk-profile-search",
    "On a box of priors where a tolerance is at least r, it admits at least the epsilon that r admits at two corners of "
    "the box; boxes are split until the smallest of these bounds is close to what some prior admits.",
    "the bound on the tolerance, or the direction in which it changes, is as declared",
)
FAILURE = _ours(
    "risk-independent-failure",
    "If (e, d) holds between datasets with and without the target as probabilistically bounded differential privacy, and "
    "(b, d) between datasets in which the target has different values, then the probability of membership with a sensitive "
    "value rises by more than 1/(p q + p (1 - q) e^-b + (1 - p) e^-e) with probability at most d.",
    _INDEPENDENT,
    "the probability of failure is that of the attacker's model, given the secret or given its opposite",
)
APPROXIMATE_FAILURE = _ours(
    "risk-independent-from-approximate",
    "(epsilon, delta) of approximate differential privacy between add-remove neighbours keeps the rise of an independent "
    "attacker's belief within that of pure e > epsilon but with probability at most delta (1 + e^epsilon)/(1 - "
    "e^(2 epsilon - 2 e)).",
    _INDEPENDENT,
    "the probability of failure is that of the attacker's model, given the secret or given its opposite",
)
CONCENTRATED_FAILURE = _ours(
    "risk-independent-from-zcdp",
    "rho of zero-concentrated differential privacy between add-remove neighbours keeps the rise of an independent "
    "attacker's belief within that of pure e > 2 rho but with probability e^(-(e - 2 rho)^2/(4 rho)).",
    _INDEPENDENT,
    "the probability of failure is that of the attacker's model, given the secret or given its opposite",
)
VERDICT = _ours(
    "risk-verdict",
    "An account stays within a profile if what it promises is at most what the profile admits; it does not if an attacker "
    "whom the profile speaks of is shown to exceed the tolerance.",
)
FOUNDATIONS = (RISE, MEMBERSHIP, CORNERS, SEARCH, FAILURE, APPROXIMATE_FAILURE, CONCENTRATED_FAILURE, VERDICT)
