"""What accounts rest on: the engine's own theorems."""

from __future__ import annotations

from accountant.promise.theorem import Theorem

STILL = Theorem(
    "unmoved-query",
    "A release whose query does not move between neighbours has the same law on both and loses nothing.",
    "accountant",
    "explanation/neighbours-and-shifts",
    assurance="proved-here",
)

GROUP = Theorem(
    "group-privacy",
    "Datasets that differ in k units are k steps between neighbours apart, and the definition has a rule for so many.",
    "accountant",
    "explanation/curves-and-groups",
    assurance="proved-here",
)

COUPLED = Theorem(
    "coupled-mixtures",
    "If the data under two secrets can be coupled so that they never differ in more than k units, then the laws of the "
    "output under these secrets are told apart no better than those of two datasets k units apart.",
    "accountant",
    "explanation/pufferfish",
    assumptions=(
        "the law of the data given the public information is one of the scenarios",
        "the releases depend on the data and on nothing else that depends on the secret",
    ),
    assurance="proved-here",
)

KNOWN_DRAW = Theorem(
    "known-draw",
    "Whoever knows which records were drawn compares the mechanism on two samples that were drawn alike from two "
    "neighbours. Whoever does not know sees an average of such pairs, and tells no more from it.",
    "accountant",
    "explanation/sampling",
    assurance="proved-here",
)

INSIDE = Theorem(
    "inside-the-universe",
    "Between datasets that agree on exact counts, answers that these fix do not move; a histogram, where records move only "
    "in attributes whose counts are exact or where their number is exact, moves for each unit of distance by no more in "
    "one cell than a half.",
    "accountant",
    "explanation/inside-the-universe",
    ("the answer depends on records by the attributes that the query names only",),
    assurance="proved-here",
)

PRODUCT_PAIR = Theorem(
    "product-pair",
    "If each release is dominated by its pair, all releases together are dominated by the product of the pairs, also when "
    "later releases look at earlier outputs.",
    "zhu2022optimal",
    "Theorem 10",
    ("the releases and their parameters are fixed in advance", "fresh randomness in every release"),
)

PARALLEL = Theorem(
    "parallel-composition",
    "Releases of different parts of a partition see different records. In either of two neighbouring datasets the unit "
    "that differs is in one part at most, and the releases of all other parts have one law on both: what is lost at the "
    "worst places for the unit bounds what all releases together lose.",
    "accountant",
    "explanation/scopes",
    ("a record has one value of the attribute that splits the records", "a release looks at no record outside its scope"),
    assurance="proved-here",
)

COHORT = Theorem(
    "cohort-loss",
    "Datasets whose steps change units of a cohort only are among all that are compared, and a release that looks at no "
    "unit of the cohort has one law on both: what the other releases lose, bounded for all units or for those of the "
    "cohort, bounds what all releases together lose of it.",
    "accountant",
    "explanation/budgets-by-cohort",
    ("a release looks at no record outside its scope",),
    assurance="proved-here",
)

ENCLOSED = Theorem(
    "two-sided-composition",
    "A law on a grid that dominates and one that is dominated, or a sum along a line whose images are positive, enclose "
    "every reading; what is left out, wraps around or rounds is charged to both ends.",
    "accountant",
    "explanation/two-sided-composition",
    assurance="proved-here",
)

TIGHTEST = Theorem(
    "tightest-route",
    "Of several valid bounds on one value the tightest holds.",
    "accountant",
    "explanation/routes",
    assurance="proved-here",
)

OTHER_WORDS = Theorem(
    "one-parameter-two-readings",
    "A loss satisfies a parameter of several words or does not, so the reading of any one of them at the others decides: "
    "epsilon at delta is at most a limit exactly where delta at that limit is at most the given one.",
    "accountant",
    "explanation/two-sided-composition",
    assurance="proved-here",
)

FOUNDATIONS = tuple(value for value in list(globals().values()) if isinstance(value, Theorem))
