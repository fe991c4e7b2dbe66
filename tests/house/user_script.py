# pyright: strict, reportUnnecessaryTypeIgnoreComment=true, reportUnusedCallResult=false
"""What a user may write, for mypy and basedpyright to check: never run. What is marked must be refused by both."""

from typing import assert_type

import accountant as ac
from accountant import Histogram, Poisson

run = ac.dp_sgd(noise_multiplier="1.1", sample_rate="0.01", steps=10_000)
assert_type(run, ac.Account)
assert_type(run.epsilon(delta="1e-5"), ac.Interval)
assert_type(run.delta(epsilon=3), ac.Interval)
assert_type(run.lens("fdp").power(level="0.05"), ac.Interval)
assert_type(run + run * 3 + 2 * run, ac.Account)

least = ac.calibrate(run, epsilon="3", delta="1e-5")
assert_type(least, ac.Calibrated)
assert_type(ac.calibrate("plan.toml"), ac.Calibration)

release = ac.Gaussian(sigma="8").on(Histogram(["age", "sex"])).repeated(3).named("age by sex")
assert_type(release, ac.Release)
plan = ac.Plan.of(
    release.sampled(Poisson(rate="0.1")),
    ac.Laplace(scale=2).on(ac.Count(["smoking"])),
    ac.Claim.of("zcdp", rho="0.05"),
    neighbours="replace-one",
    unit="person",
    budgets=[ac.Budget.of("approx", epsilon="4", delta="1e-6")],
)
assert_type(ac.certify(plan).kept, bool)
assert_type(ac.account([release], neighbours="add-remove"), ac.Account)
assert_type(ac.account("examples/survey.toml"), ac.Account)
assert_type(ac.account(plan.as_data()), ac.Account)

ac.Gaussian(sgima="1")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
ac.Laplace()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
ac.Laplace(scale=[2])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
ac.Gausian()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
ac.Gaussian(sigma=1).on("count")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
ac.Plan.of(release)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
run.epsilon("1e-5")  # type: ignore  # pyright: ignore[reportCallIssue]
