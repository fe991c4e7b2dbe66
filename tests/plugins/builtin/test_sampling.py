"""Sampling in a plan: read, refused with a place and a remedy, accounted for, shown and certified."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import pytest
from attrs import frozen
from jsonschema import Draft202012Validator

from accountant import (
    Neighbours,
    Plan,
    PlanError,
    PluginError,
    PrivacyLoss,
    Registry,
    Release,
    Specification,
    Theorem,
    account,
    certify,
    default_registry,
    read_plan,
    verify,
)
from accountant.loss import NO_LOSS, TOTAL_LOSS, FiniteLoss, GaussianLoss, ResponseLoss, SampledLoss, compose
from accountant.loss.derived import sampled_gaussian
from accountant.plan.schema import plan_schema
from accountant.plugin import DIVERGENCES, NEIGHBOURS, SAMPLINGS, THEOREMS, Mechanism, Relation, Sampling, Shift, hookimpl
from accountant.release.claim import Claim
from accountant.report import Summary, TextRenderer
from accountant_builtin.samplings import Poisson, WithoutReplacement
from accountant_builtin.theorems import POISSON

TRAINING: dict[str, Any] = {
    "title": "Training",
    "specification": {"neighbours": "add-remove"},
    "budget": [{"divergence": "approx", "epsilon": "2", "delta": "1e-5"}],
    "release": [
        {
            "name": "steps",
            "query": {"kind": "vector", "shift": ["1"]},
            "mechanism": {"kind": "gaussian", "sigma": "1"},
            "sampling": {"kind": "poisson", "rate": "0.01"},
            "times": 1000,
        }
    ],
}

FIXED: dict[str, Any] = {"kind": "without-replacement", "sample": 10, "population": 1000}
COUNT: dict[str, Any] = {"kind": "count"}
CLIPPED: dict[str, Any] = {"kind": "sum", "lower": "-1", "upper": "1"}


def changed(**release: Any) -> dict[str, Any]:
    plan = deepcopy(TRAINING)
    plan["release"][0] |= release
    return plan


def replaced(**release: Any) -> dict[str, Any]:
    """The same between neighbours that replace a record."""
    return {**changed(**release), "specification": {"neighbours": "replace-one"}}


def test_a_sampled_plan_is_read_and_written() -> None:
    plan = read_plan(TRAINING)
    assert plan.releases[0].sampling == Poisson("0.01")
    assert read_plan(plan.as_data()) == plan
    assert plan.as_data()["release"][0]["sampling"] == {"kind": "poisson", "rate": "0.01"}
    plain = changed()
    del plain["release"][0]["sampling"]
    assert read_plan(plain).digest != plan.digest
    assert not list(Draft202012Validator(plan_schema(default_registry())).iter_errors(TRAINING))


@pytest.mark.parametrize(
    ("sampling", "message", "place"),
    [
        ({"kind": "poisson", "rate": "-0.1"}, "must be at least 0, got -0.1", "release[0].sampling.rate"),
        ({"kind": "poisson", "rate": "1.5"}, "must be at most 1, got 1.5", "release[0].sampling.rate"),
        ({"kind": "poisson"}, "missing 'rate': the chance that a record is taken", "release[0].sampling"),
        ({"kind": "poison", "rate": "0.1"}, "unknown sampling 'poison'; did you mean 'poisson'?", "release[0].sampling"),
        ({"rate": "0.1"}, "missing 'kind'; known: poisson, without-replacement", "release[0].sampling"),
        ({"kind": "poisson", "rate": "0.1", "seed": 1}, "unknown key 'seed'", "release[0].sampling"),
        ("poisson", "expected a table, got 'poisson'", "release[0].sampling"),
        ({**FIXED, "sample": 1001}, "a sample of 1001 cannot be drawn from a population of 1000", "release[0].sampling"),
        ({**FIXED, "sample": "2.5"}, "expected a whole number, got 2.5", "release[0].sampling.sample"),
        ({**FIXED, "sample": -1}, "must be at least 0, got -1", "release[0].sampling.sample"),
        ({**FIXED, "population": 0}, "must be at least 1, got 0", "release[0].sampling.population"),
        ({"kind": "without-replacement", "sample": 3}, "missing 'population': how many records", "release[0].sampling"),
    ],
)
def test_faults_have_a_place(sampling: Any, message: str, place: str) -> None:
    with pytest.raises(PlanError) as caught:
        read_plan(changed(sampling=sampling))
    assert [fault.place for fault in caught.value.faults] == [place]
    assert message in caught.value.faults[0].message


@pytest.mark.parametrize("sampling", [{"kind": "poisson", "rate": "0"}, {**FIXED, "sample": 0}, FIXED], ids=str)
def test_samplings_are_read_and_written(sampling: dict[str, Any]) -> None:
    for stated in (changed(sampling=sampling), replaced(sampling=sampling)):
        plan = read_plan(stated)
        assert read_plan(plan.as_data()) == plan
        assert not list(Draft202012Validator(plan_schema(default_registry())).iter_errors(stated))


# What a sampling needs to know --------------------------------------------------------------------------------------------


def refusal(plan: dict[str, Any], registry: Registry | None = None) -> str:
    with pytest.raises(PlanError) as caught:
        account(read_plan(plan, registry=registry), registry=registry)
    (fault,) = caught.value.faults
    assert fault.place == "release[0].sampling"
    return fault.message


def test_a_stated_shift_says_nothing_about_other_neighbours() -> None:
    needs = "the shift is stated between the plan's own neighbours only, but any '{}' neighbours matter here"
    assert needs.format("add-remove") in refusal(replaced())
    assert needs.format("replace-one") in refusal(changed(sampling=FIXED))
    # Between its own neighbours it is enough.
    unit = {"kind": "sum", "lower": 0, "upper": 1}
    assert (
        account(read_plan(replaced(sampling=FIXED))).loss == account(read_plan(replaced(sampling=FIXED, query=unit))).loss
    )
    # Samples of a fixed size swap whole records, whichever attributes the promise singles out.
    attributes = {**replaced(sampling=FIXED), "specification": {"neighbours": "replace-one", "attributes": ["age"]}}
    assert needs.format("replace-one") in refusal(attributes)


def test_attributes_that_may_differ_do_not_make_a_sample_cheaper() -> None:
    """A record of the sample is swapped for another one in all its attributes."""
    reads = {"kind": "histogram", "attributes": ["age"]}
    free = {"kind": "histogram", "attributes": ["income"]}
    for sampling in (FIXED, {"kind": "poisson", "rate": "0.01"}):
        whole = account(read_plan(replaced(sampling=sampling, query=reads)))
        narrow = {"specification": {"neighbours": "replace-one", "attributes": ["age"]}}
        assert account(read_plan({**replaced(sampling=sampling, query=reads), **narrow})).loss == whole.loss
        unread = account(read_plan({**replaced(sampling=sampling, query=free), **narrow}))
        assert unread.measure("pure").value.exact == 0


PAIRS = Relation("two-more", frozenset({(2, 0), (0, 2)}), edits=False, meaning="two units are there or not")


class Pairs:
    """A plugin of one relation."""

    __name__ = "pairs_plugin"

    @hookimpl
    def accountant_neighbours(self) -> tuple[Relation, ...]:
        return (PAIRS,)


@pytest.mark.parametrize("sampling", [{"kind": "poisson", "rate": "0.01"}, FIXED], ids=["poisson", "fixed"])
def test_other_neighbours_are_refused_with_those_that_are_supported(sampling: dict[str, Any]) -> None:
    registry = Registry.load(extra=[Pairs()])  # type: ignore[list-item]
    plan = {**changed(sampling=sampling, query=COUNT), "specification": {"neighbours": "two-more"}}
    message = refusal(plan, registry)
    assert f"'{sampling['kind']}' sampling is accounted for between 'add-remove' and 'replace-one' neighbours" in message
    assert "not between 'two-more' ones" in message


@frozen
class Local(Mechanism):
    """An answer that everyone gives."""

    kind: ClassVar[str] = "local"
    theorem: ClassVar[Theorem] = POISSON
    needs_query: ClassVar[bool] = False
    relations: ClassVar[tuple[str, ...] | None] = ("replace-one",)

    def loss(self, shift: Shift) -> PrivacyLoss:
        return ResponseLoss(1)


def test_a_mechanism_that_does_not_say_is_refused() -> None:
    """Poisson samples need to know what an absent record costs; samples of a fixed size do not."""
    specification = Specification(Neighbours(default_registry()[NEIGHBOURS]["replace-one"]))

    def built(sampling: Sampling) -> Plan:
        return Plan("built", specification, (Release("answers", Local(), sampling=sampling),))

    with pytest.raises(PlanError, match=r"between 'replace-one' neighbours only, not between 'add-remove'.*\.sampling"):
        account(built(Poisson("0.1")))
    assert account(built(Poisson(1))).loss == ResponseLoss(1)
    assert account(built(WithoutReplacement(1, 10))).measure("pure").value.upper < 1.0


def test_a_sampled_claim_is_refused_because_it_says_nothing_about_the_pair() -> None:
    claim = {"kind": "claim", "divergence": "zcdp", "rho": "0.1"}
    with pytest.raises(PlanError, match=r"does not say which laws.* @ release\[0\]\.sampling"):
        read_plan(changed(mechanism=claim))
    zcdp = default_registry()[DIVERGENCES]["zcdp"]
    release = Release("bought", Claim(zcdp, zcdp.parameter("0.1")), sampling=Poisson("0.1"))
    built = Plan("built", read_plan(TRAINING).specification, (release,))
    with pytest.raises(PlanError, match=r"does not say which laws.* @ release\[0\]\.sampling"):
        account(built)


def test_the_loss_is_that_of_the_mixed_pair_in_both_directions() -> None:
    whole = account(read_plan(TRAINING))
    assert whole.loss == compose([(SampledLoss(GaussianLoss(1), "0.01"), 1000)])
    value = whole.measure("approx", delta="1e-5").value
    assert value.lower <= 1.828236667 <= value.upper
    back = account(read_plan(TRAINING)).loss.reverse().epsilon("1e-5")
    assert back.upper < value.lower


def test_what_reads_nothing_is_not_changed_by_sampling() -> None:
    nothing = account(read_plan(changed(mechanism={"kind": "no-op"})))
    assert nothing.measure("pure").value.exact == 0
    still = deepcopy(TRAINING)
    still["release"][0]["query"] = {"kind": "vector", "shift": ["0"]}
    guarantee = account(read_plan(still)).measure("pure")
    assert guarantee.value.exact == 0
    assert POISSON not in [step.theorem for step in guarantee.derivation]


def test_a_sample_of_exact_records_loses_everything_with_the_rate() -> None:
    plan = changed(mechanism={"kind": "non-private"}, times=1)
    guarantee = account(read_plan(plan)).measure("approx", epsilon="50")
    assert guarantee.value.contains(Fraction(1, 100))
    assert SampledLoss.of(TOTAL_LOSS, 1) == TOTAL_LOSS


def read_delta(plan: dict[str, Any], epsilon: str = "50") -> Any:
    return account(read_plan(plan)).measure("approx", epsilon=epsilon).value


def test_publishing_a_sample_of_the_records_tells_nothing_or_everything() -> None:
    """The loss is 0 for whoever was not taken and infinite for whoever was, whatever epsilon is granted."""
    exact_release = {"mechanism": {"kind": "non-private"}, "query": COUNT, "times": 1}
    entry = account(read_plan(replaced(sampling=FIXED, **exact_release))).entries[0]
    taken = Fraction(10, 1000)
    assert entry.loss.dominating() == FiniteLoss([(taken, 0), (1 - taken, 1 - taken), (0, taken)])
    for stated in (
        replaced(sampling=FIXED, **exact_release),
        changed(sampling=FIXED, **exact_release),
        replaced(**exact_release),
        changed(**exact_release),
    ):
        for epsilon in ("0", "0.1", "1", "50"):
            assert read_delta(stated, epsilon).contains(taken)
            assert read_delta(stated, epsilon).width <= 1e-17
        twice = deepcopy(stated)
        twice["release"][0]["times"] = 2
        assert read_delta(twice).contains(1 - (1 - taken) ** 2)


# The ends of the range ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", [COUNT, CLIPPED, {"kind": "histogram"}], ids=lambda query: query["kind"])
@pytest.mark.parametrize("mechanism", [{"kind": "gaussian", "sigma": "2"}, {"kind": "laplace", "scale": "3"}], ids=str)
def test_nobody_taken_is_nothing_and_everybody_taken_is_no_sample(query: dict[str, Any], mechanism: dict[str, Any]) -> None:
    for build in (changed, replaced):
        stated = build(query=query, mechanism=mechanism, times=3)
        del stated["release"][0]["sampling"]
        plain = account(read_plan(stated)).loss
        none = [{"kind": "poisson", "rate": 0}, {**FIXED, "sample": 0}]
        everybody = [{"kind": "poisson", "rate": 1}, {**FIXED, "sample": 1000}]
        for sampling in none:
            whole = account(read_plan(build(query=query, mechanism=mechanism, sampling=sampling, times=3)))
            assert whole.measure("pure").value.exact == 0
            assert whole.loss == NO_LOSS
        for sampling in everybody:
            stated = build(query=query, mechanism=mechanism, sampling=sampling, times=3)
            if build is changed and sampling["kind"] != "poisson":
                assert "a sample of 1000 cannot be drawn from the neighbour" in refusal(stated)
            else:
                assert account(read_plan(stated)).loss == plain


@pytest.mark.parametrize("sampling", [{"kind": "poisson", "rate": "0.3"}, FIXED], ids=["poisson", "fixed"])
def test_what_does_not_move_loses_nothing_on_a_sample(sampling: dict[str, Any]) -> None:
    still = {"kind": "sum", "lower": "0", "upper": "0"}
    for build in (changed, replaced):
        assert account(read_plan(build(query=still, sampling=sampling))).measure("pure").value.exact == 0
    # A value that everyone has moves when a record appears, and not when one is replaced.
    same = {"kind": "sum", "lower": "5", "upper": "5"}
    assert account(read_plan(replaced(query=same, sampling=sampling))).measure("pure").value.exact == 0
    gone = account(read_plan(changed(query=same, sampling=sampling))).measure("approx", delta="1e-6").value
    assert (gone.lower > 1.0) if sampling["kind"] == "poisson" else gone.exact == 0


def test_known_answers_of_noise_on_samples() -> None:
    """Independent: a transform of the law on two million points, good to about a part in ten thousand."""
    unit = {"kind": "sum", "lower": 0, "upper": 1}
    fixed = account(read_plan(replaced(query=unit, sampling=FIXED))).measure("approx", delta="1e-5").value
    assert fixed.lower == pytest.approx(1.8283, rel=2e-4)
    assert fixed.upper == pytest.approx(2.1989, rel=2e-4)
    # A record that is counted or not is no more than the best choice of orders.
    counted = account(read_plan(replaced(query=COUNT, sampling=FIXED))).measure("approx", delta="1e-5").value
    assert counted.lower == pytest.approx(1.8283, rel=2e-4)
    assert counted.upper < 1.01 * counted.lower
    both = account(read_plan(replaced(query=COUNT))).measure("approx", delta="1e-5").value
    assert (both.lower, both.upper) == (counted.lower, counted.upper)
    # A record that pulls one way against one that pulls the other: a single symmetric pair, known from both sides.
    pulled = account(read_plan(replaced(query=CLIPPED))).measure("approx", delta="1e-5").value
    assert pulled.width <= 1e-4 * pulled.upper


def test_each_relation_has_its_theorem() -> None:
    named = {
        "poisson-sampling": changed(query=COUNT),
        "poisson-sampling-replaced": replaced(query=COUNT),
        "sampling-without-replacement": replaced(query=COUNT, sampling=FIXED),
    }
    for name, stated in named.items():
        steps = account(read_plan(stated)).measure("approx", delta="1e-5").derivation
        assert name in [step.theorem.name for step in steps]
        assert not (set(named) - {name}) & {step.theorem.name for step in steps}


def test_the_derivation_names_the_sampling_and_its_theorem() -> None:
    steps = account(read_plan(TRAINING)).measure("approx", delta="1e-5").derivation
    mechanism, sampling = next((a, b) for a, b in pairwise(steps) if b.theorem == POISSON)
    assert mechanism.statement == "'steps' has the loss of gaussian(sigma = 1) on the records that it sees"
    assert sampling.statement == "'steps' sees a sample by poisson(rate = 0.01), 1,000 times"
    assert (POISSON.key, POISSON.locator) == ("zhu2022optimal", "Theorem 11")
    assert sampling.uses == (steps.index(mechanism) + 1,)


def test_the_certificate_and_the_summary_show_it() -> None:
    plan = read_plan(TRAINING)
    certificate = certify(plan)
    assert certificate.kept
    assert certificate.data["releases"][0]["sampling"] == {"kind": "poisson", "rate": "0.01"}
    shown = TextRenderer().render(Summary().build(certificate, account(plan)))
    assert "poisson" in shown
    assert "rate" in shown
    assert verify(certificate, plan).verdict.value == "implied"
    other = read_plan(changed(sampling={"kind": "poisson", "rate": "0.02"}))
    assert verify(certificate, other).verdict.value == "refuted"


@pytest.mark.parametrize("mechanism", [{"kind": "laplace", "scale": "2"}, {"kind": "geometric", "scale": "2"}])
def test_two_coordinates_on_a_sample_of_a_fixed_size_have_every_reading(mechanism: dict[str, Any]) -> None:
    """A replaced record moves two cells; (1 - q)Q + qP against Q is attained, and what is known from above is close."""
    fixed = {"kind": "without-replacement", "sample": 4, "population": 5}
    release = {"name": "ages", "query": {"kind": "histogram"}, "mechanism": mechanism, "sampling": fixed}
    plan = read_plan({"specification": {"neighbours": "replace-one"}, "release": [release]})
    whole = account(plan)
    supremum = whole.measure("pure").value.upper
    readings = {("zcdp",): supremum**2 / 2, ("renyi", "2"): supremum, ("renyi", "16"): supremum, ("gdp",): supremum}
    for (name, *order), most in readings.items():
        found = whole.measure(name, {"order": order[0]} if order else {}).value
        assert 0.0 < found.lower <= found.upper <= min(most, 1.1 * found.lower)


def test_sampling_at_rate_one_is_no_sampling() -> None:
    sampled = account(read_plan(changed(sampling={"kind": "poisson", "rate": 1})))
    plan = deepcopy(TRAINING)
    del plan["release"][0]["sampling"]
    assert sampled.loss == account(read_plan(plan)).loss


def test_sampling_never_costs_more() -> None:
    plain, sampled = (
        account(read_plan(changed(times=3, sampling={"kind": "poisson", "rate": rate}))) for rate in ("1", "0.3")
    )
    for name, words in (("approx", {"delta": "1e-6"}), ("zcdp", {})):
        assert sampled.measure(name, words).value.lower <= plain.measure(name, words).value.upper


# A sampling of one's own -------------------------------------------------------------------------------------------------


TWICE = Theorem("twice", "Twice is twice.", "accountant", "explanation/one-loss", assurance="proved-here")


@frozen
class Twice(Sampling):
    """Every record is looked at twice."""

    kind: ClassVar[str] = "twice"
    theorem: ClassVar[Theorem] = TWICE

    def loss(self, between: Callable[[Relation], PrivacyLoss], neighbours: Neighbours) -> PrivacyLoss:
        return compose([(between(neighbours.relation), 2)])


class Plugin:
    """A plugin of one sampling."""

    __name__ = "twice_plugin"

    def __init__(self, *theorems: Theorem) -> None:
        self.theorems = theorems

    @hookimpl
    def accountant_samplings(self) -> tuple[type[Sampling], ...]:
        return (Twice,)

    @hookimpl
    def accountant_theorems(self) -> tuple[Theorem, ...]:
        return self.theorems


def test_a_plugin_may_add_a_sampling() -> None:
    registry = Registry.load(extra=[Plugin(TWICE)])  # type: ignore[list-item]
    plan = read_plan(changed(sampling={"kind": "twice"}), registry=registry)
    assert account(plan, registry=registry).loss == GaussianLoss(2000)
    assert registry[SAMPLINGS].keys() == {"poisson", "twice", "without-replacement"}


def test_the_theorem_that_a_sampling_cites_is_registered_with_it() -> None:
    registry = Registry.load(extra=[Plugin()])  # type: ignore[list-item]
    assert registry.find(THEOREMS, "twice") == TWICE
    assert registry.owner(THEOREMS, "twice") == registry.owner(SAMPLINGS, "twice")


def test_a_sampling_must_cite_a_theorem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Twice, "theorem", None)
    with pytest.raises(PluginError, match="cites no theorem as 'theorem' of its sampling 'twice'"):
        Registry.load(extra=[Plugin()])  # type: ignore[list-item]


@pytest.mark.slow
def test_adding_a_release_does_not_compute_the_others_again(monkeypatch: pytest.MonkeyPatch) -> None:
    quadratures: list[tuple[object, complex]] = []
    compute = sampled_gaussian.SampledGaussian._log_moments
    monkeypatch.setattr(
        sampled_gaussian.SampledGaussian,
        "_log_moments",
        lambda self, points: quadratures.extend((self.densities, z) for z in points.tolist()) or compute(self, points),
    )

    def release(number: int) -> dict[str, object]:
        return {
            "name": f"round {number}",
            "query": {"kind": "count"},
            "mechanism": {"kind": "gaussian", "sigma": f"{100 + number}/100"},
            "sampling": {"kind": "poisson", "rate": f"{41 - number}/4000"},
            "times": 100,
        }

    stated = [release(number) for number in range(40)]
    whole = account(read_plan({"specification": {"neighbours": "add-remove"}, "release": stated[:-1]}))
    whole.measure("approx", delta="1e-6")
    fresh = len(quadratures)
    plan = read_plan({"specification": {"neighbours": "add-remove"}, "release": stated})
    more = whole.adding(plan.releases[-1])
    value = more.measure("approx", delta="1e-6").value
    assert set(quadratures[:fresh]).isdisjoint(quadratures[fresh:])
    assert len(quadratures) - fresh < fresh / 3
    assert value == account(plan).measure("approx", delta="1e-6").value
    with pytest.raises(PlanError, match=r"'round 3' already @ release\[40\]\.name"):
        more.adding(plan.releases[3])
