"""Calibration finds just enough noise: known answers by other routes, kept at the factor and not known to be below it."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from attrs import evolve, frozen
from hypothesis import HealthCheck, given, settings, strategies as st

from accountant import Calibration, Plan, PrivacyLoss, Verdict, account, calibrate, certify, load_plan, read_plan
from accountant.analysis import calibration
from accountant.errors import AccountantError, InvalidValue, PlanError
from accountant.loss import TOTAL_LOSS
from accountant.numbers.exact import exact, plain
from accountant.plugin import Shift
from accountant.release.release import Mechanism
from accountant_noise import Gaussian

pytestmark = pytest.mark.slow

COUNT = {"kind": "count"}
APPROX = {"divergence": "approx", "epsilon": "1", "delta": "1e-6"}
PURE = {"divergence": "pure", "epsilon": "0.3"}
RHO = {"divergence": "zcdp", "rho": "0.02"}


def gaussian(sigma: str = "1", **more: Any) -> dict[str, Any]:
    return {"query": COUNT, "mechanism": {"kind": "gaussian", "sigma": sigma}, **more}


def laplace(scale: str = "1", **more: Any) -> dict[str, Any]:
    return {"query": COUNT, "mechanism": {"kind": "laplace", "scale": scale}, **more}


def discrete(sigma: str = "1", **more: Any) -> dict[str, Any]:
    return {"query": COUNT, "mechanism": {"kind": "discrete-gaussian", "sigma": sigma}, **more}


def claim(rho: str) -> dict[str, Any]:
    return {"mechanism": {"kind": "claim", "divergence": "zcdp", "rho": rho}}


def plan_of(*releases: dict[str, Any], budgets: tuple[dict[str, Any], ...] = (APPROX,), **more: Any) -> Plan:
    return read_plan(
        {
            "specification": {"neighbours": "add-remove"},
            "budget": list(budgets),
            "release": [{"name": f"release {k}", **release} for k, release in enumerate(releases)],
            **more,
        }
    )


def by_hand(plan: Plan, factor: Fraction, names: set[str] | None = None) -> Plan:
    """The plan with a factor on its noise, worked out on the file instead of on the mechanisms."""
    data = deepcopy(plan.as_data())
    for release in data["release"]:
        if names is None or release["name"] in names:
            for word, power in (("sigma", 1), ("scale", 1), ("variance", 2)):
                if word in release["mechanism"]:
                    release["mechanism"][word] = plain(exact(release["mechanism"][word]) * factor**power)
    return read_plan(data)


def verdicts(plan: Plan) -> set[Verdict]:
    whole = account(plan)
    return {whole.check(budget)[1] for budget in plan.specification.budgets}


def check(found: Calibration, plan: Plan, *, tolerance: str = "1e-4", names: set[str] | None = None) -> None:
    """All that a calibration promises."""
    assert found.plan == by_hand(plan, found.factor, names)
    assert found.less < found.factor <= found.less * (1 + exact(tolerance))
    assert verdicts(found.plan) == {Verdict.IMPLIED}
    assert verdicts(by_hand(plan, found.less, names)) - {Verdict.IMPLIED}
    assert [guarantee.divergence for guarantee in found.guarantees] == [
        budget.divergence.name for budget in plan.specification.budgets
    ]
    whole = account(found.plan)
    for guarantee, budget in zip(found.guarantees, plan.specification.budgets, strict=True):
        assert guarantee.value == whole.check(budget)[0].value
    assert certify(found.plan).kept


# Known answers -------------------------------------------------------------------------------------------------------


def least_sigma(epsilon: str, delta: str) -> mpmath.mpf:
    """Where the closed form of Gaussian noise on a shift of 1 meets a budget, at 40 digits."""
    with mpmath.workdps(40):
        eps, target = mpmath.mpf(epsilon), mpmath.mpf(delta)

        def too_little(sigma: mpmath.mpf) -> bool:
            half, slope = 1 / (2 * sigma), eps * sigma
            return bool(mpmath.ncdf(half - slope) - mpmath.exp(eps) * mpmath.ncdf(-half - slope) > target)

        low, high = mpmath.mpf("1e-3"), mpmath.mpf("1e5")
        for _ in range(100):
            middle = mpmath.sqrt(low * high)
            low, high = (middle, high) if too_little(middle) else (low, middle)
        return high


@pytest.mark.parametrize(
    ("epsilon", "delta", "sigma"),
    [("1", "1e-6", "1"), ("0.1", "1e-9", "3"), ("8", "1e-3", "100"), ("0.01", "1e-12", "1/7"), ("3", "0.2", "5")],
)
def test_gaussian_noise_alone_is_calibrated_as_by_the_closed_form(epsilon: str, delta: str, sigma: str) -> None:
    plan = plan_of(gaussian(sigma), budgets=({"divergence": "approx", "epsilon": epsilon, "delta": delta},))
    found = calibrate(plan)
    check(found, plan)
    least, base = least_sigma(epsilon, delta), mpmath.mpf(exact(sigma).numerator) / exact(sigma).denominator
    low, high = (mpmath.mpf(factor.numerator) / factor.denominator * base for factor in (found.less, found.factor))
    assert low * (1 - mpmath.mpf("1e-9")) <= least <= high


@pytest.mark.parametrize("scale", ["1", "10/3", "7", "1000", "1/9"])
@pytest.mark.parametrize("epsilon", ["0.3", "2"])
def test_laplace_noise_in_a_pure_budget_has_the_exact_scale(scale: str, epsilon: str) -> None:
    plan = plan_of(laplace(scale, times=3), budgets=({"divergence": "pure", "epsilon": epsilon},))
    found = calibrate(plan)
    check(found, plan)
    assert found.less * exact(scale) < 3 / exact(epsilon) <= found.factor * exact(scale)


def test_noise_that_is_just_enough_is_left_nearly_as_it_is() -> None:
    plan = plan_of(laplace("2"), budgets=({"divergence": "pure", "epsilon": "0.5"},))
    found = calibrate(plan, tolerance="1e-6")
    check(found, plan, tolerance="1e-6")
    assert found.less < 1 <= found.factor


def test_gaussian_noise_in_a_zcdp_budget_has_the_exact_variance() -> None:
    plan = plan_of(gaussian("3", times=4), budgets=(RHO,))
    found = calibrate(plan)
    check(found, plan)
    assert (3 * found.less) ** 2 < Fraction(4, 2) / exact("0.02") <= (3 * found.factor) ** 2


def test_ten_thousand_sampled_steps_have_the_least_sigma_of_the_reference() -> None:
    training = gaussian("1", sampling={"kind": "poisson", "rate": "0.01"}, times=10_000)
    plan = plan_of(training, budgets=({"divergence": "approx", "epsilon": "2", "delta": "1e-5"},))
    found = calibrate(plan)
    check(found, plan)
    assert found.less <= exact("2.127375435") <= found.factor


@pytest.mark.parametrize(("sigma", "steps"), [("1", 10_000), ("50", 10_000), ("1/4", 100), ("2", 1)])
def test_smooth_losses_are_calibrated_in_few_readings(monkeypatch: pytest.MonkeyPatch, sigma: str, steps: int) -> None:
    """Two for the bracket, two to come close, one on either side: more only where the start is far away."""
    asked: list[Fraction] = []
    scaled = calibration._Search._scaled

    def counted(search: Any, factor: Fraction) -> Plan:
        asked.append(factor)
        return scaled(search, factor)

    monkeypatch.setattr(calibration._Search, "_scaled", counted)
    plan = plan_of(
        gaussian(sigma, sampling={"kind": "poisson", "rate": "0.01"}, times=steps),
        budgets=({"divergence": "approx", "epsilon": "2", "delta": "1e-5"},),
    )
    check(calibrate(plan), plan)
    assert len(set(asked)) <= (6 if sigma == "1" else 9)


def test_a_variance_grows_with_the_square_of_the_factor() -> None:
    release = {"query": COUNT, "mechanism": {"kind": "discrete-gaussian", "variance": "9/4"}}
    plan = plan_of(release, discrete("3/2"))
    found = calibrate(plan)
    check(found, plan)
    first, second = (item.mechanism for item in found.plan.releases)
    assert first.variance == second.sigma**2  # type: ignore[attr-defined]


# Budgets and names ---------------------------------------------------------------------------------------------------


def test_of_several_budgets_the_tightest_binds() -> None:
    budgets = (APPROX, {"divergence": "zcdp", "rho": "0.005"}, {"divergence": "approx", "epsilon": "0.4", "delta": "1e-3"})
    plan = plan_of(gaussian("8", times=3), discrete("30"), budgets=budgets)
    found = calibrate(plan)
    check(found, plan)
    alone = [calibrate(evolve(plan, specification=evolve(plan.specification, budgets=(budget,)))) for budget in _each(plan)]
    assert max(single.less for single in alone) < found.factor
    assert found.less < max(single.factor for single in alone)
    assert len({round(float(single.factor), 2) for single in alone}) == 3


def _each(plan: Plan) -> tuple[Any, ...]:
    return plan.specification.budgets


def test_only_named_releases_are_scaled() -> None:
    response = {"mechanism": {"kind": "randomised-response", "epsilon": "0.1"}}
    plan = plan_of(gaussian("8", times=3), laplace("20"), response)
    found = calibrate(plan, releases=["release 1"])
    check(found, plan, names={"release 1"})
    assert found.plan.releases[0] == plan.releases[0]
    assert found.plan.releases[2] == plan.releases[2]
    assert found.factor != calibrate(plan).factor


def test_all_noise_of_the_survey_is_scaled_and_the_claim_is_not() -> None:
    plan = load_plan("examples/survey.toml")
    found = calibrate(plan)
    assert found.plan == by_hand(plan, found.factor)
    assert found.less < found.factor < 1
    assert 3.99 < found.guarantees[0].value.upper <= 4
    assert found.plan.releases[2] == plan.releases[2]


def test_what_else_a_plan_says_is_kept() -> None:
    plan = plan_of(gaussian(), title="fine", precision="1e-7")
    found = calibrate(plan)
    assert (found.plan.title, found.plan.precision) == ("fine", exact("1e-7"))
    assert found.plan.specification == plan.specification


@pytest.mark.parametrize("tolerance", ["0.5", "1e-2", "1e-8", "1e-12"])
def test_a_tolerance_is_kept(tolerance: str) -> None:
    plan = plan_of(gaussian("2", times=7), budgets=(RHO,))
    check(calibrate(plan, tolerance=tolerance), plan, tolerance=tolerance)


KINDS = st.sampled_from([gaussian, laplace, discrete])
NOISE = st.sampled_from(["1/2", "1", "3", "10", "40"])
RELEASES = st.lists(
    st.builds(lambda kind, noise, times: kind(noise, times=times), KINDS, NOISE, st.integers(1, 4)), min_size=1, max_size=2
)
BUDGETS = st.lists(
    st.one_of(
        st.builds(
            lambda epsilon, delta: {"divergence": "approx", "epsilon": epsilon, "delta": delta},
            st.sampled_from(["0.1", "1", "4"]),
            st.sampled_from(["1e-3", "1e-6", "1e-10"]),
        ),
        st.builds(lambda rho: {"divergence": "zcdp", "rho": rho}, st.sampled_from(["1/1000", "0.1", "2"])),
    ),
    min_size=1,
    max_size=2,
)


@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(RELEASES, BUDGETS)
def test_whatever_the_plan_its_calibration_is_certified(
    releases: list[dict[str, Any]], budgets: list[dict[str, Any]]
) -> None:
    plan = plan_of(*releases, budgets=tuple(budgets))
    check(calibrate(plan, tolerance="1e-2"), plan, tolerance="1e-2")


# Bad input -----------------------------------------------------------------------------------------------------------


def test_every_fault_is_told_at_once_and_with_its_place() -> None:
    plan = plan_of(gaussian(), claim("0.1"), budgets=())
    with pytest.raises(PlanError) as caught:
        calibrate(plan, releases=["release 1", "release 0", "absent"])
    assert [str(fault) for fault in caught.value.faults] == [
        "a plan needs at least one budget to be calibrated; add a [[budget]] table @ budget",
        "'release 1' has no noise to scale @ release[1].mechanism",
        "no release is called 'absent'; known: release 0, release 1 @ release",
    ]


def test_a_plan_without_noise_cannot_be_calibrated() -> None:
    response = {"mechanism": {"kind": "randomised-response", "epsilon": "1"}}
    with pytest.raises(PlanError, match=r"no release has noise to scale @ release$"):
        calibrate(plan_of(response, claim("0.1")))


@pytest.mark.parametrize("tolerance", [0, 1, -1, 2, "0", "1.0", "1e3"])
def test_a_tolerance_outside_the_open_unit_interval_is_refused(tolerance: Any) -> None:
    with pytest.raises(PlanError, match="a tolerance must lie strictly between 0 and 1, got"):
        calibrate(plan_of(gaussian()), tolerance=tolerance)


@pytest.mark.parametrize("tolerance", ["nan", "inf", "small", "", True, None, [1]])
def test_a_tolerance_that_is_no_number_is_refused(tolerance: Any) -> None:
    with pytest.raises(InvalidValue, match="number"):
        calibrate(plan_of(gaussian()), tolerance=tolerance)


EXCEEDED = [
    pytest.param([gaussian(), claim("1")], RHO, id="zcdp"),
    pytest.param([laplace(), {"mechanism": {"kind": "non-private"}}], PURE, id="non-private"),
    pytest.param(
        [gaussian(), {"mechanism": {"kind": "claim", "divergence": "pure", "epsilon": "2"}}], APPROX, id="pure in approx"
    ),
]


@pytest.mark.parametrize(("releases", "budget"), EXCEEDED)
def test_what_others_spend_beyond_the_budget_cannot_be_made_up_for(
    releases: list[dict[str, Any]], budget: dict[str, Any]
) -> None:
    with pytest.raises(
        PlanError, match="no amount of noise keeps every budget: of the releases that are not scaled"
    ) as caught:
        calibrate(plan_of(*releases, budgets=(budget,)))
    assert [fault.place for fault in caught.value.faults] == ["budget[0]"]


# Limits that no noise meets, or only at zero -----------------------------------------------------------------------------


@pytest.mark.parametrize(("sigma", "delta"), [("1", "0.01"), ("40", "0.01"), ("10000", "0.01"), ("1", "1e-5")])
def test_an_epsilon_of_zero_is_met_where_delta_is_the_total_variation(sigma: str, delta: str) -> None:
    """At epsilon 0, delta is 2 Phi(1 / (2 sigma)) - 1, whatever noise one starts from: sigma 39.893 at 0.01."""
    plan = plan_of(gaussian(sigma), budgets=({"divergence": "approx", "epsilon": "0", "delta": delta},))
    found = calibrate(plan)
    check(found, plan)
    least = least_sigma("0", delta)
    low, high = (mpmath.mpf(factor.numerator) / factor.denominator * float(sigma) for factor in (found.less, found.factor))
    assert low * (1 - mpmath.mpf("1e-4")) <= least <= high


NEVER = [
    pytest.param(laplace(), {"divergence": "pure", "epsilon": "0"}, "pure epsilon is at most", id="nothing lost"),
    pytest.param(gaussian(), PURE, "pure epsilon is infinite", id="pure epsilon of Gaussian noise"),
    pytest.param(discrete(), {"divergence": "zcdp", "rho": "0"}, "zcdp rho is at most", id="more than can be read"),
]


@pytest.mark.parametrize(("release", "budget", "words"), NEVER)
def test_what_no_noise_gives_is_named(release: dict[str, Any], budget: dict[str, Any], words: str) -> None:
    others = ({"divergence": "approx", "epsilon": "2", "delta": "1e-3"}, budget)
    with pytest.raises(
        PlanError, match=f"no amount of noise keeps every budget: with .* times the noise {words}"
    ) as caught:
        calibrate(plan_of(release, budgets=others))
    assert [fault.place for fault in caught.value.faults] == ["budget[1]"]


def test_readings_that_stay_infinite_for_a_while_do_not_end_the_search() -> None:
    """Noise that tells nothing before it is large: at 1, 4 and 16 times nothing is known, at 64 times enough."""

    @frozen
    class Late(Gaussian):
        """Gaussian noise of which nothing is known unless there is much of it."""

        def loss(self, shift: Shift) -> PrivacyLoss:
            return TOTAL_LOSS if self.sigma < 40 else super().loss(shift)

        def scaled(self, factor: Fraction) -> Gaussian:
            return Late(self.sigma * factor)

    found = calibrate(planted(Late("1"), budget={"divergence": "zcdp", "rho": "1"}))
    assert found.less < 40 <= found.factor


def unknown_risk(*invariants: str, **risk: Any) -> Plan:
    """A profile beside budgets that are kept."""
    profile = {"kind": "difference", "at_most": "0.3", "adversary": "strong", "failure": "0.01", **risk}
    return read_plan(
        {
            "specification": {"neighbours": "replace-one", "invariants": list(invariants)},
            "budget": [{"divergence": "zcdp", "rho": "1"}],
            "risk": {**profile, "neighbours": "replace-one"},
            "release": [{"name": "a", **gaussian("8"), "query": {"kind": "histogram", "attributes": ["age"]}}],
        }
    )


def test_a_profile_that_an_invariant_leaves_open_is_named_before_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    assert calibrate(unknown_risk()).labels[1].startswith("risk difference(")
    monkeypatch.setattr(calibration._Search, "_scaled", None)
    with pytest.raises(PlanError, match="even if nothing were released, risk difference") as caught:
        calibrate(unknown_risk("number of respondents"))
    (fault,) = caught.value.faults
    assert fault.place == "risk"
    assert "'number of respondents', published exactly" in fault.message


def test_every_limit_that_no_noise_meets_is_named_at_once() -> None:
    plan = plan_of(gaussian(), claim("1"), budgets=(RHO, APPROX, {"divergence": "zcdp", "rho": "0.5"}))
    with pytest.raises(PlanError) as caught:
        calibrate(plan)
    assert [fault.place for fault in caught.value.faults] == ["budget[0]", "budget[1]", "budget[2]"]


def test_guarantees_of_several_profiles_are_told_apart() -> None:
    profiles = [{"kind": "difference", "at_most": most, "adversary": "strong"} for most in ("0.3", "0.2")]
    found = calibrate(plan_of(laplace(), budgets=(PURE,), risk=profiles))
    assert found.labels[0] == "pure"
    assert len(set(found.labels)) == len(found.guarantees) == 3
    assert ["at_most = 0.3" in found.labels[1], "at_most = 0.2" in found.labels[2]] == [True, True]


def test_where_noise_does_not_matter_there_is_nothing_to_calibrate() -> None:
    plan = read_plan(
        {
            "specification": {"neighbours": "replace-one", "attributes": ["income"]},
            "budget": [PURE],
            "release": [{"name": "age", **laplace(), "query": {"kind": "count", "attributes": ["age"]}}],
        }
    )
    with pytest.raises(AccountantError, match="there is nothing to calibrate"):
        calibrate(plan)


# Planted errors ------------------------------------------------------------------------------------------------------


@frozen
class Forgetful(Gaussian):
    """Noise that stays as it is, however much more is asked for."""

    def scaled(self, factor: Fraction) -> Gaussian:
        return self


@frozen
class Halfhearted(Gaussian):
    """Noise of which only the square root of what is asked for arrives, nearly."""

    def scaled(self, factor: Fraction) -> Gaussian:
        return Halfhearted(self.sigma * Fraction(float(factor) ** 0.5))


def planted(mechanism: Mechanism, *others: dict[str, Any], budget: dict[str, Any] = APPROX) -> Plan:
    plan = plan_of(gaussian(), *others, budgets=(budget,))
    return evolve(plan, releases=(evolve(plan.releases[0], mechanism=mechanism), *plan.releases[1:]))


@pytest.mark.parametrize(("sigma", "words"), [("1", "no amount of noise"), ("100", "nothing to calibrate")])
def test_a_mechanism_that_forgets_the_factor_is_caught_by_the_search(sigma: str, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        calibrate(planted(Forgetful(sigma), budget=RHO))


@pytest.mark.parametrize("mechanism", [Forgetful("30"), Halfhearted("30")], ids=lambda item: type(item).__name__)
def test_a_mechanism_that_scales_wrongly_beside_a_sound_one_is_caught_by_the_check(mechanism: Mechanism) -> None:
    plan = planted(mechanism, gaussian("1"), budget=RHO)
    with pytest.raises(AssertionError):
        check(calibrate(plan), plan)


def test_a_search_that_returns_too_little_noise_is_caught_by_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(gaussian())
    check(calibrate(plan), plan)
    sound = calibration._Search.found

    def hasty(self: Any) -> Calibration:
        found = sound(self)
        return Calibration(self._scaled(found.less), found.less, found.less / (1 + self.tolerance), found.guarantees)

    monkeypatch.setattr(calibration._Search, "found", hasty)
    with pytest.raises(AssertionError):
        check(calibrate(plan), plan)


def test_a_search_that_stops_with_too_much_noise_is_caught_by_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(gaussian())
    monkeypatch.setattr(calibration._Search, "found", lambda self: _first_enough(self))
    with pytest.raises(AssertionError):
        check(calibrate(plan), plan)


def _first_enough(search: Any) -> Calibration:
    _, high = search._bracket()
    return Calibration(search._scaled(high), high, high / (1 + search.tolerance / 2), search.seen[high][1])


def test_little_noise_that_is_known_to_be_enough_is_not_passed_over() -> None:
    """Few copies of a rarely sampled lattice: what is known of them jumps with the noise."""
    plan = read_plan(
        {
            "specification": {"neighbours": "add-remove"},
            "budget": [{"divergence": "approx", "epsilon": "0.08", "delta": "1e-3"}],
            "release": [
                {
                    "name": "sum",
                    "query": {"kind": "sum", "lower": "0", "upper": "2"},
                    "mechanism": {"kind": "geometric", "scale": "1"},
                    "sampling": {"kind": "poisson", "rate": "0.01"},
                    "times": 3,
                }
            ],
        }
    )
    found = calibrate(plan, tolerance="1e-2")
    assert verdicts(found.plan) == {Verdict.IMPLIED}
    for share in ("0.97", "0.95", "0.9", "0.85", "0.8", "0.7", "0.6", "0.5"):
        assert Verdict.IMPLIED not in verdicts(by_hand(plan, found.factor * Fraction(share)))


def test_where_a_claim_is_to_blame_no_smaller_factor_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(gaussian("5"), claim("0.01"))

    def refused(*_: Any) -> None:
        raise AssertionError("smaller factors were tried")

    monkeypatch.setattr(calibration._Search, "_smaller", refused)
    check(calibrate(plan), plan)
