"""The releases of a plan, audited."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from attrs import field, frozen

from accountant import Neighbours, PlanError, Registry, Theorem, account, audit, fields, read_plan
from accountant.loss import GaussianLoss, PrivacyLoss
from accountant.plugin import Mechanism, Relation, Sampling, Shift, hookimpl
from accountant_noise import Laplace

COUNT = {"kind": "count"}
HALF = Theorem("half-the-noise", "It holds because a test says so.", "accountant", "tests", assurance="claimed")


def plan(*releases: dict[str, Any], neighbours: str = "add-remove", **specification: Any) -> dict[str, Any]:
    return {"specification": {"neighbours": neighbours, **specification}, "release": list(releases)}


def response(name: str) -> dict[str, Any]:
    return {"name": name, "mechanism": {"kind": "randomised-response", "epsilon": "1"}}


def noise(name: str, kind: str = "laplace", **parameters: str) -> dict[str, Any]:
    return {"name": name, "query": COUNT, "mechanism": {"kind": kind, **parameters}}


@frozen
class HalfTheNoise(Laplace):
    """Planted: Laplace noise, accounted for at its scale and drawn at half of it."""

    kind: ClassVar[str] = "half-the-noise"
    theorem: ClassVar[Theorem] = HALF

    def simulate(self, answers: Any, generator: np.random.Generator) -> Any:
        return answers + generator.laplace(scale=float(self.scale) / 2, size=answers.shape)


@frozen
class Silent(Mechanism):
    """A mechanism that does not say how to run it."""

    kind: ClassVar[str] = "silent"
    theorem: ClassVar[Theorem] = HALF

    def loss(self, shift: Shift) -> PrivacyLoss:
        return GaussianLoss(1)


@frozen
class SilentSampling(Sampling):
    """A sampling that does not say how to draw a sample."""

    kind: ClassVar[str] = "silent-sampling"
    theorem: ClassVar[Theorem] = HALF

    rate: Fraction = field(converter=fields.exact, metadata=fields.about("not used"))

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        return GaussianLoss("1/1000000")


class Plugin:
    """What the tests add."""

    __name__ = "audited_plugin"

    @hookimpl
    def accountant_mechanisms(self) -> tuple[type[Mechanism], ...]:
        return HalfTheNoise, Silent

    @hookimpl
    def accountant_samplings(self) -> tuple[type[Sampling], ...]:
        return (SilentSampling,)

    @hookimpl
    def accountant_theorems(self) -> tuple[Theorem, ...]:
        return (HALF,)


REGISTRY = Registry.load(extra=[Plugin()])


def audited(data: dict[str, Any], **settings: Any) -> Any:
    return audit(read_plan(data, registry=REGISTRY), registry=REGISTRY, **{"samples": 20_000, **settings})


def test_every_release_is_audited_once_whatever_its_times() -> None:
    once, often = (audited(plan({**noise("a", scale="1"), "times": times})) for times in (1, 50))
    assert [item.found for item in once] == [item.found for item in often]
    assert [item.claimed for item in once] == [item.claimed for item in often]
    assert (once[0].release.times, often[0].release.times) == (1, 50)


def test_the_claim_is_what_the_account_says_of_one_run() -> None:
    data = plan(noise("a", scale="2"), noise("b", "gaussian", sigma="3"))
    for item in audited(data):
        alone = read_plan(plan(next(release for release in data["release"] if release["name"] == item.release.name)))
        value = account(alone).measure("approx", delta="1e-6").value
        assert item.verdict == "consistent"
        assert item.found.epsilon <= value.upper
        assert item.claimed.lower <= value.upper
        assert value.lower <= item.claimed.upper
    assert audited(data, delta=0)[0].claimed.exact == Fraction(1, 2)
    assert audited(data, delta=0)[1].claimed.lower == math.inf


def test_a_mechanism_that_adds_half_the_noise_is_refuted() -> None:
    honest, planted = audited(plan(noise("honest", scale="1"), noise("planted", "half-the-noise", scale="1")))
    assert honest.verdict == "consistent"
    assert planted.verdict == "refuted"
    assert planted.claimed.upper < 1.0001 < 1.8 < planted.found.epsilon <= 2.0


def test_what_cannot_be_run_is_listed_with_the_reason() -> None:
    still = {
        "name": "still",
        "query": {"kind": "count", "attributes": ["age"]},
        "mechanism": noise("", scale="1")["mechanism"],
    }
    claim = {"name": "claim", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "1"}}
    data = plan(still, claim, noise("silent", "silent"), neighbours="replace-one", attributes=["income"])
    items = audited(data)
    assert [item.verdict for item in items] == ["not audited"] * 3
    assert [item.found for item in items] == [None] * 3
    assert [item.remark for item in items] == [
        "the query does not move between neighbours",
        "only a claim is known of it, and nothing to run",
        "'silent' does not say how to run it",
    ]


def test_a_sampled_release_is_run_on_samples() -> None:
    sampled = {**noise("a", scale="1"), "sampling": {"kind": "poisson", "rate": "1/2"}}
    (item,) = audited(plan(sampled), delta=0, samples=200_000)
    truth = math.log(0.5 + 0.5 * math.e)
    assert 0.85 * truth < item.found.epsilon <= item.claimed.upper == pytest.approx(truth, rel=1e-6)
    assert item.remark is None


def test_a_sampling_that_cannot_be_drawn_is_left_out_and_said_so() -> None:
    """The planted claim of the sampling, next to nothing, is not compared with the mechanism on all records."""
    sampled = {**noise("a", scale="1"), "sampling": {"kind": "silent-sampling", "rate": "1/2"}}
    (item,) = audited(plan(sampled))
    assert item.verdict == "consistent"
    assert item.claimed.upper == pytest.approx(1.0, rel=1e-5)
    assert item.remark == "'silent-sampling' does not say how to draw a sample, so the mechanism is audited on all records"


def test_chosen_releases_have_the_runs_that_they_have_among_all() -> None:
    data = plan(*map(response, "abc"))
    everything, some = audited(data), audited(data, releases=["c", "b"])
    assert [item.release.name for item in some] == ["b", "c"]
    assert [item.found.seen for item in some] == [item.found.seen for item in everything[1:]]
    assert everything[0].found.seen != everything[1].found.seen


def test_bounds_of_several_releases_hold_together() -> None:
    """Each of three has a third of what the confidence leaves: it proves what one alone proves at a higher confidence."""
    data = plan(*map(response, "abc"))
    together = audited(data, confidence="0.97")[0]
    alone = audited(data, confidence="0.99", releases=["a"])[0]
    assert together.found.seen == alone.found.seen
    assert together.found.epsilon == alone.found.epsilon < audited(data, confidence="0.97", releases=["a"])[0].found.epsilon


def test_unknown_names_are_all_reported() -> None:
    with pytest.raises(PlanError) as caught:
        audited(plan(noise("smokers", scale="1")), releases=["smoker", "walkers"])
    assert [fault.message.split(";")[0] for fault in caught.value.faults] == [
        "no release is called 'smoker'",
        "no release is called 'walkers'",
    ]


@pytest.mark.parametrize(
    ("mechanism", "moves"),
    [
        ({"kind": "laplace", "scale": "1e-200"}, ["1"]),
        ({"kind": "laplace", "scale": "1e200"}, ["1"]),
        ({"kind": "gaussian", "sigma": "1"}, ["1e300", "1e300"]),
        ({"kind": "discrete-gaussian", "variance": "1e-200"}, ["1"]),
    ],
    ids=str,
)
def test_extreme_noise_is_audited_without_a_warning(mechanism: dict[str, str], moves: list[str]) -> None:
    release = {"name": "a", "query": {"kind": "vector", "shift": moves}, "mechanism": mechanism}
    assert audited(plan(release), samples=1000)[0].verdict == "consistent"


@pytest.mark.parametrize(
    "mechanism", [{"kind": "laplace", "scale": "1e400"}, {"kind": "gaussian", "sigma": "1e200"}], ids=str
)
def test_noise_that_doubles_cannot_hold_is_refused_with_its_place(mechanism: dict[str, str]) -> None:
    with pytest.raises(PlanError, match="too large or too small for double arithmetic") as caught:
        audited(plan(noise("a", scale="1"), {"name": "b", "query": COUNT, "mechanism": mechanism}), samples=1000)
    assert [fault.place for fault in caught.value.faults] == ["release[1].mechanism"]
