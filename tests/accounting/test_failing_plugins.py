"""What fails in a plugin of others is that plugin's failure, and never said to be the user's input."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accountant import PluginFailure, Registry, account
from accountant.cli import main
from accountant.registry import registry as registry_module
from tests.registry.installing import PLUGIN, installed

PLAN = {
    "specification": {"neighbours": "add-remove"},
    "budget": [{"divergence": "zcdp", "rho": "1"}],
    "release": [{"name": "wages", "query": {"kind": "count"}, "mechanism": {"kind": "failing"}}],
}
Broken = Callable[[str], Registry]


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Broken]:
    """The registry with an installed plugin whose loss does something."""
    monkeypatch.syspath_prepend(tmp_path)

    def load(body: str) -> Registry:
        installed(tmp_path, "failing", {"failing.py": PLUGIN.format(name="failing").replace("return NO_LOSS", body)})
        found = Registry.load()
        monkeypatch.setattr(registry_module, "default_registry", lambda: found)
        return found

    yield load
    sys.modules.pop("failing", None)


def asked() -> Result:
    return CliRunner().invoke(main, ["measure", json.dumps(PLAN), "--as", "zcdp"])


def test_an_arithmetic_error_in_a_plugin_is_the_plugins(broken: Broken) -> None:
    registry = broken("return 1 / 0")
    with pytest.raises(PluginFailure, match=r"plugin 'failing' of failing 1.0 failed: ZeroDivisionError"):
        account(PLAN, registry=registry)
    done = asked()
    assert done.exit_code == 3
    assert "plugin 'failing' of failing 1.0 failed: ZeroDivisionError: division by zero" in done.stderr
    assert "double arithmetic" not in done.stderr


def test_a_loss_that_is_none_names_the_plugin(broken: Broken) -> None:
    broken("return 'a little'")
    done = asked()
    assert done.exit_code == 3
    assert "the mechanism 'failing' of plugin 'failing' of failing 1.0 returned 'a little' as its loss" in done.stderr


@pytest.mark.parametrize("body", ["raise KeyError('x')", "raise SystemExit(0)", "raise GeneratorExit"])
def test_any_other_error_of_a_plugin_names_it_and_is_no_success(broken: Broken, body: str) -> None:
    broken(body)
    done = asked()
    assert done.exit_code == 3
    assert "this is a defect of plugin 'failing' of failing 1.0, not of your input" in done.stderr


def test_parameters_that_doubles_cannot_hold_stay_the_users() -> None:
    release = {"name": "wages", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "1e-300"}}
    done = CliRunner().invoke(
        main, ["measure", json.dumps({**PLAN, "release": [release]}), "--as", "approx", "--delta", "1e-6"]
    )
    assert done.exit_code in (0, 2)
    assert "defect" not in done.stderr
