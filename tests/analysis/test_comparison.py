"""Comparison of promises: every verdict against exact mechanisms."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from accountant import InvalidValue, Verdict, account, compare, default_registry, read_plan
from accountant.analysis import comparison as comparison_module
from accountant.errors import ReadingError
from accountant.loss import FiniteLoss, GaussianLoss
from accountant.plugin import DIVERGENCES
from accountant.promise.specification import Budget

REGISTRY = default_registry()


def budget(name: str, **values: str) -> Budget:
    divergence = REGISTRY[DIVERGENCES][name]
    return Budget(divergence, divergence.parameter(**values))


def test_a_smaller_parameter_implies_a_larger_one_of_every_definition() -> None:
    for low, high in [
        (budget("pure", epsilon="1"), budget("pure", epsilon="1.1")),
        (budget("approx", epsilon="1", delta="1e-6"), budget("approx", epsilon="1", delta="1e-5")),
        (budget("zcdp", rho="0.1"), budget("zcdp", rho="0.2")),
        (budget("renyi", order="8", gamma="0.1"), budget("renyi", order="4", gamma="0.11")),
        (budget("gdp", mu="1"), budget("gdp", mu="1.01")),
        (budget("fdp", level="0.05", power="0.1"), budget("fdp", level="0.05", power="0.11")),
        (budget("pbdp", epsilon="1", delta="1e-3"), budget("pbdp", epsilon="1.1", delta="1e-3")),
    ]:
        assert compare([low], [high]).verdict is Verdict.IMPLIED


def test_randomised_response_refutes_what_pure_privacy_does_not_give() -> None:
    """epsilon tanh(epsilon/2) = 0.4621 is attained."""
    found = compare([budget("pure", epsilon="1")], [budget("zcdp", rho="0.46")])
    assert found.verdict is Verdict.REFUTED
    assert found.witness is not None
    assert found.witness.startswith("randomised response with epsilon = 1 has")
    assert "rho at least 0.462117, above 0.46" in found.witness
    assert compare([budget("pure", epsilon="1")], [budget("zcdp", rho="0.4622")]).verdict is Verdict.IMPLIED


def test_what_lies_between_two_outcomes_and_the_envelope_is_unknown() -> None:
    exact = GaussianLoss("0.2").epsilon("1e-6")
    # Gaussian noise with that rho has 1.995, two outcomes with that rho have 2.1417.
    found = compare([budget("zcdp", rho="0.1")], [budget("approx", epsilon="2.05", delta="1e-6")])
    assert found.verdict is Verdict.REFUTED
    assert found.witness is not None
    assert found.witness.startswith("some mechanism with these parameters has epsilon at least 2.1417")
    assert (
        compare([budget("zcdp", rho="0.1")], [budget("approx", epsilon="2.1418", delta="1e-6")]).verdict is Verdict.UNKNOWN
    )
    low = budget("approx", epsilon=str(exact.lower - 1e-6), delta="1e-6")
    found = compare([budget("zcdp", rho="0.1")], [low])
    assert found.verdict is Verdict.REFUTED
    assert found.witness is not None
    assert found.witness.startswith("Gaussian noise with mu^2 = 0.2 has epsilon at least 1.9945")


def test_a_curve_implies_what_none_of_its_points_implies() -> None:
    points = [budget("approx", epsilon="1", delta="1e-6"), budget("approx", epsilon="0.2", delta="0.01")]
    wanted = [budget("approx", epsilon="0.996", delta="1e-4")]
    assert compare(points, wanted).verdict is Verdict.IMPLIED
    assert all(compare([point], wanted).verdict is not Verdict.IMPLIED for point in points)


def test_knowing_two_definitions_is_at_least_as_good_and_refutes_nothing() -> None:
    both = [budget("pure", epsilon="1"), budget("zcdp", rho="0.1")]
    assert compare(both, [budget("zcdp", rho="0.1")]).verdict is Verdict.IMPLIED
    assert compare(both, [budget("pure", epsilon="1")]).verdict is Verdict.IMPLIED
    assert compare(both, [budget("zcdp", rho="0.05")]).verdict is Verdict.UNKNOWN


def test_published_formulas_are_shown_beside_the_tight_value() -> None:
    found = compare([budget("zcdp", rho="2.56")], [budget("approx", epsilon="17.16", delta="1e-10")])
    values = {item.conversion: item.value for item in found.published}
    assert values["zcdp-to-approx-classic"].upper == pytest.approx(17.915, abs=5e-4)
    assert values["zcdp-to-approx-optimised"].upper == pytest.approx(17.158, abs=5e-4)
    assert found.verdict is Verdict.IMPLIED
    assert all(found.guarantees[0].value.upper <= value.upper for value in values.values())


@st.composite
def exact_losses(draw: st.DrawFn) -> FiniteLoss:
    size = draw(st.integers(2, 4))
    rows = [[Fraction(draw(st.integers(1, 12))) for _ in range(size)] for _ in range(2)]
    return FiniteLoss(zip(*([value / sum(row) for value in row] for row in rows), strict=True))


def _wrong(loss: FiniteLoss, known: Budget, wanted: Budget, verdict: Verdict) -> bool:
    """Whether an exact mechanism contradicts a verdict of implied."""

    def satisfies(promise: Budget) -> bool | None:
        first = promise.divergence.primary
        values = promise.divergence.values(promise.parameter)
        return promise.divergence.measure(loss, {word: values[word] for word in first.at}).at_most(values[first.value])

    return verdict is Verdict.IMPLIED and satisfies(known) is True and satisfies(wanted) is False


PAIRS = [
    (budget("pure", epsilon="1/2"), budget("approx", epsilon="0.3", delta="0.12")),
    (budget("pure", epsilon="1"), budget("zcdp", rho="0.4622")),
    (budget("approx", epsilon="0.5", delta="0.1"), budget("fdp", level="0.1", power="0.27")),
    (budget("zcdp", rho="0.1"), budget("approx", epsilon="0.5", delta="0.1")),
    (budget("renyi", order="3", gamma="0.2"), budget("approx", epsilon="0.6", delta="0.2")),
    (budget("fdp", level="0.1", power="0.2"), budget("approx", epsilon="1", delta="0.3")),
    (budget("gdp", mu="1/2"), budget("zcdp", rho="0.126")),
    (budget("pbdp", epsilon="1/2", delta="0.2"), budget("fdp", level="0.1", power="0.3")),
]
VERDICTS = {pair: compare([pair[0]], [pair[1]]).verdict for pair in PAIRS}


@given(exact_losses())
@settings(max_examples=60, deadline=None)
def test_no_exact_mechanism_contradicts_an_implication(loss: FiniteLoss) -> None:
    for (known, wanted), verdict in VERDICTS.items():
        assert not _wrong(loss, known, wanted, verdict)


def test_an_implication_that_is_too_good_is_caught() -> None:
    """Planted: pure epsilon 1 would imply rho 0.1, and randomised response says no."""
    response = FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")])
    known, wanted = budget("pure", epsilon="1.0987"), budget("zcdp", rho="0.1")
    assert _wrong(response, known, wanted, Verdict.IMPLIED)


def test_a_refutation_rests_on_a_mechanism_that_has_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    witness = comparison_module._witness
    monkeypatch.setattr(
        comparison_module, "_witness", lambda whole, *rest: seen.append(whole.loss.dominated()) or witness(whole, *rest)
    )
    known, wanted = budget("approx", epsilon="1", delta="1e-3"), budget("approx", epsilon="0.5", delta="0.1")
    assert compare([known], [wanted]).verdict is Verdict.REFUTED
    (loss,) = seen
    assert loss.delta(1).at_most(Fraction(1, 1000)) is not False
    assert loss.delta("1/2").at_most(Fraction(1, 10)) is False


def test_nothing_is_compared_with_nothing() -> None:
    with pytest.raises(InvalidValue, match="at least one"):
        compare([], [budget("pure", epsilon="1")])


SPENT = {"specification": {"neighbours": "add-remove"}}
NOISE = {"name": "count", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "2"}}


def test_guarantees_are_not_added_up() -> None:
    whole = account(read_plan({**SPENT, "release": [NOISE]}))
    approx, zcdp = whole.measure("approx", delta="1e-6"), whole.measure("zcdp")
    with pytest.raises(ReadingError, match=r"epsilon of 'approx' and rho of 'zcdp' mean different things.*Account\.adding"):
        approx + zcdp
    with pytest.raises(ReadingError, match="says less than the loss it was read from"):
        approx + approx
    with pytest.raises(ReadingError, match="do not add up"):
        sum([approx, approx])


def test_the_delta_of_approximate_privacy_is_no_probability_of_failure() -> None:
    whole = account(read_plan({**SPENT, "release": [NOISE]}))
    with pytest.raises(ReadingError, match=r"'approx' has no probability of failure.*read 'pbdp'"):
        _ = whole.measure("approx", delta="1e-6").failure_probability
    assert whole.measure("pbdp", delta="1e-6").failure_probability == Fraction(1, 10**6)


CURVE = {
    "name": "dashboard",
    "mechanism": {
        "kind": "claim",
        "divergence": "approx",
        "points": [{"epsilon": "1", "delta": "1e-6"}, {"epsilon": "0.5", "delta": "1e-3"}],
    },
}


def test_a_claimed_curve_costs_no_more_than_any_of_its_points() -> None:
    curve = account(read_plan({**SPENT, "release": [CURVE]}))
    for point in CURVE["mechanism"]["points"]:  # type: ignore[index]
        alone = {"name": "point", "mechanism": {"kind": "claim", "divergence": "approx", **point}}
        for delta in ("1e-6", "1e-4", "1e-3", "0.01"):
            value = curve.measure("approx", delta=delta).value
            other = account(read_plan({**SPENT, "release": [alone]})).measure("approx", delta=delta).value
            # Both are known up to rounding only.
            assert value.lower <= other.upper
            assert value.width <= 1e-9 * value.upper
    assert curve.measure("approx", delta="1e-3").value.upper == pytest.approx(0.5, rel=1e-9)
    assert curve.plan == read_plan(curve.plan.as_data())


def test_a_concentrated_loss_has_the_renyi_divergences_that_it_promises() -> None:
    """rho a at every order a, attained by Gaussian noise."""
    known = [budget("zcdp", rho="0.1")]
    assert compare(known, [budget("renyi", order="4", gamma="0.40000001")]).verdict is Verdict.IMPLIED
    assert compare(known, [budget("renyi", order="4", gamma="0.39999999")]).verdict is Verdict.REFUTED
