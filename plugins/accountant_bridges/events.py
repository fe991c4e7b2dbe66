"""Events of dp-accounting, by the names of their classes: what each holds, in its order, and what it is here.

They are those of dp-accounting 0.6.0, and one of its repository since. What an event does is what its documentation there
says: sums of values whose norm is bounded for every record, noise being a multiple of that bound.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from attrs import field, frozen

from accountant.fields import about, above, at_least, at_most, exact, plain, whole

_MULTIPLIER = "the noise over the norm that the values of a record are bounded by"


@frozen
class NoOpDpEvent:
    """Nothing that looks at the data."""

    def release(self) -> dict[str, Any]:
        """The event as a release."""
        return {"mechanism": {"kind": "no-op"}}


@frozen
class NonPrivateDpEvent:
    """Something that promises nothing."""

    def release(self) -> dict[str, Any]:
        """The event as a release."""
        return {"mechanism": {"kind": "non-private"}}


@frozen
class GaussianDpEvent:
    """A sum of vectors with Gaussian noise."""

    noise_multiplier: Fraction = field(converter=exact, validator=above(0), metadata=about(_MULTIPLIER))

    def release(self) -> dict[str, Any]:
        """The event as a release."""
        return {
            "query": {"kind": "gradient", "norm": 1},
            "mechanism": {"kind": "gaussian", "sigma": plain(self.noise_multiplier)},
        }


@frozen
class LaplaceDpEvent:
    """A sum of vectors with Laplace noise; that all of a bound is used in one coordinate is the worst."""

    noise_multiplier: Fraction = field(converter=exact, validator=above(0), metadata=about(_MULTIPLIER))

    def release(self) -> dict[str, Any]:
        """The event as a release."""
        return {
            "query": {"kind": "sum", "lower": -1, "upper": 1},
            "mechanism": {"kind": "laplace", "scale": plain(self.noise_multiplier)},
        }


@frozen
class DiscreteLaplaceDpEvent:
    """A sum of whole vectors with geometric noise, where k is e^-a times as likely as k - 1, for k from 1 on."""

    noise_parameter: Fraction = field(
        converter=exact, validator=above(0), metadata=about("how fast the noise falls off, a")
    )
    sensitivity: int = field(
        converter=whole, validator=at_least(1), metadata=about("the L1 norm that the values of a record are bounded by")
    )

    def release(self) -> dict[str, Any]:
        """The event as a release."""
        return {
            "query": {"kind": "sum", "lower": -self.sensitivity, "upper": self.sensitivity},
            "mechanism": {"kind": "geometric", "scale": plain(1 / self.noise_parameter)},
        }


@frozen
class RandomizedResponseDpEvent:
    """One of k answers: the true one, or with chance p any of the k, the true one among them."""

    noise_parameter: Fraction = field(
        converter=exact, validator=[at_least(0), at_most(1)], metadata=about("the chance that any answer is given, p")
    )
    num_buckets: int = field(converter=whole, validator=at_least(1), metadata=about("how many answers there are, k"))

    def release(self) -> dict[str, Any]:
        """The event as a release: the chances of one true answer, of another one, and of all others together.

        Any two answers are told apart alike, so that two rows serve for all.
        """
        if self.num_buckets == 1:
            return {"mechanism": {"kind": "no-op"}}
        other = self.noise_parameter / self.num_buckets
        kept, rest = 1 - self.noise_parameter + other, (self.num_buckets - 2) * other
        rows = [[plain(chance) for chance in row] for row in ((kept, other, rest), (other, kept, rest))]
        return {"mechanism": {"kind": "table", "rows": rows}}


@frozen
class ZCDpEvent:
    """Whatever has this zero-concentrated privacy, as somebody states."""

    rho: Fraction = field(converter=exact, validator=at_least(0), metadata=about("the rho that is stated"))
    xi: Fraction = field(
        default=Fraction(0),
        converter=exact,
        validator=[at_least(0), at_most(0)],
        metadata=about("what is lost beside it, at every order"),
    )

    def release(self) -> dict[str, Any]:
        """The event as a release."""
        return {"mechanism": {"kind": "claim", "divergence": "zcdp", "rho": plain(self.rho)}}


@frozen
class EpsilonDeltaDpEvent:
    """Whatever has this epsilon and delta, as somebody states."""

    epsilon: Fraction = field(converter=exact, validator=at_least(0), metadata=about("the epsilon that is stated"))
    delta: Fraction = field(
        converter=exact, validator=[at_least(0), at_most(1)], metadata=about("the delta that is stated")
    )

    def release(self) -> dict[str, Any]:
        """The event as a release."""
        stated = {"epsilon": plain(self.epsilon), "delta": plain(self.delta)}
        return {"mechanism": {"kind": "claim", "divergence": "approx", **stated}}


Leaf = (
    NoOpDpEvent
    | NonPrivateDpEvent
    | GaussianDpEvent
    | LaplaceDpEvent
    | DiscreteLaplaceDpEvent
    | RandomizedResponseDpEvent
    | ZCDpEvent
    | EpsilonDeltaDpEvent
)


@frozen
class SelfComposedDpEvent:
    """An event so many times."""

    event: Any = field(metadata=about("the event that is repeated"))
    count: int = field(converter=whole, validator=at_least(1), metadata=about("how often"))


@frozen
class ComposedDpEvent:
    """Several events."""

    events: Any = field(metadata=about("the events, a list"))


@frozen
class PoissonSampledDpEvent:
    """An event on a sample that every record joins by its own coin."""

    sampling_probability: Fraction = field(
        converter=exact, validator=[at_least(0), at_most(1)], metadata=about("the chance that a record is in the sample")
    )
    event: Any = field(metadata=about("the event on the sample"))

    def sampling(self) -> dict[str, Any]:
        """The sampling of a release."""
        return {"kind": "poisson", "rate": plain(self.sampling_probability)}


@frozen
class SampledWithoutReplacementDpEvent:
    """An event on a sample of a fixed size."""

    source_dataset_size: int = field(converter=whole, validator=at_least(1), metadata=about("how many records there are"))
    sample_size: int = field(converter=whole, validator=at_least(0), metadata=about("how many are taken"))
    event: Any = field(metadata=about("the event on the sample"))

    def sampling(self) -> dict[str, Any]:
        """The sampling of a release."""
        return {"kind": "without-replacement", "sample": self.sample_size, "population": self.source_dataset_size}


EVENTS: dict[str, type[Any]] = {
    cls.__name__: cls
    for cls in (
        *Leaf.__args__,
        SelfComposedDpEvent,
        ComposedDpEvent,
        PoissonSampledDpEvent,
        SampledWithoutReplacementDpEvent,
    )
}
"""What is understood, by the name of the class there."""

REFUSED: dict[str, str] = {
    "UnsupportedDpEvent": "it says itself that nobody knows what it does",
    "SampledWithReplacementDpEvent": "samples in which a record may come twice are not accounted for",
    "SingleEpochTreeAggregationDpEvent": "it is about zero-out neighbours; a tree over time is the mechanism 'tree'",
    "RepeatAndSelectDpEvent": "a number of repetitions that is drawn at random is not accounted for",
    "MixtureOfGaussiansDpEvent": "several draws of one record are not accounted for",
    "TruncatedSubsampledGaussianDpEvent": "batches that are cut at a size are not accounted for",
    "ExponentialMechanismDpEvent": "what its epsilon is of depends on the version",
    "PermuteAndFlipDpEvent": "what its epsilon is of depends on the version",
    "DiscreteGaussianDpEvent": "which norm its sensitivity is of depends on the version",
}
"""What is known and has no counterpart, and why."""
