"""A ledger charges what its own attacker learns, whomever a request was described against."""

from __future__ import annotations

from fractions import Fraction
from math import expm1, log1p
from pathlib import Path
from typing import Any

import pytest

from accountant import BudgetExceeded, PlanError, Verdict, account, certify
from accountant.ledger import Terms, read_terms
from tests.ledger.cases import FIXED, Place

SAMPLES = {
    "fixed": {"kind": "without-replacement", "sample": 4, "population": 5},
    "poisson": {"kind": "poisson", "rate": "4/5"},
}
BASE = {"fixed": 2, "poisson": 1}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(str(tmp_path / "one.ledger"))


def opened(epsilon: str, attacker: str, **further: Any) -> Terms:
    specification = {"neighbours": "add-remove", "attacker": attacker}
    return read_terms({"specification": specification, "budget": [{"divergence": "pure", "epsilon": epsilon}], **further})


def request(sampling: str, attacker: str | None) -> dict[str, Any]:
    release = {
        "name": "ages",
        "query": {"kind": "histogram"},
        "mechanism": {"kind": "laplace", "scale": "1"},
        "sampling": SAMPLES[sampling],
    }
    described = {} if attacker is None else {"specification": {"neighbours": "add-remove", "attacker": attacker}}
    return {"release": [release], **described}


def cost(sampling: str, attacker: str) -> float:
    """log(1 + 4/5 (e^base - 1)) against who does not know the sample, base against who does."""
    return BASE[sampling] if attacker == "insider" else log1p(0.8 * expm1(BASE[sampling]))


@pytest.mark.parametrize("further", [{}, FIXED], ids=["adaptive", "fixed plan"])
@pytest.mark.parametrize("sampling", SAMPLES)
@pytest.mark.parametrize("described", [None, "outsider", "insider"])
def test_an_outsider_is_charged_for_as_an_outsider(
    place: Place, sampling: str, described: str | None, further: dict[str, Any]
) -> None:
    """Whatever a request says, it is quoted, reserved, foreseen, exported and certified at one number."""
    with place.create(opened("3", "outsider", **further)) as ledger:
        batch = ledger.batch(request(sampling, described))
        due = pytest.approx(cost(sampling, "outsider"), rel=1e-9)
        quoted = ledger.quote(batch).lines[0].asked
        assert quoted is not None
        assert float(quoted) == due
        ledger.reserve(batch, commit=True)
        (line,) = ledger.status().lines
        assert float(line.spent) == due
        assert ledger.what_if(batch).repeats == max(0, int(3 / cost(sampling, "outsider")) - 2)
        plan = ledger.plan()
        assert plan.specification.attacker == "outsider"
        assert float(account(plan).measure("pure").value.upper) == due
        assert certify(plan).verdicts == (Verdict.IMPLIED,)
        assert ledger.verify() == ()


@pytest.mark.parametrize("further", [{}, FIXED], ids=["adaptive", "fixed plan"])
def test_a_request_against_insiders_does_not_slip_under_the_cap(place: Place, further: dict[str, Any]) -> None:
    """A histogram on four of five records costs 1.81 against outsiders; the noise on whole datasets would cost 1."""
    with place.create(opened("1", "outsider", **further)) as ledger:
        for described in (None, "outsider", "insider"):
            batch = ledger.batch(request("fixed", described))
            assert not ledger.quote(batch).fits
            assert ledger.what_if(batch).refused == ("ages",)
            with pytest.raises(BudgetExceeded):
                ledger.reserve(batch)


@pytest.mark.parametrize("sampling", SAMPLES)
def test_a_ledger_against_insiders_charges_what_they_learn(place: Place, sampling: str) -> None:
    with place.create(opened("3", "insider")) as ledger:
        assert read_terms(ledger.terms.as_data()).plan.specification.attacker == "insider"
        ledger.reserve(ledger.batch(request(sampling, None)), commit=True)
        assert ledger.status().lines[0].spent == Fraction(BASE[sampling])
        with pytest.raises(PlanError, match=r"the ledger of .* for an insider: an insider knows who was sampled"):
            ledger.reserve(ledger.batch(request(sampling, "outsider")))
        assert account(ledger.plan()).measure("pure").value.exact == BASE[sampling]
    with place.open() as ledger:
        assert ledger.terms.plan.specification.attacker == "insider"
        assert ledger.verify() == ()
