"""A digest covers all code that a distribution brought, as it is on disk, and bytecode runs only if it says the same."""

from __future__ import annotations

import os
import py_compile
import sys
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path
from types import ModuleType

import pytest

from accountant import PluginError, Registry, default_registry
from accountant.registry.digest import NO_FILES, digest_of_distribution, digest_of_module
from tests.registry.installing import PLUGIN, installed

FILES = {
    "digested/__init__.py": PLUGIN.format(name="digested"),
    "digested/engine.py": "EPSILON = 1\n",
    "digested_helper.py": "EPSILON = 1\n",
    "digested/data.toml": "",
}


@pytest.fixture(params=[True, False], ids=["recorded", "without a record"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where a distribution is installed: a package with its plugin, and a module beside it."""
    installed(tmp_path, "digested", FILES, record=request.param)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("digested")]:
        del sys.modules[name]


def found(*, thorough: bool = True) -> str:
    return digest_of_distribution("digested", ["digested"], thorough=thorough)


@pytest.mark.parametrize(
    "changed", ["__init__.py", "engine.py", "data.toml", "new.py", "__pycache__/hidden.py", "below/new.so"]
)
def test_a_changed_or_further_file_is_told_by_the_digest_or_refused(place: Path, changed: str) -> None:
    before = found()
    assert found() == before
    (place / "digested" / changed).parent.mkdir(exist_ok=True)
    (place / "digested" / changed).write_text("EPSILON = 2\n")
    if (place / "digested-1.0.dist-info" / "RECORD").exists() and f"digested/{changed}" in FILES:
        with pytest.raises(PluginError, match=f"'digested/{changed}' of the distribution digested was changed after"):
            found()
    else:
        assert found() != before


def test_a_linked_folder_is_looked_into(place: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "code.py").write_text("1\n")
    (place / "digested" / "below").symlink_to(elsewhere)
    (elsewhere / "round").symlink_to(place / "digested")
    before = found()
    (elsewhere / "code.py").write_text("2\n")
    assert found() != before


def test_a_module_beside_the_plugin_counts_where_an_installer_recorded_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    installed(tmp_path, "digested", FILES)
    before = found()
    (tmp_path / "digested_helper.py").write_text("EPSILON = 2\n")
    with pytest.raises(PluginError, match=r"'digested_helper.py' of the distribution digested was changed after"):
        found()
    for file in tmp_path.glob("*.dist-info/*"):
        file.unlink()
    next(tmp_path.glob("*.dist-info")).rmdir()
    installed(tmp_path, "digested", {**FILES, "digested_helper.py": "EPSILON = 2\n"})
    assert found() != before


def test_a_missing_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    installed(tmp_path, "digested", FILES)
    (tmp_path / "digested_helper.py").unlink()
    with pytest.raises(PluginError, match=r"'digested_helper.py' of the distribution digested cannot be read"):
        found()


def test_the_digest_says_nothing_of_where_and_how_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same in another folder, without a record, and with bytecode of its own."""
    told = []
    for name, record in (("one", True), ("two", False)):
        with monkeypatch.context() as path:
            installed(tmp_path / name, "digested", {key: FILES[key] for key in FILES if "helper" not in key}, record=record)
            path.syspath_prepend(tmp_path / name)
            told.append(found())
            py_compile.compile(str(tmp_path / name / "digested" / "engine.py"))
            told.append(found())
    assert len(set(told)) == 1


@pytest.mark.parametrize("thorough", [True, False])
def test_bytecode_that_nobody_compares_and_says_something_else_is_refused(place: Path, thorough: bool) -> None:
    source = place / "digested" / "engine.py"
    (place / "other.py").write_text("EPSILON = 0\n")
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(place / "other.py"), cache_from_source(str(source)), invalidation_mode=mode)
    (place / "other.py").unlink()
    with pytest.raises(PluginError, match="is not what its source says"):
        found(thorough=thorough)
    py_compile.compile(str(source), cache_from_source(str(source)), invalidation_mode=mode)
    found(thorough=thorough)


def test_bytecode_with_the_age_and_size_of_its_source_and_other_code_is_refused(place: Path) -> None:
    source, other = place / "digested" / "engine.py", place / "other.py"
    other.write_text("EPSILON = 0\n")
    os.utime(other, ns=(source.stat().st_atime_ns, source.stat().st_mtime_ns))
    py_compile.compile(str(other), cache_from_source(str(source)))
    other.unlink()
    with pytest.raises(PluginError, match="is not what its source says"):
        found()
    os.utime(source, (1, 1))  # Python compiles anew what is older or younger
    found()


def test_bytecode_that_cannot_be_read_is_refused(place: Path) -> None:
    kept = Path(cache_from_source(str(place / "digested" / "engine.py")))
    py_compile.compile(str(place / "digested" / "engine.py"))
    kept.write_bytes(kept.read_bytes()[:20])
    with pytest.raises(PluginError, match="is not what its source says"):
        found()


def test_what_is_admitted_has_the_digest_from_before_it_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    body = f"import pathlib; pathlib.Path({str(tmp_path / 'digested' / 'engine.py')!r}).write_text('EPSILON = 3')\n"
    installed(tmp_path, "digested", {**FILES, "digested/__init__.py": body + FILES["digested/__init__.py"]}, record=False)
    before = found()
    assert Registry.load().plugins["digested"].digest == before != found()
    del sys.modules["digested"]


def test_every_plugin_has_the_digest_of_its_distribution_and_the_core_is_in_ours() -> None:
    registry = default_registry()
    (own,) = {plugin.digest for plugin in registry.plugins.values() if plugin.distribution == "privacy-accountant"}
    names = [plugin.name for plugin in registry.plugins.values() if plugin.distribution == "privacy-accountant"]
    packages = [f"accountant_{name}" for name in names]
    assert own == digest_of_distribution("privacy-accountant", [*packages, "accountant"], thorough=False)
    assert own != digest_of_distribution("nothing-recorded", packages, thorough=False)


def test_the_digest_does_not_depend_on_which_plugins_take_part() -> None:
    assert Registry.load(disabled=["noise"]).plugins["builtin"].digest == default_registry().plugins["builtin"].digest


def test_a_module_without_files_has_no_digest() -> None:
    assert digest_of_module(ModuleType("made")) == NO_FILES
