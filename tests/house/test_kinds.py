"""Kinds of installed plugins are attributes of the package: found in the registry, and told to type checkers by a stub that
nobody writes by hand.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import accountant
from accountant.plugin import Mechanism, hookimpl
from accountant.registry.kinds import kind, kinds
from accountant.registry.registry import Registry, default_registry
from accountant_noise import Gaussian, Laplace
from tests.house.doors import plugins
from tests.house.kinds import ROOT, STUB, bundled, stub
from tests.house.test_import_cost import modules_after


def plugin(name: str, *mechanisms: type[Mechanism]) -> ModuleType:
    """A plugin of somebody else."""
    module = ModuleType(name)
    module.__dict__["accountant_mechanisms"] = hookimpl(lambda: mechanisms)
    module.__dict__["accountant_mechanisms"].__name__ = "accountant_mechanisms"
    return module


def theirs(name: str, kind: str, module: str) -> type[Mechanism]:
    """A mechanism like ours, from another package."""
    return type(name, (Laplace,), {"kind": kind, "__module__": module, "__slots__": ()})


def test_the_stub_is_what_the_registry_says() -> None:
    assert STUB.read_text("utf-8") == stub(bundled()), "run python -m tests.house.kinds"


def test_a_stub_that_lacks_a_plugin_is_not_what_the_registry_says() -> None:
    packages = [name for name in bundled().plugins if name != "noise"]
    assert stub(Registry.load(allowed=packages)) != stub(bundled())


def test_no_other_file_of_the_core_names_the_package_of_a_plugin_in_an_import() -> None:
    packages = plugins(ROOT)
    core = [*(ROOT / "accountant").rglob("*.py"), *(ROOT / "accountant").rglob("*.pyi")]
    naming = {
        path
        for path in core
        for line in path.read_text("utf-8").splitlines()
        for package in packages
        if line.lstrip().startswith((f"from {package}", f"import {package}"))
    }
    assert naming == {STUB}


@pytest.mark.parametrize("name", sorted(kinds(bundled())))
def test_every_bundled_kind_is_an_attribute_and_can_be_completed(name: str) -> None:
    assert getattr(accountant, name) is kinds(bundled())[name]
    assert name in dir(accountant)
    assert name not in accountant.__all__


def test_every_registered_kind_has_a_name_of_its_own() -> None:
    registry = bundled()
    classes = {cls for family in registry.families if family.classes for cls in registry[family].values()}
    assert set(kinds(registry).values()) == classes


def test_kinds_of_others_are_found_and_ours_keep_their_names() -> None:
    registry = default_registry().adding(
        plugin("other", theirs("Cauchy", "cauchy", "other"), theirs("Gaussian", "their-gaussian", "other"))
    )
    assert kind("Cauchy", registry).kind == "cauchy"
    assert kinds(registry)["Gaussian"] is Gaussian


def test_a_name_that_two_others_use_is_refused_with_both_places() -> None:
    first, second = theirs("Cauchy", "cauchy", "first.noise"), theirs("Cauchy", "their-cauchy", "second.noise")
    registry = default_registry().adding(plugin("first", first), plugin("second", second))
    with pytest.raises(AttributeError, match=r"several plugins have a kind 'Cauchy'; .* from first.noise or second.noise"):
        kind("Cauchy", registry)
    assert "Cauchy" not in kinds(registry)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Gausian", "module 'accountant' has no attribute 'Gausian'; did you mean 'Gaussian'?"),
        ("Nonsense", "module 'accountant' has no attribute 'Nonsense'"),
        ("gaussian", "module 'accountant' has no attribute 'gaussian'"),
    ],
)
def test_a_name_that_nobody_has_is_an_attribute_error_with_the_nearest_one(name: str, words: str) -> None:
    assert not hasattr(accountant, name)
    with pytest.raises(AttributeError) as error:
        getattr(accountant, name)
    assert str(error.value) == words


def test_nothing_is_loaded_until_a_kind_is_asked_for() -> None:
    for program in ("import accountant", "from accountant import fields, loss, Plan", "import accountant; accountant.Plan"):
        assert not {name for name in modules_after(program) if name.startswith("accountant_")}
    loaded = modules_after("import accountant; accountant.Gaussian")
    assert "accountant_noise" in loaded
    assert "numpy" not in loaded


def installed(folder: Path, source: str) -> subprocess.CompletedProcess[str]:
    """What happens where a plugin with this source is installed and imported."""
    (folder / "asking.py").write_text(source, "utf-8")
    (folder / "asking-1.dist-info").mkdir()
    (folder / "asking-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: asking\nVersion: 1\n", "utf-8")
    (folder / "asking-1.dist-info" / "entry_points.txt").write_text("[accountant]\nasking = asking\n", "utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    program = "import asking, accountant; print(accountant.Cauchy(scale='2').kind, 'Cauchy' in dir(accountant))"
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)


CAUCHY = """
from typing import ClassVar
from attrs import frozen
from accountant.plugin import hookimpl
{imported}

@frozen
class Cauchy(Laplace):
    kind: ClassVar[str] = "cauchy"

@hookimpl
def accountant_mechanisms():
    return (Cauchy,)
"""


def test_the_kind_of_an_installed_plugin_is_an_attribute(tmp_path: Path) -> None:
    found = installed(tmp_path, CAUCHY.format(imported="from accountant_noise import Laplace"))
    assert found.stdout.split() == ["cauchy", "True"], found.stderr


def test_a_plugin_that_asks_for_kinds_while_it_is_imported_is_told_and_never_left_out(tmp_path: Path) -> None:
    found = installed(tmp_path, CAUCHY.format(imported="from accountant import Laplace"))
    assert found.returncode != 0
    assert "plugin 'asking' of asking 1 asks what is registered while it is being imported" in found.stderr
