"""Importing costs little more than numpy, and help costs no numerics at all."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def modules_after(program: str) -> set[str]:
    return set(json.loads(run(f"{program}\nimport sys, json; print(json.dumps(sorted(sys.modules)))").splitlines()[-1]))


def own(loaded: set[str]) -> set[str]:
    return {name for name in loaded if name.startswith("accountant")}


def test_importing_brings_no_numerics() -> None:
    loaded = modules_after("import accountant")
    assert not loaded & {"numpy", "scipy", "matplotlib", "sqlite3", "sqlalchemy", "alembic", "hypothesis", "pytest"}


def test_loading_every_plugin_brings_no_numerics() -> None:
    loaded = modules_after("import accountant; accountant.default_registry()")
    assert "accountant_noise" in loaded
    assert not loaded & {"numpy", "scipy"}


def test_loading_every_plugin_brings_no_report_no_certificate_and_no_reading_of_posteriors() -> None:
    loaded = modules_after("import accountant; accountant.default_registry()")
    heavy = {"accountant.report.document", "accountant.certificate.contents", "accountant_posterior.semantics.semantics"}
    heavy |= {"accountant_posterior.names", "accountant_pufferfish.names", "accountant_posterior.reports.public"}
    assert not loaded & heavy


def test_loading_every_plugin_parses_no_metadata_and_brings_nothing_that_only_accounts_need() -> None:
    loaded = modules_after("import accountant; accountant.default_registry()")
    parsers = {"importlib.metadata", "email", "zipfile", "csv", "socket", "difflib", "traceback"}
    later = {"accountant.promise.guarantee", "accountant.promise.specification", "accountant.finite.mechanism"}
    later |= {"accountant_pufferfish.setting.setting", "accountant_pufferfish.distance.wasserstein"}
    later |= {"accountant_bridges.events", "accountant_bridges.opacus", "accountant.plan.plan"}
    assert not loaded & (parsers | later)
    # Of bridges, only what they are called; nine more when settings and exact pairs came along, three for divergences,
    # three that studies share, and one for each command of a plugin.
    assert len(own(loaded)) < 178


def test_no_garbage_is_looked_for_while_plugins_load_and_it_is_afterwards() -> None:
    """Counted: how often, before the first plugin and after the last one."""
    program = """
import gc, types
import accountant.plugin.families
from accountant import PluginError, Registry
looked = []
gc.callbacks.append(lambda phase, info: looked.append(phase))
Registry.load()
print(looked.count("start") <= 3, gc.isenabled())
broken = types.ModuleType("broken")
broken.accountant_queries = lambda: ()
try: Registry.load(extra=[broken])
except PluginError: print("refused", gc.isenabled())
gc.disable()
Registry.load()
print(gc.isenabled())
"""
    assert run(program).split() == ["True", "True", "refused", "True", "False"]


def test_help_loads_few_modules() -> None:
    program = """
from accountant.cli import main
try: main(["--help"])
except SystemExit: pass
"""
    loaded = modules_after(program)
    assert not loaded & {"numpy", "importlib.metadata", "email", "accountant.promise.guarantee"}
    # Three that studies share, and one for each command of a plugin.
    assert len(own(loaded)) < 154


def test_help_asks_plugins_for_commands_only() -> None:
    loaded = modules_after("import accountant.cli.program as program; print(sorted(program._further()))")
    assert "accountant_posterior.risk.recommend" in loaded
    assert not loaded & {"accountant_posterior.risk.profiles", "accountant_pufferfish.facts.blocks"}


def test_names_of_a_plugin_are_found_when_they_are_asked_for() -> None:
    program = "import accountant_posterior as plugin, accountant_pufferfish as other; print(plugin.Semantics, other.Law)"
    assert "accountant_posterior.names" in modules_after(program)
    assert "no such name" in run(
        "import accountant_posterior as plugin\n"
        "try: plugin.Nonsense\nexcept AttributeError as error: print('no such name:', error)"
    )


@pytest.mark.slow
def test_a_certified_plan_never_needs_the_heavy_parts_of_scipy() -> None:
    loaded = modules_after("import accountant; accountant.certify(accountant.load_plan('examples/survey.toml'))")
    assert "numpy" in loaded
    assert not loaded & {"scipy.stats", "scipy.signal", "matplotlib", "sqlalchemy", "hypothesis", "pytest"}


@pytest.mark.slow
def test_a_ledger_loads_its_database_only_when_it_is_opened_and_migrations_only_when_there_is_something_to_migrate() -> (
    None
):
    assert not modules_after("from accountant.cli.commands.ledger import command") & {"numpy", "sqlalchemy", "alembic"}
    program = """
import tempfile
from accountant.ledger import Ledger, read_terms
with tempfile.TemporaryDirectory() as directory:
    data = {"specification": {"neighbours": "add-remove"}, "budget": [{"divergence": "zcdp", "rho": "1"}]}
    Ledger.create(directory + "/a.ledger", read_terms(data)).close()
    import sys
    for name in [name for name in sys.modules if name.split(".")[0] == "alembic"]:
        del sys.modules[name]
    Ledger.open(directory + "/a.ledger").close()
"""
    loaded = modules_after(program)
    assert "sqlalchemy" in loaded
    assert not loaded & {"alembic", "psycopg"}
