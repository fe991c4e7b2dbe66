"""The law of audits catches mechanisms that lose more than they claim when they are run, and no honest ones."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import frozen

from accountant import PrivacyLoss, default_registry
from accountant.loss import FiniteLoss, Floats, GaussianLoss
from accountant.plugin import CASES, Mechanism, Shift
from accountant.plugin.cases import MechanismCase
from accountant.testing import laws
from accountant_noise import DiscreteGaussian, Gaussian, Laplace
from accountant_noise.laplace_loss import LaplaceLoss
from accountant_response import RandomisedResponse
from tests.laws.planted import ONE, Coin, case

Generator = np.random.Generator


@frozen
class HalfTheNoise(Laplace):
    """A sampler that draws noise of half the scale."""

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        return answers + generator.laplace(scale=float(self.scale) / 2, size=answers.shape)


@frozen
class VarianceForSigma(Gaussian):
    """A sampler that takes the variance for the standard deviation; harmful below 1."""

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        return answers + generator.normal(scale=float(self.sigma) ** 2, size=answers.shape)


@frozen
class RoundedNoise(DiscreteGaussian):
    """A sampler that rounds to even numbers, so that odd answers show."""

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        return answers + 2.0 * np.round(generator.normal(scale=1.0, size=answers.shape) / 2.0)


@frozen
class AddRemoveForReplaceOne(Laplace):
    """A loss for one cell of a histogram that moves, where two move."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return LaplaceLoss(shift.linf / self.scale)


@frozen
class ForgetsCoordinates(RandomisedResponse):
    """A loss for one answer, whatever moves."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return super().loss(ONE)


@frozen
class SharedNoise(Gaussian):
    """One draw of noise for all coordinates, accounted for as if each had its own: their difference is exact."""

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        return answers + generator.normal(scale=float(self.sigma), size=(len(answers), 1))


@frozen
class ForgetsToFlip(RandomisedResponse):
    """A coin that is tossed once in a while."""

    def simulate(self, answers: Floats, generator: Generator) -> Floats:
        keep = generator.random(answers.shape) < 0.5
        return np.where(keep, answers, super().simulate(answers, generator))


@frozen
class HeavierThanItClaims(Gaussian):
    """A claim of half the loss."""

    def loss(self, shift: Shift) -> PrivacyLoss:
        return GaussianLoss(shift.l2_squared / (2 * self.sigma) ** 2)


UP_AND_DOWN = Shift.along([1, -1])
PLANTS = [
    (HalfTheNoise(1), Laplace(1), ONE),
    (VarianceForSigma("1/2"), Gaussian("1/2"), ONE),
    (RoundedNoise(sigma=1), DiscreteGaussian(sigma=1), ONE),
    (AddRemoveForReplaceOne(1), Laplace(1), UP_AND_DOWN),
    (ForgetsCoordinates(1), RandomisedResponse(1), UP_AND_DOWN),
    (SharedNoise(1), Gaussian(1), UP_AND_DOWN),
    (ForgetsToFlip(1), RandomisedResponse(1), ONE),
    (HeavierThanItClaims(1), Gaussian(1), ONE),
]


@pytest.mark.parametrize(("planted", "honest", "shift"), PLANTS, ids=lambda item: type(item).__name__)
def test_a_mechanism_that_loses_more_than_it_claims_is_caught(planted: Mechanism, honest: Mechanism, shift: Shift) -> None:
    laws.audits_never_refute_the_claim(case(honest, shift))
    with pytest.raises(AssertionError, match="must not lose more than it claims when it is run") as caught:
        laws.audits_never_refute_the_claim(case(planted, shift))
    lines = str(caught.value).splitlines()
    assert [line.strip().split(":")[0] for line in lines[1:]] == [
        "mechanism",
        "shift",
        "at delta",
        "epsilon that is claimed",
        "epsilon at least",
        "event",
        "seen",
        "look at",
        "plan",
    ]


def test_a_mechanism_that_cannot_be_run_passes() -> None:
    @frozen
    class Silent(Coin):
        def loss(self, shift: Shift) -> PrivacyLoss:
            return FiniteLoss([(1, 1)])

    laws.audits_never_refute_the_claim(case(Silent("3/4")))


def test_every_bundled_kind_that_can_be_run_is_tried() -> None:
    """None of these drops out of the law unnoticed."""
    from accountant.plugin import Simulated

    tried = {
        case.mechanism.kind
        for case in default_registry().offered(CASES).values()
        if isinstance(case, MechanismCase) and isinstance(case.mechanism, Simulated)
    }
    kinds = {"laplace", "gaussian", "discrete-gaussian", "randomised-response", "table", "no-op", "non-private"}
    assert kinds <= tried
