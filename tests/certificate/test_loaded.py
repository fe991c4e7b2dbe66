"""All plugins that were loaded are listed by distribution, whether a number rests on them or not."""

from __future__ import annotations

from types import ModuleType

import pytest

from accountant import Registry, Verdict, certify, default_registry, read_plan, verify
from tests.certificate.elsewhere import copied, sealed
from tests.plan.test_publication import PLAN


@pytest.fixture
def more() -> Registry:
    """A registry with one more plugin, which registers nothing: its code ran all the same."""
    return default_registry().adding(ModuleType("bystander"))


def test_every_loaded_plugin_is_listed() -> None:
    says = certify(read_plan(PLAN)).contents
    listed = {(item.distribution, item.version, name) for item in says.loaded for name in item.plugins}
    known = default_registry().plugins.values()
    assert listed == {(plugin.distribution, plugin.version, plugin.name) for plugin in known}
    assert {digest for item in says.loaded for digest in item.digests} == {plugin.digest for plugin in known}
    assert {plugin.name for plugin in says.plugins} < {name for _, _, name in listed}


def test_a_plugin_that_nothing_rests_on_is_listed_and_its_absence_said(more: Registry) -> None:
    certificate = certify(read_plan(PLAN), registry=more)
    assert "bystander" in {item.distribution for item in certificate.contents.loaded}
    found = verify(certificate, read_plan(PLAN))
    assert found.verdict is Verdict.IMPLIED
    (note,) = found.unchecked
    assert "was loaded there and is not here: bystander" in note.message
    assert verify(certificate, read_plan(PLAN), registry=more).unchecked == ()


def test_a_plugin_that_is_only_here_is_said(more: Registry) -> None:
    (note,) = verify(certify(read_plan(PLAN)), read_plan(PLAN), registry=more).unchecked
    assert "is loaded here and was not there: bystander" in note.message


def test_leaving_out_what_nothing_rests_on_does_not_matter() -> None:
    few = Registry.load(allowed=["noise", "pure"])
    plan = read_plan(PLAN)
    assert verify(certify(plan), plan, registry=few).verdict is Verdict.IMPLIED
    assert verify(certify(plan, registry=few), plan).verdict is Verdict.IMPLIED


def test_what_is_said_of_installed_distributions_must_be_so() -> None:
    plan = read_plan(PLAN)
    certificate = certify(plan)
    changes = {"version": "9", "distribution": "another", "plugins": ["noise", "zzz"], "digests": ["sha256:0"]}
    for key, value in changes.items():
        data = copied(certificate)
        data["loaded"][0][key] = value
        found = verify(sealed(data), plan)
        assert found.verdict is Verdict.REFUTED, key
        assert any(str(fault.place).startswith("certificate.loaded") for fault in found.differences), key
    for loaded in ([], certificate.data["loaded"] * 2):
        assert verify(sealed({**copied(certificate), "loaded": loaded}), plan).verdict is Verdict.REFUTED
