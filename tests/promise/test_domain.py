"""A domain says in words which datasets are meant, and where it declares attributes nobody can name another."""

from __future__ import annotations

from typing import Any

import pytest

from accountant import Domain, InvalidValue, Invariant, Neighbours, Specification
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE

DECLARED = Domain("residents", ["age", "sex", "diabetes"])


def test_a_text_is_the_name_of_a_domain() -> None:
    assert Specification(Neighbours(ADD_REMOVE), domain="one county").domain == Domain("one county")
    assert Specification(Neighbours(ADD_REMOVE)).domain == Domain("all datasets") == Domain()


def test_a_domain_reads_as_its_name() -> None:
    assert str(DECLARED) == "residents"
    assert DECLARED.described == "residents (attributes: age, diabetes, sex)"
    assert Domain("residents").described == "residents"


def test_a_record_without_attributes_is_no_record() -> None:
    with pytest.raises(InvalidValue, match="at least one attribute"):
        Domain(attributes=[])


@pytest.mark.parametrize(
    "promised",
    [
        {"neighbours": Neighbours(REPLACE_ONE, attributes=["diabtes"])},
        {"neighbours": Neighbours(REPLACE_ONE), "invariants": (Invariant("cases", ["diabtes"]),)},
    ],
    ids=["neighbours", "invariants"],
)
def test_a_specification_names_declared_attributes_only(promised: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue, match=r"'diabtes'.*did you mean 'diabetes'\?"):
        Specification(**promised, domain=DECLARED)
    assert Specification(**promised, domain="residents")


def test_counts_of_other_units_have_attributes_of_their_own() -> None:
    known = Invariant("housing units by block", ["block"], of="housing unit")
    assert Specification(Neighbours(REPLACE_ONE), (known,), DECLARED)
