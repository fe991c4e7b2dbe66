"""Certificates: canonical, complete, and refused when anything about them changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from accountant import Certificate, Registry, Verdict, account, certify, load_plan, read_plan, verify
from accountant.errors import CertificateError, PlanError


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    return certify(load_plan("examples/survey.toml"))


def changed(certificate: Certificate, path: tuple[Any, ...], value: Any) -> Certificate:
    data = json.loads(certificate.to_json())
    target = data
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return Certificate(data)


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    if not isinstance(data, (dict, list)):
        yield path, data
    for key, value in items:
        yield from leaves(value, (*path, key))


def test_a_certificate_follows_from_its_plan(certificate: Certificate) -> None:
    assert verify(certificate, load_plan("examples/survey.toml")).verdict is Verdict.IMPLIED


def test_a_certificate_is_canonical_json(certificate: Certificate) -> None:
    content = certificate.to_json()
    assert json.dumps(json.loads(content), sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n" == content
    assert Certificate.parse(content).to_json() == content


def test_every_single_leaf_of_a_certificate_is_checked(certificate: Certificate) -> None:
    plan = load_plan("examples/survey.toml")
    recomputed = certify(plan)
    found = list(leaves(json.loads(certificate.to_json())))
    assert len(found) > 100
    for path, value in found:
        if path == ("format",):
            continue
        other = (value + "0") if isinstance(value, str) else value + 1
        spoiled = changed(certificate, path, other)
        assert spoiled.data != recomputed.data
    for path, value in found[:: max(1, len(found) // 12)]:
        if path != ("format",):
            other = (value + "0") if isinstance(value, str) else value + 1
            assert verify(changed(certificate, path, other), plan).verdict is Verdict.REFUTED


def test_a_changed_digit_is_named(certificate: Certificate) -> None:
    path = ("budgets", 0, "guarantee", "value", "upper")
    verification = verify(changed(certificate, path, "2.5"), load_plan("examples/survey.toml"))
    assert [fault.place for fault in verification.differences] == ["certificate.budgets[0].guarantee.value.upper"]


def test_a_changed_plan_is_refused(certificate: Certificate) -> None:
    data = load_plan("examples/survey.toml").as_data()
    data["release"][0]["times"] = 2
    verification = verify(certificate, read_plan(data))
    assert "certificate.plan_digest" in {fault.place for fault in verification.differences}


def test_a_missing_plugin_is_named(certificate: Certificate) -> None:
    registry = Registry.load(disabled=["noise"])
    verification = verify(certificate, load_plan("examples/survey.toml"), registry=registry)
    assert verification.verdict is Verdict.REFUTED
    assert "'noise' is not installed" in str(verification.differences[0])


def test_another_version_of_a_plugin_is_named(certificate: Certificate) -> None:
    places = {plugin["name"]: index for index, plugin in enumerate(certificate.data["plugins"])}
    spoiled = changed(certificate, ("plugins", places["noise"], "digest"), "sha256:0")
    verification = verify(spoiled, load_plan("examples/survey.toml"))
    assert "'noise' has the digest" in str(verification.differences[0])


def test_only_the_plugins_behind_the_numbers_are_listed(certificate: Certificate) -> None:
    names = {plugin["name"] for plugin in certificate.data["plugins"]}
    assert {"builtin", "noise", "approx", "zcdp"} <= names
    assert "response" not in names


def test_printed_numbers_enclose_the_computed_ones(certificate: Certificate) -> None:
    value = account(load_plan("examples/survey.toml")).measure("approx", delta="1e-6").value
    printed = certificate.data["budgets"][0]["guarantee"]["value"]
    assert Fraction(printed["lower"]) <= Fraction(value.lower)
    assert Fraction(value.upper) <= Fraction(printed["upper"])
    assert len(printed["upper"].replace(".", "")) <= 10


def test_spelling_and_order_of_keys_do_not_change_the_digest() -> None:
    plan = load_plan("examples/survey.toml")
    data = plan.as_data()
    data["budget"][0]["epsilon"] = "4.00"
    assert read_plan(dict(reversed(data.items()))).digest == plan.digest


def test_where_nothing_was_asked_nothing_is_kept(certificate: Certificate) -> None:
    stated = {**json.loads(certificate.to_json()), "budgets": []}
    emptied = Certificate.parse(json.dumps({**stated, "public": [], "risks": []}))
    assert emptied.verdicts == ()
    assert not emptied.kept


def test_whether_all_is_kept_has_one_word_and_the_former_one_warns() -> None:
    certificate = certify("examples/survey.toml")
    with pytest.warns(DeprecationWarning, match="Certificate.holds is called kept now"):
        assert certificate.holds is certificate.kept is True  # type: ignore[attr-defined]


def test_a_plan_without_a_budget_cannot_be_certified() -> None:
    data = load_plan("examples/survey.toml").as_data()
    with pytest.raises(PlanError, match=r"budget.*@ budget"):
        certify(read_plan({**data, "budget": []}))


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"format": "other"}', "[" * 100000])
def test_what_is_no_certificate_is_refused(content: str) -> None:
    with pytest.raises(CertificateError):
        Certificate.parse(content)


@pytest.mark.parametrize(
    ("rho", "classic", "optimised"),
    [("2.56", 17.915, 17.158), ("0.07", 2.609, 2.387), ("4.96", 26.334, 25.412), ("7.70", 34.331, 33.287)],
)
def test_a_certificate_names_the_formulas_behind_published_figures(rho: str, classic: float, optimised: float) -> None:
    """The figures of the 2020 Census under both theorems, recomputed by hand to three places."""
    plan = read_plan(
        {
            "specification": {"neighbours": "replace-one"},
            "budget": [{"divergence": "approx", "epsilon": "40", "delta": "1e-10"}],
            "release": [{"name": "table", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": rho}}],
        }
    )
    budget = certify(plan).data["budgets"][0]
    shown = {item["conversion"]: item for item in budget["published"]}
    assert float(shown["zcdp-to-approx-classic"]["upper"]) == pytest.approx(classic, abs=5e-4)
    assert float(shown["zcdp-to-approx-optimised"]["upper"]) == pytest.approx(optimised, abs=5e-4)
    assert shown["zcdp-to-approx-classic"]["theorem"]["key"] == "bun2016concentrated"
    assert float(budget["guarantee"]["value"]["upper"]) <= float(shown["zcdp-to-approx-optimised"]["upper"])


def test_a_formula_of_a_whole_plan_never_undercuts_its_account() -> None:
    whole = account(load_plan("examples/survey.toml"))
    found = whole.by_formulas("approx", delta="1e-6")
    assert {item.conversion for item in found} == {"zcdp-to-approx-classic", "zcdp-to-approx-optimised"}
    assert all(item.value.upper >= whole.measure("approx", delta="1e-6").value.upper for item in found)
    assert whole.by_formulas("approx", epsilon="1") == ()
