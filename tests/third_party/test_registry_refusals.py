"""What the registry refuses, naming both sides, and how plugins are left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from accountant import PluginError, Registry
from accountant.errors import UnknownName
from accountant.plugin import CASES, DIVERGENCES, MECHANISMS, THEOREMS

HEAD = """
from typing import ClassVar
from attrs import frozen
from accountant.plugin import Mechanism, Query, hookimpl
from accountant import Theorem
from accountant.loss import NO_LOSS
from accountant.plugin import CASES
from accountant.plugin import DIVERGENCES
from accountant.plugin import MECHANISMS

TRUST = Theorem("{name}-trust", "It holds.", "accountant", "tests", assurance="claimed")

@frozen
class Silent(Mechanism):
    kind: ClassVar[str] = "{kind}"
    theorem: ClassVar[Theorem] = TRUST

    def loss(self, shift):
        return NO_LOSS
"""

HONEST = """
@hookimpl
def accountant_mechanisms():
    return [Silent]

@hookimpl
def accountant_theorems():
    return [TRUST]
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Installs a distribution that has one plugin, as an installer would leave it behind."""
    monkeypatch.syspath_prepend(tmp_path)

    def put(distribution: str, plugin: str, body: str = HONEST, *, kind: str | None = None) -> None:
        module = distribution.replace("-", "_") + "_refusals"
        head = HEAD.format(name=distribution, kind=kind or distribution)
        (tmp_path / f"{module}.py").write_text(head + dedent(body), encoding="utf-8")
        metadata = tmp_path / f"{distribution.replace('-', '_')}-2.0.dist-info"
        metadata.mkdir()
        metadata.joinpath("METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 2.0\n", encoding="utf-8"
        )
        metadata.joinpath("entry_points.txt").write_text(f"[accountant]\n{plugin} = {module}\n", encoding="utf-8")

    return put


def refusal() -> str:
    with pytest.raises(PluginError) as refused:
        Registry.load()
    return str(refused.value)


def test_an_honest_distribution_is_admitted_and_its_items_attributed_to_it(install: Install) -> None:
    install("honest-dist", "honest")
    registry = Registry.load()
    owner = registry.owner(MECHANISMS, "honest-dist")
    assert (owner.name, owner.distribution, owner.version) == ("honest", "honest-dist", "2.0")
    assert owner.registers == {"mechanisms": ("honest-dist",), "theorems": ("honest-dist-trust",)}


def test_two_distributions_that_claim_one_plugin_name_are_refused(install: Install) -> None:
    install("first-dist", "noisy")
    install("second-dist", "noisy")
    assert refusal() == (
        "two distributions claim the plugin name 'noisy': first-dist 2.0 and second-dist 2.0; uninstall one of them"
    )


def test_a_distribution_that_claims_the_name_of_a_bundled_plugin_is_refused(install: Install) -> None:
    install("other-noise", "noise")
    message = refusal()
    assert "'noise'" in message
    assert "other-noise 2.0" in message
    assert "privacy-accountant" in message


def test_a_mechanism_that_another_plugin_already_defines_is_refused(install: Install) -> None:
    install("second-laplace", "second", kind="laplace")
    message = refusal()
    assert "plugin 'second' of second-laplace 2.0 defines the mechanism 'laplace'" in message
    assert "already defined by plugin 'noise' of privacy-accountant" in message


def test_a_mechanism_that_one_plugin_defines_twice_is_refused(install: Install) -> None:
    install("twice-dist", "twice", HONEST.replace("[Silent]", "[Silent, Silent]"))
    assert refusal() == "plugin 'twice' of twice-dist 2.0 defines the mechanism 'twice-dist' twice"


def test_an_unknown_hook_is_refused_with_the_nearest_one(install: Install) -> None:
    install("typo-dist", "typo", HONEST.replace("accountant_mechanisms", "accountant_mechanism"))
    assert refusal() == (
        "plugin 'typo' of typo-dist 2.0 implements 'accountant_mechanism', which is no hook of accountant; "
        "did you mean 'accountant_mechanisms'?"
    )


@pytest.mark.parametrize("option", ["wrapper", "hookwrapper"])
def test_a_hook_wrapper_is_refused(install: Install, option: str) -> None:
    body = f"""
    @hookimpl({option}=True)
    def accountant_mechanisms():
        answer = yield
        return []
    """
    install("wrapping-dist", "wrapping", body)
    assert refusal() == (
        "plugin 'wrapping' of wrapping-dist 2.0 implements 'accountant_mechanisms' as a wrapper; plugins may add answers, "
        "not change others'"
    )


def test_a_hook_that_asks_for_something_is_refused(install: Install) -> None:
    body = """
    @hookimpl
    def accountant_mechanisms(registry):
        return [Silent]
    """
    install("asking-dist", "asking", body)
    assert "plugin 'asking' of asking-dist 2.0 raised in accountant_mechanisms: TypeError" in refusal()


def test_a_plugin_that_raises_on_load_is_refused(install: Install) -> None:
    install("broken-dist", "broken", "raise RuntimeError('no licence')")
    assert refusal() == "plugin 'broken' of broken-dist 2.0 could not be loaded: RuntimeError: no licence"


def test_a_hook_that_raises_is_refused(install: Install) -> None:
    body = """
    @hookimpl
    def accountant_theorems():
        return [1 / 0]
    """
    install("raising-dist", "raising", body)
    message = refusal()
    assert (
        message == "plugin 'raising' of raising-dist 2.0 raised in accountant_theorems: ZeroDivisionError: division by zero"
    )


def test_an_item_of_the_wrong_type_is_refused(install: Install) -> None:
    install("instance-dist", "instance", HONEST.replace("[Silent]", "[Silent()]"))
    message = refusal()
    assert (
        message
        == "plugin 'instance' of instance-dist 2.0 returned Silent() from accountant_mechanisms, which is no mechanism"
    )


def test_a_theorem_is_registered_by_being_cited(install: Install) -> None:
    install("citing-dist", "citing", HONEST.replace("[TRUST]", "[]"))
    owner = Registry.load().owner(THEOREMS, "citing-dist-trust")
    assert (owner.name, owner.registers["theorems"]) == ("citing", ("citing-dist-trust",))


def test_a_mechanism_that_cites_no_theorem_is_refused(install: Install) -> None:
    install("faith-dist", "faith", "TRUST = Silent.theorem = 'trust me'\n" + HONEST.replace("[TRUST]", "[]"))
    assert refusal() == "plugin 'faith' of faith-dist 2.0 cites no theorem as 'theorem' of its mechanism 'faith-dist'"


def test_a_theorem_that_says_something_else_than_another_plugin_does_is_refused(install: Install) -> None:
    install("first-dist", "first")
    other = 'Theorem("first-dist-trust", "It never holds.", "accountant", "tests", assurance="claimed")'
    install("second-dist", "second", HONEST.replace("[TRUST]", f"[{other}]"))
    assert refusal() == (
        "plugin 'second' of second-dist 2.0 says something else by the theorem 'first-dist-trust' than plugin 'first' of "
        "first-dist 2.0; give each theorem its own name"
    )


def test_a_hook_that_was_not_marked_is_refused(install: Install) -> None:
    install(
        "unmarked-dist", "unmarked", HONEST.replace("@hookimpl\ndef accountant_mechanisms", "def accountant_mechanisms")
    )
    assert refusal() == (
        "plugin 'unmarked' of unmarked-dist 2.0 defines accountant_mechanisms without marking it; put @hookimpl above it"
    )


def test_a_conformance_case_that_two_plugins_define_is_refused(install: Install) -> None:
    body = (
        HONEST
        + """
