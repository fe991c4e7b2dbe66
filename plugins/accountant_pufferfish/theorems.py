"""What promises relative to public information rest on."""

from __future__ import annotations

from accountant import Theorem

_PAGE = "explanation/pufferfish"

BAYES_FACTOR = Theorem(
    "pufferfish-bayes-factor",
    "A promise of epsilon holds exactly if no output changes the odds between two secrets of a live pair, given what is "
    "public, by more than a factor of e^epsilon.",
    "seeman2022formal",
    "Lemmas 1 and 2",
    ("the scenarios are those considered, and each pair is asked of every scenario under which it is live",),
)
BRIDGE = Theorem(
    "pufferfish-bridge",
    "Where the data can be coupled within a distance under the two secrets of any live pair, the output under the two is "
    "no easier to tell apart than under two datasets at that distance.",
    "accountant",
    _PAGE,
    ("the coins of the releases are independent of everything else given the data",),
    "proved-here",
)
ADDITION = Theorem(
    "pufferfish-addition",
    "Promises add up if they hold for any two datasets within a common radius, or for any two datasets that the secrets "
    "tell apart.",
    "accountant",
    _PAGE,
    ("the coins of the releases are independent of each other given the data, or each may depend on earlier outputs",),
    "proved-here",
)
INDEPENDENT_OUTPUTS = Theorem(
    "pufferfish-independent-outputs",
    "Promises about releases add up if their outputs are independent of each other given either secret of any live pair.",
    "accountant",
    _PAGE,
    ("the outputs are independent given the secret and what is public, in every scenario",),
    "proved-here",
)
NARROWING = Theorem(
    "pufferfish-narrowing",
    "A promise holds with fewer scenarios, pairs of secrets or published values too.",
    "accountant",
    _PAGE,
    assurance="proved-here",
)
BLOCKS = Theorem(
    "pufferfish-blocks",
    "Where records depend on each other inside blocks only, the data under two values of one record can be coupled so that "
    "they differ in that block only.",
    "accountant",
    _PAGE,
    ("blocks are independent of each other given what is public",),
    "proved-here",
)
KNOWN_TOTAL = Theorem(
    "pufferfish-known-total",
    "Where records of yes or no are independent and their total is published, the data under the two values of one record "
    "can be coupled so that they differ in that record and one other.",
    "accountant",
    _PAGE,
    ("before the total was published the records were independent, each with any probability of yes",),
    "proved-here",
)
KNOWN_COUNTS = Theorem(
    "pufferfish-known-counts",
    "Where it is published how often each value occurs and all orders of the records are equally likely, the data under "
    "two values of one record can be coupled so that they differ in that record and one other.",
    "accountant",
    _PAGE,
    ("given what is public all orders of the records are equally likely",),
    "proved-here",
)
SHARED_RATE = Theorem(
    "pufferfish-shared-rate",
    "Where all other records are independent with one rate if a record is 1 and another rate if it is 0, the distance of "
    "order infinity between the data is one more than that between the two binomial counts of the others.",
    "accountant",
    _PAGE,
    ("the other records are independent given the one whose value is the secret",),
    "proved-here",
)
LISTED = Theorem(
    "pufferfish-listed",
    "For finitely many datasets the distance of order infinity is the least for which all mass can flow from one law to "
    "the other between datasets no farther apart.",
    "accountant",
    _PAGE,
    ("the data given what is public are among those listed, with one of the laws listed",),
    "proved-here",
)
DEPENDENT_COUNTS = Theorem(
    "dependent-counts",
    "Where the other records are independent given one record, each with a chance of 1 in one range if it is 0 and in "
    "another if it is 1, the count is farthest apart where all chances are at opposite ends of their ranges.",
    "accountant",
    "explanation/wasserstein-mechanisms",
    ("the other records are independent given the record whose value is the secret",),
    assurance="proved-here",
)
GAUSSIAN_RECORDS = Theorem(
    "gaussian-records",
    "Where records are jointly Gaussian, the laws of a linear statistic given public linear statistics and two values of a "
    "record are as far apart as the values are, times the size of the record's regression coefficient.",
    "accountant",
    "explanation/wasserstein-mechanisms",
    ("records and public noise are jointly Gaussian, with one of the covariances considered",),
    assurance="proved-here",
)
WASSERSTEIN_EXPONENTIAL = Theorem(
    "wasserstein-exponential",
    "Outputs with chances in proportion to base(y) e^(-epsilon cost(x, y)/(2 spread)), where the cost of no output moves "
    "by more than the spread between datasets within the radius, have the loss epsilon at most between such datasets; "
    "without the 2 they do if the normalising sum is the same for both.",
    "accountant",
    "explanation/wasserstein-mechanisms",
    (
        "the radius is at least the distance of order infinity under any two secrets",
        "base, radius and spread are public",
        "outputs are drawn from exactly this law",
    ),
    assurance="proved-here",
)
WASSERSTEIN_NOISE = Theorem(
    "wasserstein-noise",
    "Laplace noise of scale radius/epsilon on a number, or geometric noise on a whole one, has the loss epsilon at most "
    "between any two datasets whose numbers are within the radius of each other, and relative to any setting in which the "
    "data under two secrets can be coupled so that they are.",
    "accountant",
    "explanation/wasserstein-mechanisms",
    ("the radius is at least the distance of order infinity under any two secrets", "the scale is public"),
    assurance="proved-here",
)
FOUNDATIONS = (
    BAYES_FACTOR,
    BRIDGE,
    ADDITION,
    INDEPENDENT_OUTPUTS,
    NARROWING,
    DEPENDENT_COUNTS,
    GAUSSIAN_RECORDS,
    WASSERSTEIN_EXPONENTIAL,
    WASSERSTEIN_NOISE,
)
