"""What is proved, what the curator states, what nobody has said: absent never reads as fine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from accountant import Certificate, Verdict, certify, default_registry, load_plan, read_plan, verify
from accountant.certificate.layers import on_trust, stated, unsaid
from accountant.errors import CertificateError
from accountant.plan.statements import LAYERS
from accountant.plugin import REPORTS
from accountant.report import Edition, making
from accountant.report.render.text import render
from tests.certificate.elsewhere import copied, sealed
from tests.plan.test_publication import PLAN

SAID = {layer: f"somebody says something of {layer}" for layer in LAYERS}
UNSAID = {"en": "Nobody has said", "es": "Nadie ha dicho"}


def of(**statements: str) -> Certificate:
    return certify(read_plan({**PLAN, **({"statements": statements} if statements else {})}))


def test_every_layer_has_a_standing_whether_anybody_spoke_or_not() -> None:
    for said in ({}, {"unit": SAID["unit"]}, SAID):
        says = of(**said).contents
        assert [layer.layer for layer in says.layers] == ["parameter", *LAYERS]
        assert [layer.standing for layer in says.layers[:1]] == ["proved"]
        assert set(stated(says)) == set(said) == {layer.layer for layer in says.layers if layer.standing == "stated"}
        assert set(unsaid(says)) == set(LAYERS) - set(said)


def test_what_the_plan_only_states_of_a_release_is_not_called_proved() -> None:
    survey = certify(load_plan("examples/survey.toml")).contents
    assert on_trust(survey) == ("vendor dashboard",)
    assert on_trust(of().contents) == ()
    shift = {"kind": "vector", "shift": ["1"]}
    release = {"name": "mine", "query": shift, "mechanism": {"kind": "laplace", "scale": "2"}}
    assert on_trust(certify(read_plan({**PLAN, "release": [release]})).contents) == ("mine",)


@pytest.mark.parametrize("standing", ["stated", "proved"])
def test_a_layer_that_nobody_spoke_of_cannot_be_called_anything_else(standing: str) -> None:
    data = copied(of())
    data["layers"][3]["standing"] = standing
    found = verify(sealed(data), read_plan(PLAN))
    assert (found.verdict, found.differences[0].place) == (Verdict.REFUTED, "certificate.layers[3].standing")


def test_a_certificate_without_layers_is_no_certificate() -> None:
    data = {key: item for key, item in copied(of()).items() if key != "layers"}
    with pytest.raises(CertificateError, match=r"missing @ certificate\.layers"):
        _ = sealed(data).contents
    assert verify(sealed(data), read_plan(PLAN)).verdict is Verdict.REFUTED


def test_a_statement_that_is_not_in_the_plan_is_refused() -> None:
    data = copied(of(unit="one person is one row"))
    data["statements"]["unit"] = "one person is two rows"
    found = verify(sealed(data), read_plan({**PLAN, "statements": {"unit": "one person is one row"}}))
    assert "certificate.statements.unit" in {fault.place for fault in found.differences}


def test_cards_say_all_three() -> None:
    bare, some = str(of()), str(of(unit="one person is one row"))
    assert "proved: the numbers" in bare
    assert "nobody said: unit, contributions" in bare
    assert "stated: unit: one person is one row" in some
    assert "nobody said: contributions" in some
    assert "nobody said" not in str(of(**SAID))


def written(audience: str, language: str, certificate: Certificate) -> str:
    with making(Edition(language)):
        return render(default_registry().find(REPORTS, audience).build(certificate, certificate.account))


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("audience", ["public", "policy", "technical"])
def test_every_report_says_what_nobody_has_said_and_what_somebody_states(audience: str, language: str) -> None:
    some = written(audience, language, of(unit="one person is one row"))
    assert UNSAID[language] in some
    assert "one person is one row" in " ".join(some.split())


def test_the_summary_says_so_too_and_is_silent_where_everything_is_said() -> None:
    assert UNSAID["en"] in written("summary", "en", of())
    whole = " ".join(written("summary", "en", of(**SAID)).split())
    assert UNSAID["en"] not in whole
    assert all(text in whole for text in SAID.values())


def test_what_curators_state_is_text_and_no_markup() -> None:
    from accountant.report.render.html import render as page

    certificate = of(access="<script>alert(1)</script>")
    with making(Edition("en")):
        shown = page(default_registry().find(REPORTS, "summary").build(certificate, certificate.account))
    assert "<script>alert(1)" not in shown
    assert "&lt;script&gt;alert(1)" in shown


def test_layers_are_written_by_the_one_codec() -> None:
    data: dict[str, Any] = json.loads(of(unit="x").to_json())
    assert data["layers"][0] == {"layer": "parameter", "standing": "proved"}
    assert data["layers"][1] == {"layer": "unit", "standing": "stated"}
    assert data["layers"][2] == {"layer": "contributions", "standing": "not said"}
    assert Certificate.parse(of(unit="x").to_json()).contents == of(unit="x").contents
