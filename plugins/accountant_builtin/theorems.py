"""What the built-in kinds rest on."""

from __future__ import annotations

from accountant.plugin import Theorem

SHIFT = Theorem(
    "query-shift",
    "Between neighbours a query moves at most by what the records that appear and disappear contribute.",
    "accountant",
    "explanation/neighbours-and-shifts",
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

POISSON = Theorem(
    "poisson-sampling",
    "If (P, Q) dominates a mechanism with and without a record, ((1 - q) Q + q P, Q) dominates it on a sample that takes "
    "each record with chance q, in both directions.",
    "zhu2022optimal",
    "Theorem 11",
    ("each record is taken independently of all others", "a fresh sample each time", "nobody learns who was taken"),
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
