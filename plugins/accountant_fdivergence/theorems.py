"""Why the lenses of this plugin are right; each is proved on the page of the explanation."""

from __future__ import annotations

from accountant import Theorem

_PAGE = "explanation/f-divergences"

INTEGRAL = Theorem(
    "f-divergence-is-an-integral",
    "An f-divergence is an integral of the hockey-stick divergences of both directions, with weights that are not "
    "negative: what dominates a mechanism has no smaller one.",
    "accountant",
    _PAGE,
    assurance="proved-here",
)
ENVELOPE = Theorem(
    "f-divergence-binary-envelope",
    "Every test of a mechanism has error rates at which a yes-or-no mechanism has no larger f-divergence; tangents to that "
    "inequality bound what any test can gain. A Gaussian mechanism attains the parameter.",
    "accountant",
    _PAGE,
    assurance="proved-here",
)
GIVEN_AWAY = Theorem(
    "statistical-distance-worst-case",
    "Giving everything away with chance distance, and nothing otherwise, dominates every mechanism at that distance.",
    "accountant",
    _PAGE,
    assurance="proved-here",
)
CHAIN = Theorem(
    "relative-entropy-composition",
    "Nats add up, also when each release and its nats are chosen after seeing the earlier outputs.",
    "accountant",
    _PAGE,
    assurance="proved-here",
    adaptivity="fully-adaptive",
)
PRODUCTS = Theorem(
    "f-divergence-products",
    "One less the distance, one less the squared Hellinger distance and one more than chi-square multiply over releases, "
    "also when each is chosen after seeing the earlier outputs.",
    "accountant",
    _PAGE,
    assurance="proved-here",
    adaptivity="adaptive",
)
TRIANGLE = Theorem(
    "distances-of-groups",
    "Total variation and Hellinger distances obey the triangle inequality: over k units a distance grows k times.",
    "accountant",
    _PAGE,
    assurance="proved-here",
)
