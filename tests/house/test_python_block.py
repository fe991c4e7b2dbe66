"""What the front page shows of Python runs as it stands, and says what its comments say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import accountant as ac

ROOT = Path(__file__).parents[2]

BLOCK = """
import accountant as ac

run = ac.dp_sgd(noise_multiplier="1.1", sample_rate="0.01", steps=10_000)      # add-remove, Poisson, clipped gradients
run.epsilon(delta="1e-5")                                                       # Interval: 5.19258 to 5.19259
run.delta(epsilon="3"); run.curve("approx"); run.lens("fdp").power(level="0.05")
least = ac.calibrate(run, epsilon="3", delta="1e-5")                            # the least noise, as a new account with its parameter

plan = ac.Plan.of(
    ac.Gaussian(sigma="8").on(ac.Histogram(["age", "sex"])).repeated(3).named("age by sex"),
    ac.Laplace(scale="2").on(ac.Count(["smoking"])),
    ac.Claim.of("zcdp", rho="0.05"),
    neighbours="replace-one", unit="person",
    budgets=[ac.Budget.of("approx", epsilon="4", delta="1e-6")],
)
certificate = ac.certify(plan)
assert certificate.kept
ac.account("examples/survey.toml"); ac.account(plan.as_data()); ac.account([ac.Gaussian(sigma="2").on(ac.Count())], neighbours="add-remove")
"""  # noqa: E501


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the block leaves behind. A curve is asked for where accounts have one."""
    known: dict[str, Any] = {}
    text = BLOCK if hasattr(ac.Account, "curve") else BLOCK.replace('run.curve("approx"); ', "")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        exec(text, known)
    return known


def test_the_block_says_what_its_comments_say(names: dict[str, Any]) -> None:
    run = names["run"]
    assert str(run.epsilon(delta="1e-5")) == "5.19258 to 5.19259"
    assert run.plan.specification.neighbours.relation.name == "add-remove"
    (release,) = run.plan.releases
    assert (release.query.kind, release.mechanism.kind, release.sampling.kind) == ("gradient", "gaussian", "poisson")


def test_the_least_noise_is_an_account_with_its_parameter(names: dict[str, Any]) -> None:
    run, least = names["run"], names["least"]
    assert isinstance(least, ac.Account)
    sigma = least.noise["training"]["sigma"]
    assert least.plan.releases[0].mechanism.sigma == sigma
    assert least.epsilon(delta="1e-5").upper <= 3
    less = ac.dp_sgd(noise_multiplier=sigma * least.less / least.factor, sample_rate="0.01", steps=10_000)
    assert less.epsilon(delta="1e-5").lower > 3
    assert str(run.epsilon(delta="1e-5")) == "5.19258 to 5.19259"
    assert run.plan.releases[0].mechanism.sigma == ac.Gaussian(sigma="1.1").sigma


def test_the_plan_of_the_block_is_the_plan_that_a_file_would_say(names: dict[str, Any]) -> None:
    plan = names["plan"]
    assert [release.name for release in plan.releases] == ["age by sex", "laplace on count of smoking", "claim of zcdp"]
    written = ac.read_plan(
        {
            "specification": {"unit": "person", "neighbours": "replace-one"},
            "budget": [{"divergence": "approx", "epsilon": "4", "delta": "1e-6"}],
            "release": [
                {
                    "name": "age by sex",
                    "query": {"kind": "histogram", "attributes": ["age", "sex"]},
                    "mechanism": {"kind": "gaussian", "sigma": "8"},
                    "times": 3,
                },
                {
                    "name": "laplace on count of smoking",
                    "query": {"kind": "count", "attributes": ["smoking"]},
                    "mechanism": {"kind": "laplace", "scale": "2"},
                },
                {"name": "claim of zcdp", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.05"}},
            ],
        }
    )
    assert plan == written
    assert ac.read_plan(plan.as_data()) == plan
    assert names["certificate"].kept
