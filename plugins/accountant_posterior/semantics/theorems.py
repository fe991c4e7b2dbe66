"""What posterior readings rest on, in a place of its own: plugins are asked for their theorems whenever they load."""

from __future__ import annotations

from accountant import Theorem

APPROXIMATE = Theorem(
    "probabilistic-from-approximate",
    "(epsilon, delta) of approximate differential privacy, both directions, keeps the log likelihood ratio within "
    "epsilon' = epsilon + log(1 + delta (1 + e^-epsilon)/(delta' - delta)) except with probability delta', for every "
    "delta' above delta; some mechanism attains it.",
    "accountant",
    "explanation/posterior-meaning",
    assurance="proved-here",
)
BOUNDED = Theorem(
    "probabilistic-from-bounded",
    "(epsilon, delta) of probabilistically bounded differential privacy keeps the log likelihood ratio within epsilon but "
    "with probability delta (1 + e^-epsilon), for whatever is made of the output.",
    "accountant",
    "explanation/posterior-meaning",
    assurance="proved-here",
)
CONCENTRATED = Theorem(
    "probabilistic-from-zcdp",
    "rho of zero-concentrated differential privacy keeps the log likelihood ratio within epsilon above rho but with "
    "probability (1 + e^-epsilon) e^(-(epsilon - rho)^2/(4 rho)).",
    "accountant",
    "explanation/posterior-meaning",
    assurance="proved-here",
)
FOUNDATIONS = (APPROXIMATE, BOUNDED, CONCENTRATED)
CONVERSE = Theorem(
    "parameters-from-differences",
    "If for every prior the posterior is within b of it except with probability d, whichever side of the secret is true, "
    "then (epsilon, d) of approximate differential privacy holds with epsilon = 2 log((1 + b)/(1 - b)), and the log "
    "likelihood ratio is within epsilon but with probability d (1 + e^-epsilon); with d itself it is within "
    "log((1 + 2 b)/(1 - 2 b)) if b is below 1/2. The first is attained and the second approached.",
    "accountant",
    "explanation/posterior-meaning",
    assurance="proved-here",
)
POSTERIOR = Theorem(
    "posterior-within-the-loss",
    "Where the log likelihood ratio of a secret lies within g, its posterior lies between p/(p + (1 - p) e^g) and "
    "p/(p + (1 - p) e^-g), its ratio to the prior p within e^g, and its difference from it within tanh(g/4).",
    "accountant",
    "explanation/posterior-meaning",
    assurance="proved-here",
)
VALUE_AND_MEMBERSHIP = Theorem(
    "posterior-of-value-and-membership",
    "If the target's record is independent of the others, the ratio of posterior to prior of being a member, prior p, "
    "with a value in a set, prior s, lies between 1/(s + (p - s) e^b + (1 - p) e^u) and "
    "1/(s + (p - s) e^-b + (1 - p) e^-u), u the loss between datasets with and without the record, b that between two "
    "values of it, at most 2 u.",
    "accountant",
    "explanation/posterior-meaning",
    assumptions=("in the attacker's model the target's record and membership are independent of all other records",),
    assurance="proved-here",
)
READINGS = (POSTERIOR, VALUE_AND_MEMBERSHIP)
_VALUES = (
    "the parameter is that between two values of the record: between replace-one neighbours, or two steps between "
    "add-remove ones"
)
ALWAYS = Theorem(
    "posterior-to-posterior-pure",
    "With pure differential privacy between values of a record, every posterior lies within e^epsilon of that in the world "
    "where the record was redrawn, whatever the prior and the output.",
    "kifer2022bayesian",
    "Theorem 7.1",
    assumptions=(_VALUES,),
)
DEFAULT_RECORD = Theorem(
    "posterior-to-posterior-default",
    "If the record is left out or replaced by a fixed one instead of redrawn, the odds of every secret lie within "
    "e^(2 epsilon) of those in that world.",
    "accountant",
    "explanation/posterior-meaning",
    assumptions=("it is left out between add-remove neighbours, replaced between replace-one neighbours",),
    assurance="proved-here",
)
RECORD_DRAWN = Theorem(
    "posterior-to-posterior-average",
    "If all other records are known and the target's is drawn from the attacker's prior, the chance that the posterior of "
    "a value exceeds e^epsilon times the one where the record was redrawn is at most e^-epsilon times the delta of "
    "probabilistically bounded differential privacy at epsilon.",
    "accountant",
    "explanation/posterior-meaning",
    assumptions=("the attacker's prior is the law of the record", "all other records are known", _VALUES),
    assurance="proved-here",
)
RECORD_GIVEN = Theorem(
    "posterior-to-posterior-record",
    "If all other records are known, the chance that the posterior of the true value exceeds e^epsilon times the one where "
    "the record was redrawn is at most the delta of probabilistically bounded differential privacy at epsilon.",
    "kifer2022bayesian",
    "Theorem 7.4",
    assumptions=("all other records are known", _VALUES),
)
OTHERS_DRAWN = Theorem(
    "posterior-to-posterior-any-prior",
    "If the other records are drawn from the attacker's own law given the true value, the same chance has the same bound.",
    "accountant",
    "explanation/posterior-meaning",
    assumptions=(
        "the other records follow the attacker's own law; a badly wrong one breaks every bound that may fail",
        _VALUES,
    ),
    assurance="proved-here",
)
COMPARISONS = (ALWAYS, DEFAULT_RECORD, RECORD_DRAWN, RECORD_GIVEN, OTHERS_DRAWN)
EXACT_LAW = Theorem(
    "posterior-law",
    "The log odds of the posterior are those of the prior plus the privacy loss when the first side of the secret is true, "
    "and minus the loss of the exchanged pair when the second is.",
    "accountant",
    "explanation/posterior-meaning",
    assumptions=(
        "the attacker sees the output itself; the law of what is made of it may have heavier tails",
        "the two sides of the secret move every answer as far as any neighbours do",
    ),
    assurance="proved-here",
)
DOMINATING_LAW = Theorem(
    "posterior-law-of-the-dominating-pair",
    "An attacker who sees an output of the pair that dominates all releases has log odds of the prior plus its privacy "
    "loss. The releases themselves are told apart no better by any test, but chances of single posteriors may be larger.",
    "accountant",
    "explanation/posterior-meaning",
    assurance="proved-here",
)
BEST_GUESS = Theorem(
    "best-guess-is-total-variation",
    "If the data are equally likely to be on either of two sides, and follow any law within each, no guess at the side is "
    "right with a probability above (1 + delta(0))/2, delta(0) that of approximate differential privacy at epsilon = 0 "
    "between the datasets of one side and those of the other; for two datasets that are told apart best some guess attains "
    "it.",
    "accountant",
    "explanation/what-a-guess-gains",
    assumptions=(
        "all other records are known",
        "every dataset of one side is compared with every one of the other: between replace-one neighbours two sets of "
        "values of a record, between add-remove neighbours a record with whatever value and none; two values are two steps "
        "apart there",
    ),
    assurance="proved-here",
)