@hookimpl
def accountant_conformance_cases():
    from accountant.plugin import MechanismCase, Shift
    return [MechanismCase("laplace 2", Silent(), Shift.along([1]))]
"""
    )
    install("cases-dist", "cases", body)
    with pytest.raises(PluginError) as refused:
        Registry.load().offered(CASES)
    assert "plugin 'cases' of cases-dist 2.0" in str(refused.value)
    assert "plugin 'noise' of privacy-accountant" in str(refused.value)
    assert "'laplace 2'" in str(refused.value)


def test_a_refused_plugin_can_be_disabled_by_name(install: Install) -> None:
    install("broken-dist", "broken", "raise RuntimeError('no licence')")
    registry = Registry.load(disabled=["broken"])
    assert "broken" not in registry.plugins
    assert "noise" in registry.plugins


def test_a_disabled_plugin_takes_its_items_with_it() -> None:
    registry = Registry.load(disabled=["noise"])
    assert "laplace" not in registry[MECHANISMS]
    with pytest.raises(UnknownName, match="unknown mechanism 'laplace'"):
        registry.find(MECHANISMS, "laplace")


def test_an_allow_list_admits_only_what_it_names_and_the_core(install: Install) -> None:
    install("broken-dist", "broken", "raise RuntimeError('no licence')")
    registry = Registry.load(allowed=["pure", "noise"])
    assert sorted(registry.plugins) == ["builtin", "noise", "pure"]
    assert sorted(registry[DIVERGENCES]) == ["pure"]


@pytest.mark.parametrize("choice", [{"disabled": ["nosie"]}, {"allowed": ["nosie"]}])
def test_a_choice_of_an_unknown_plugin_is_refused(choice: dict[str, Any]) -> None:
    with pytest.raises(UnknownName, match="no plugin is called 'nosie'; did you mean 'noise'"):
        Registry.load(**choice)
