"""What is made wrongly in Python is refused where it is made, in words that say what to use instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accountant import (
    AccountantError,
    Budget,
    Knowledge,
    Neighbours,
    Plan,
    Question,
    Registry,
    Release,
    Specification,
    account,
    audit,
    calibrate,
    certify,
    compare,
    default_registry,
    dp_sgd,
    implies,
    load_plan,
    load_specification,
    read_plan,
    verify,
)
from accountant.plugin import DIVERGENCES, Claim
from accountant.promise.neighbours import ADD_REMOVE
from accountant_builtin.queries import Count
from accountant_noise import Gaussian

PURE = default_registry()[DIVERGENCES]["pure"]
PROMISE = Specification(Neighbours(ADD_REMOVE))
NOISE, COUNT, NEAR = Gaussian(sigma="2"), Count(), Neighbours(ADD_REMOVE)
RUN = account([NOISE.on(COUNT)], neighbours="add-remove")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Neighbours("add-remove"), r"expected a Relation, got 'add-remove'; .* Neighbours.of\('add-remove'\)"),
        (lambda: Neighbours.of("add-remov"), "unknown neighbour relation 'add-remov'; did you mean 'add-remove'"),
        (lambda: Neighbours.of(3), "expected a Relation, got 3"),
        (lambda: Specification("add-remove"), "expected a Neighbours, got 'add-remove'; say which datasets"),
        (
            lambda: Specification(Neighbours(ADD_REMOVE), ("total",)),
            r"expected an Invariant, got 'total'; .* Invariant\(name\)",
        ),
        (lambda: Budget("approx", {"epsilon": 1}), r'got .approx.; .*Budget.of\("approx", epsilon='),
        (lambda: Budget.of("aprox", epsilon=1), "unknown divergence 'aprox'; did you mean 'approx'"),
        (lambda: Budget.of(3, epsilon=1), "expected a Divergence, got 3; give the name of a definition"),
        (lambda: Budget.of("approx", epsilon="1"), "'approx': missing 'delta'"),
        (lambda: Budget.of("approx", epsilon="-1", delta=0), "epsilon: must be at least 0, got -1; delta: must be above 0"),
        (lambda: Budget.of("pure", epsilom="1"), "'pure': unknown key 'epsilom'; did you mean 'epsilon'?"),
        (lambda: Budget.of("zcdp", rho=[1]), "'zcdp': rho: expected a number, got a list"),
        (lambda: Claim.of("zcdp", rho=None), "'zcdp': rho: expected a number, got nothing"),
        (lambda: Claim("zcdp", 1), r"got 'zcdp'; claim by names: Claim.of\("),
        (lambda: Claim(PURE, 1), r'got 1; claim by names: Claim.of\("pure", epsilon=...\)'),
        (lambda: Claim(PURE, ()), "a claim states at least one parameter"),
        (lambda: Release("x", "gaussian"), "expected a Mechanism, got 'gaussian'; give one, such as Gaussian"),
        (lambda: Release("x", NOISE, "count"), "expected a Query, got 'count'; give one, such as Count"),
        (lambda: Release("x", NOISE, COUNT, sampling="1%"), "expected a Sampling, got '1%'; give one, such as Poisson"),
        (lambda: Release("x", NOISE, COUNT, scope="2020"), "expected a Scope, got '2020'; give one as Scope"),
        (lambda: NOISE.on("count"), "expected a Query, got 'count'"),
        (lambda: NOISE.on(COUNT).repeated("often"), "'often' is not a finite number"),
        (lambda: NOISE.on(COUNT).repeated(0), "must be at least 1, got 0"),
        (lambda: NOISE.on(COUNT).named(""), "expected text, got an empty string"),
        (lambda: NOISE.on(COUNT).sampled("1%"), "expected a Sampling, got '1%'"),
        (lambda: Question("approx", ()), r"expected a Divergence, got 'approx'; ask by names: Question.of\("),
        (lambda: Knowledge("known", ()), "expected a Public, got 'known'"),
        (
            lambda: Budget(PURE, {"epsilon": 1}),
            r'got .*; give it by names: Budget.of\("pure", epsilon=...\)',
        ),
        (lambda: Plan("x", "y", ()), "expected a Specification, got 'y'; make one with Plan.of, read plain data with"),
        (lambda: Plan("x", PROMISE, ("y",)), "expected a Release, got 'y'; make one with Plan.of, read plain data with"),
        (lambda: Plan("x", PROMISE, "y"), "expected a tuple of Release, got 'y'"),
        (lambda: Plan("x", PROMISE, (), scenarios=("y",)), "expected a Scenario, got 'y'; give each as Scenario"),
        (lambda: Plan("x", PROMISE, (), risks="y"), "expected a tuple of RiskProfile, got 'y'"),
        (lambda: Plan.of("gaussian", neighbours="add-remove"), "expected a release, got 'gaussian'; give releases such as"),
        (lambda: Plan.of([NOISE.on(COUNT)], neighbours="add-remove"), r"give them one by one: Plan.of\(\*releases\)"),
        (lambda: Plan.of(NOISE, neighbours="add-remove"), r"'gaussian' needs to know what .*\.on\(Count\(\)\)"),
        (lambda: Plan.of(NOISE.on(COUNT), neighbours=3), "expected a Relation, got 3"),
        (lambda: Plan.of(NOISE.on(COUNT), neighbours="add-remove", budgets="x"), r"expected a list of budgets, got 'x'"),
        (lambda: Plan.of(NOISE.on(COUNT), neighbours=NEAR, unit="household"), "say their unit, attributes and group them"),
        (lambda: account(3), "expected a plan, got 3; give a Plan, the path of a plan file, the plain data"),
        (lambda: account(None), "expected a plan, got None; give a Plan"),
        (lambda: certify(3), "expected a plan, got 3"),
        (lambda: account([NOISE.on(COUNT)]), 'say between which datasets .* neighbours="add-remove"'),
        (lambda: account("survey.toml", neighbours="add-remove"), "a plan says itself which neighbours"),
        (lambda: account([3], neighbours="add-remove"), "expected a release, got 3"),
        (lambda: account(NOISE, neighbours="add-remove"), "'gaussian' needs to know what it is applied to"),
        (lambda: RUN + 3, "an account and 3 do not add up; add an account"),
        (lambda: "x" + RUN, "an account and 'x' do not add up"),
        (lambda: RUN * "often", "'often' is not a finite number"),
        (lambda: RUN * 0, "an account is taken at least once, got 0"),
        (lambda: 2.5 * RUN, "expected a whole number, got 2.5"),
        (lambda: account({"title": "x"}), "missing; say which neighbours are compared"),
    ],
)
def test_a_wrong_value_is_refused_with_what_to_use(make: Callable[..., object], words: str) -> None:
    with pytest.raises(AccountantError, match=words):
        make()


PLAIN = Plan.of(NOISE.on(COUNT), neighbours="add-remove", budgets=[Budget.of("pure", epsilon="1")])
ASKED: dict[str, Callable[[Any], object]] = {
    "measure": lambda junk: RUN.measure(junk),
    "measure at": lambda junk: RUN.measure("approx", [junk]),
    "measure between": lambda junk: RUN.measure_between([junk], "pure"),
    "lens": lambda junk: RUN.lens(junk),
    "epsilon": lambda junk: RUN.epsilon(delta=junk),
    "delta": lambda junk: RUN.delta(epsilon=[junk]),
    "adding": lambda junk: RUN.adding(junk),
    "within": lambda junk: RUN.within(junk),
    "within of a plan": lambda junk: RUN.plan.within(junk),
    "check": lambda junk: RUN.check(junk),
    "between": lambda junk: RUN.between(1, junk),
    "alone": lambda junk: RUN.alone(junk),
    "account": lambda junk: account([junk], neighbours="add-remove"),
    "certify": lambda junk: certify([junk]),
    "calibrate": lambda junk: calibrate(RUN, epsilon=[junk], delta="1e-5"),
    "calibrate some": lambda junk: calibrate(PLAIN, releases=junk if junk is not None else 3),
    "audit": lambda junk: audit([junk]),
    "audit some": lambda junk: audit(PLAIN, releases=junk if junk is not None else 3),
    "compare": lambda junk: compare([junk], [junk]),
    "implies": lambda junk: implies(PROMISE, junk),
    "verify": lambda junk: verify(junk, PLAIN),
    "load_plan": lambda junk: load_plan([junk]),
    "load_specification": lambda junk: load_specification([junk]),
    "read_plan": lambda junk: read_plan(junk),
    "disabled plugins": lambda junk: Registry.load(disabled=junk if junk is not None else 3),
    "noise multiplier": lambda junk: dp_sgd(noise_multiplier=[junk], sample_rate="1/2", steps=1),
    "steps": lambda junk: dp_sgd(noise_multiplier=1, sample_rate="1/2", steps=junk),
    "neighbours": lambda junk: dp_sgd(noise_multiplier=1, sample_rate="1/2", steps=1, neighbours=junk),
}


JUNK = [3, "x", None, {"x": 1}, (), 1.5, object()]
MEANT = [("steps", 3), ("disabled plugins", ()), ("calibrate some", ()), ("audit some", ())]


@pytest.mark.parametrize(
    ("asked", "junk"),
    [
        pytest.param(asked, junk, id=f"{asked} {type(junk).__name__}")
        for asked in ASKED
        for junk in JUNK
        if (asked, junk) not in MEANT
    ],
)
def test_whatever_is_given_instead_is_refused_by_an_error_of_ours(asked: str, junk: object) -> None:
    with pytest.raises(AccountantError):
        ASKED[asked](junk)


def test_what_is_right_is_taken() -> None:
    assert str(Budget(PURE, PURE.parameter("1"))) == "pure differential privacy with epsilon = 1"
    assert Plan("x", PROMISE, ())
