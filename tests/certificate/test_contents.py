"""What a certificate says, as values: equal before and after it is written, and refused where it cannot be read."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest

from accountant import Certificate, account, certify, default_registry, load_plan, read_plan
from accountant.certificate import NoBound
from accountant.certificate.data import read, write
from accountant.errors import CertificateError
from accountant.plan.schema import plan_schema

EVERYTHING = {
    "title": "everything that a plan can ask for",
    "precision": "1e-5",
    "publication": {"publisher": "Office of Statistics", "date": "2026-11-17"},
    "statements": {"unit": "one person is one row"},
    "specification": {"neighbours": "replace-one", "invariants": ["size"]},
    "grouped": [{"file": "wards.csv", "rows": 1000, "digest": "sha256:00"}],
    "budget": [{"divergence": "pure", "epsilon": "1"}, {"divergence": "approx", "epsilon": "1", "delta": "1e-6"}],
    "reading": [{"divergence": "zcdp"}, {"divergence": "approx", "delta": "1e-9"}],
    "scenario": [{"name": "age", "attributes": ["age"]}],
    "public": [
        {
            "kind": "independent",
            "name": "size",
            "determines": ["size"],
            "budget": [{"divergence": "pure", "epsilon": "1"}],
        }
    ],
    "risk": [{"kind": "constant", "ratio": "3", "neighbours": "replace-one"}],
    "release": [
        {
            "name": "old",
            "query": {"kind": "count", "attributes": ["age"]},
            "mechanism": {"kind": "geometric", "scale": "2"},
            "sampling": {"kind": "poisson", "rate": "1/2"},
        }
    ],
}


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    return certify(read_plan(EVERYTHING))


def spoiled(certificate: Certificate, *path: Any, value: Any) -> Certificate:
    data = json.loads(certificate.to_json())
    target = data
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return Certificate(data)


def test_a_certificate_that_was_read_says_what_was_certified(certificate: Certificate) -> None:
    again = Certificate.parse(certificate.to_json())
    assert again == certificate
    assert again.contents == certificate.contents
    assert again.to_json() == certificate.to_json()


def test_every_part_is_a_value(certificate: Certificate) -> None:
    says = Certificate.parse(certificate.to_json()).contents
    assert [budget.verdict for budget in says.budgets] == list(says.verdicts)[:2]
    assert says.budgets[1].guarantee.at == {"delta": "1e-6"}
    assert says.budgets[1].limit == "1"
    assert says.releases[0].name == "old"
    assert [cost.name for cost in says.releases[0].costs or ()] == ["epsilon", "epsilon"]
    assert says.insider is not None
    assert says.insider[0].value.exact == "0.5"
    assert says.universe is not None
    assert says.universe.unprotected == ("size",)
    assert says.public[0].stated.name == "size"
    assert says.risks[0].stated.kind == "constant"
    assert {step.theorem.name for step in says.steps}
    assert {plugin.name for plugin in says.plugins} >= {"approx", "builtin", "noise", "posterior", "pufferfish", "pure"}


def test_what_is_not_said_is_none_or_empty_and_not_written() -> None:
    certificate = certify(load_plan("examples/survey.toml"))
    says = certificate.contents
    assert (says.insider, says.readings, says.scenarios, says.public, says.risks) == (None, (), (), (), ())
    assert not {"insider", "readings", "scenarios", "public", "risks", "precision"} & set(certificate.data)


def test_a_certificate_gives_back_its_plan_with_everything_in_it(certificate: Certificate) -> None:
    again = Certificate.parse(certificate.to_json())
    assert again.plan() == read_plan(EVERYTHING)
    assert again.contents.plan_data() == json.loads(json.dumps(read_plan(EVERYTHING).as_data()))


def test_every_table_of_a_plan_has_its_place_in_a_certificate(certificate: Certificate) -> None:
    # The rows of a table have become releases when a plan is read.
    known = set(plan_schema(default_registry())["properties"]) - {"table"}
    assert set(certificate.contents.plan_data()) == set(EVERYTHING) == known


def test_a_certificate_keeps_its_account_which_is_neither_written_nor_compared(certificate: Certificate) -> None:
    assert certificate.account.plan == read_plan(EVERYTHING)
    assert certificate.account is certificate.account
    assert certificate == Certificate(certificate.data)
    assert repr(certificate) == repr(Certificate(certificate.data))
    assert "account" not in certificate.data


def test_the_account_of_a_certificate_that_was_read_is_that_of_its_plan(certificate: Certificate) -> None:
    again = Certificate.parse(certificate.to_json())
    assert again.account == account(read_plan(EVERYTHING))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("title",), 5, "expected text @ certificate.title"),
        (("budgets",), 5, "expected a list @ certificate.budgets"),
        (("budgets", 0), [], r"expected a table @ certificate.budgets\[0\]"),
        (
            ("budgets", 0, "verdict"),
            "kept",
            r"one of implied, refuted, unknown, vacuous @ .*budgets\[0\].verdict",
        ),
        (("budgets", 0, "guarantee", "at"), {"delta": 1}, r"expected text @ certificate.budgets\[0\].guarantee.at.delta"),
        (("budgets", 0, "guarantee", "bound"), "lower", r"expected one of exact, two-sided, upper @ .*bound"),
        (("budgets", 0, "guarantee", "derivation", 0, "step"), True, r"expected a whole number @ .*\[0\].step"),
        (("budgets", 0, "guarantee", "derivation", 0, "theorem", "name"), None, r"expected text @ .*theorem.name"),
        (("budgets", 0, "guarantee", "derivation", 0, "theorem", "assurance"), "sworn", r"one of .* @ .*assurance"),
        (("public", 0, "budgets", 0, "relative"), {}, r"missing @ certificate.public\[0\].budgets\[0\].relative.remark"),
        (("plugins", 0, "author"), "x", r"should not be there @ certificate.plugins\[0\].author"),
        (("added",), 1, "should not be there @ certificate.added"),
    ],
)
def test_a_part_that_cannot_be_read_is_named(
    certificate: Certificate, path: tuple[Any, ...], value: Any, message: str
) -> None:
    broken = spoiled(certificate, *path, value=value)
    for asked in (lambda: broken.contents, lambda: broken.verdicts, lambda: broken.kept, broken.plan):
        with pytest.raises(CertificateError, match=message):
            asked()


@pytest.mark.parametrize("key", sorted({"title", "plan_digest", "specification", "releases", "budgets", "plugins"}))
def test_a_part_that_is_missing_is_named(certificate: Certificate, key: str) -> None:
    data = {name: value for name, value in certificate.data.items() if name != key}
    with pytest.raises(CertificateError, match=f"does not say which plan it is about: missing @ certificate.{key}"):
        Certificate(data).plan()


def test_without_a_bound_relative_to_public_information_the_reason_is_kept(certificate: Certificate) -> None:
    reason = {"remark": "the data can be arbitrarily far apart"}
    (known,) = spoiled(certificate, "public", 0, "budgets", 0, "relative", value=reason).contents.public
    assert known.budgets[0].relative == NoBound(reason["remark"])
    assert known.budgets[0].guarantee is None


@attrs.frozen
class Sealed:
    """A value with one field that may be absent and one that is always written."""

    seal: str
    wax: str | None
    uses: tuple[int, ...]


def test_the_codec_writes_what_it_reads() -> None:
    for value in (Sealed("a", None, ()), Sealed("a", "red", (1, 2))):
        assert read(Sealed, write(value), "seal") == value
    assert write(Sealed("a", None, ())) == {"seal": "a", "uses": []}
