"""Theorems of the core."""

from __future__ import annotations

from accountant.finite.table import FINITE_TABLE
from accountant.theorem import Theorem

SHIFT = Theorem(
    "query-shift",
    "Between neighbours a query moves at most by what the records that appear and disappear contribute.",
    "accountant",
    "explanation/neighbours-and-shifts",
    assurance="proved-here",
)
STATED_SHIFT = Theorem(
    "stated-shift",
    "The query moves by at most the stated vector because the plan says so.",
    "accountant",
    "explanation/neighbours-and-shifts",
    assurance="claimed",
)
STILL = Theorem(
    "unmoved-query",
    "A release whose query does not move between neighbours has the same law on both and loses nothing.",
    "accountant",
    "explanation/neighbours-and-shifts",
    assurance="proved-here",
)
CLAIM = Theorem(
    "claimed-parameter",
    "The release satisfies the stated parameter because its provider says so.",
    "accountant",
    "explanation/one-loss",
    assurance="claimed",
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
NO_OPERATION = Theorem(
    "no-operation",
    "A step that reads no data loses nothing.",
    "accountant",
    "explanation/one-loss",
    assurance="proved-here",
)
NON_PRIVATE = Theorem(
    "non-private-step",
    "An exact statistic separates some neighbours with certainty: its loss is infinite.",
    "accountant",
    "explanation/one-loss",
    assurance="proved-here",
)
DATA_PROCESSING = Theorem(
    "data-processing",
    "What is made of an output alone tells no two datasets apart better than the output does, so the loss of the mechanism "
    "dominates that of anything made of its output.",
    "accountant",
    "reference/mechanisms/post-processed",
    ("what is done to the output looks at nothing else that depends on the data",),
    assurance="proved-here",
)
MIXTURE = Theorem(
    "mixture-of-mechanisms",
    "Where one of several mechanisms is drawn by fixed chances, delta at every epsilon is at most the mean of theirs by "
    "these chances, and as large if it is published which was drawn.",
    "accountant",
    "reference/mechanisms/mixture",
    ("the chances do not depend on the data",),
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
POISSON = Theorem(
    "poisson-sampling",
    "If (P, Q) dominates a mechanism with and without a record, ((1 - q) Q + q P, Q) dominates it on a sample that takes "
    "each record with chance q, in both directions.",
    "zhu2022optimal",
    "Theorem 11",
    ("each record is taken independently of all others", "a fresh sample each time", "nobody learns who was taken"),
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
POISSON_REPLACED = Theorem(
    "poisson-sampling-replaced",
    "On a sample that takes each record with chance q, delta between datasets that replace one is at e^epsilon = x >= 1 "
    "at most s times that of the mechanism with and without a record at (x - 1)(1 - q)/s, plus t times that between "
    "replaced records at x q/t, for any s + t = q.",
    "accountant",
    "explanation/sampling",
    ("each record is taken independently of all others", "a fresh sample each time", "nobody learns who was taken"),
    assurance="proved-here",
)
FIXED_SIZE = Theorem(
    "sampling-without-replacement",
    "If (P, Q) dominates a mechanism between samples that replace one record, and q is the share of records taken, "
    "((1 - q) Q + q P, Q) dominates it on a sample with and without a record, and at every epsilon >= 0 also between "
    "datasets that replace one.",
    "accountant",
    "explanation/sampling",
    ("every sample of that size is equally likely", "a fresh sample each time", "nobody learns who was taken"),
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
FILTER = Theorem(
    "filter",
    "If releases stop before a sum that holds under full adaptivity passes a cap fixed in advance, all of them together "
    "satisfy the cap, and whatever the cap implies.",
    "accountant",
    "explanation/ledger",
    ("the cap was fixed before the first release", "fresh randomness in every release"),
    assurance="proved-here",
)
LEAKY_FILTER = Theorem(
    "leaky-filter",
    "If each release satisfies its charge except with a chance that is charged to a slack, and the charges stay within a "
    "cap and the slack, all of them together satisfy the cap except with a chance of the slack.",
    "accountant",
    "explanation/ledger",
    ("the cap and the slack were fixed before the first release", "fresh randomness in every release"),
    assurance="proved-here",
)
VOUCHED = Theorem(
    "fixed-plan",
    "No release and no parameter was chosen after seeing an output, because those who write to the ledger say so.",
    "accountant",
    "explanation/ledger",
    assurance="claimed",
)

THEOREMS = (
    FINITE_TABLE,
    SHIFT,
    STATED_SHIFT,
    STILL,
    CLAIM,
    GROUP,
    COUPLED,
    NO_OPERATION,
    NON_PRIVATE,
    DATA_PROCESSING,
    MIXTURE,
    PRODUCT_PAIR,
    POISSON,
    PARALLEL,
    POISSON_REPLACED,
    FIXED_SIZE,
    ENCLOSED,
    TIGHTEST,
    FILTER,
    LEAKY_FILTER,
    VOUCHED,
)
