"""accountant itself, through its public losses."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from jobs import (
    Calibration,
    Curve,
    DiscreteGaussian,
    Epsilon,
    Gaussian,
    Geometric,
    Laplace,
    Mechanism,
    Parts,
    Power,
    Sampled,
    SampledLaplace,
)

from accountant import Interval, calibrate, read_plan
from accountant.loss import ComposedLoss, GaussianLoss, PrivacyLoss, SampledLoss, compose
from accountant.registry.registry import default_registry
from accountant_noise.discrete_gaussian_loss import DiscreteGaussianLoss
from accountant_noise.geometric_loss import GeometricLoss
from accountant_noise.laplace_loss import LaplaceLoss
from systems.base import Answer, System


def loss_of(mechanism: Mechanism) -> PrivacyLoss:
    """The loss of one release in one direction."""
    match mechanism:
        case Gaussian(sigma):
            return GaussianLoss(sigma**-2)
        case Laplace(scale):
            return LaplaceLoss(scale**-1)
        case DiscreteGaussian(variance):
            return DiscreteGaussianLoss(variance, 1)
        case Sampled(sigma, rate):
            return SampledLoss(GaussianLoss(sigma**-2), rate)
        case SampledLaplace(scale, rate):
            return SampledLoss(LaplaceLoss(scale**-1), rate)
        case Geometric(scale):
            return GeometricLoss(scale**-1, 1)


def directions(parts: Parts, precision: float, merged: bool = True) -> list[PrivacyLoss]:
    """All parts together, in each direction in which they differ."""
    losses = [(loss_of(mechanism), count) for mechanism, count in parts]
    loss = (compose(losses) if merged else ComposedLoss.of(losses)).sharpened(precision)
    back = loss.reverse()
    return [loss] if back is loss else [loss, back]


def worst(values: Iterable[Interval]) -> Interval:
    """The larger of several readings."""
    found = list(values)
    return Interval(max(value.lower for value in found), max(value.upper for value in found))


class Accountant(System):
    """Both ends of every reading, at a precision."""

    def __init__(self, precision: float = 1e-4) -> None:
        self.precision = precision
        # Plugins are loaded, like libraries, and what is imported when first used is used, before anything is measured.
        default_registry()
        self.calibration(Calibration("warm-up", "a few sampled Gaussians", Fraction(1, 10), 10, "1", "1e-3"))

    def read(self, parts: Parts, delta: str, merged: bool = True) -> Interval:
        """Epsilon; of the second direction no more than whether it is larger."""
        first, *others = directions(parts, self.precision, merged)
        value = first.epsilon(delta)
        return worst([value, *(loss.epsilon(delta, least=value.lower) for loss in others)])

    def epsilon(self, job: Epsilon) -> Answer:
        value = self.read(job.parts, job.delta, job.merged)
        return Answer((value.upper,), (value.lower,))

    def curve(self, job: Curve) -> Answer:
        losses = directions(job.parts, self.precision)
        values = [worst(loss.delta(epsilon) for loss in losses) for epsilon in job.epsilons]
        return Answer(tuple(value.upper for value in values), tuple(value.lower for value in values))

    def power(self, job: Power) -> Answer:
        """What the smallest type II error lacks to 1, in the direction in which that is more."""
        errors = [loss.tradeoff(job.level) for loss in directions(job.parts, self.precision)]
        return Answer((1.0 - min(error.lower for error in errors),), (1.0 - min(error.upper for error in errors),))

    def calibration(self, job: Calibration) -> Answer:
        """What `calibrate` returns for a plan: a factor that is enough, and one smaller by the tolerance that is not."""
        step = {
            "name": "step",
            "query": {"kind": "count"},
            "mechanism": {"kind": "gaussian", "sigma": "1"},
            "sampling": {"kind": "poisson", "rate": str(job.rate)},
            "times": job.steps,
        }
        budget = {"divergence": "approx", "epsilon": job.epsilon, "delta": job.delta}
        plan = read_plan({"specification": {"neighbours": "add-remove"}, "budget": [budget], "release": [step]})
        found = calibrate(plan, tolerance=job.tolerance)
        return Answer((float(found.factor),), (float(found.less),))


def system() -> System:
    return Accountant()
