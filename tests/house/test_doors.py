"""Doors: what stands in a stub can be imported, what moved still works for a while, what users meet has a name."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
import typing
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import accountant
from accountant import Interval, _moved, errors
from accountant.accounting import Composed, Entry
from accountant.accounting.first_steps import FirstSteps
from accountant.accounting.readings import Readings
from accountant.ledger import Posting, WitnessRefused
from accountant.loss.derived.mixture_moments import Share
from accountant.registry.admission import Source
from tests.house.doors import doors

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "_ext"))
from reference import annotations

ROOT = Path(__file__).parents[2]
STUBS = sorted(name for name in doors(ROOT / "accountant") if (ROOT.joinpath(*name.split(".")) / "__init__.pyi").is_file())

# What `accountant` exported when it had one door only. A history: it never changes.
_NAMES = (
    "Account AccountantError Adaptivity AdaptivityError Additive Apart Assessment Audit Auditor Budget BudgetExceeded "
    "Calibration Certificate Closest Comparison CompositionRule ConformanceCase Contrasted Conversion Divergence Document "
    "Finding GridTooLarge Guarantee Implication Interval InvalidValue Invariant Knowledge Ledger LedgerError Mechanism "
    "MechanismCase Neighbours Paragraph ParameterCase Plan PlanError PluginError PrivacyLoss Properties Public Published "
    "Query Question Reading Reason Recommendation Registry Relation Relative Release Renderer Report Revealed RiskProfile "
    "Sampling Scenario Scope Scored Shift ShiftError Simulated SimulatedSampling Specification Step Summable Table Theorem "
    "Verdict account audit calibrate certify compare default_registry float_above float_below hookimpl implies larger "
    "load_plan load_specification log_of read_plan relative verify"
)
ONCE = _NAMES.split()
KINDS = "accountant._kinds"
TAKEN_APART = ("accountant.accounting", "accountant.loss")
"""Doors of what is made of parts that only the engine takes apart again."""
RENAMED = {"Apart": "Reach", "Published": "FormulaValue"}


def exported(door: str) -> Iterator[tuple[str, str, str]]:
    """What a stub lists: each public name, with its module and its name there."""
    stub = ROOT.joinpath(*door.split(".")) / "__init__.pyi"
    for node in ast.parse(stub.read_text("utf-8")).body:
        assert isinstance(node, ast.ImportFrom)
        assert node.module is not None
        if node.module == KINDS:
            # What plugins register has no list here: the door finds it in the registry.
            assert [alias.name for alias in node.names] == ["*"]
            continue
        for alias in node.names:
            assert alias.asname == alias.name, f"{door} lists {alias.name} in a way that type checkers take for private"
            yield alias.asname, node.module, alias.name


def test_there_are_doors_for_users_authors_and_every_room_that_plugins_need() -> None:
    rooms = ("accounting", "finite", "ledger", "loss", "numbers", "plugin", "report", "testing")
    assert {"accountant", *(f"accountant.{room}" for room in rooms)} <= set(STUBS)


@pytest.mark.parametrize(("door", "name"), [(door, name) for door in STUBS for name, _, _ in exported(door)])
def test_every_name_of_a_stub_can_be_imported_from_its_door(door: str, name: str) -> None:
    module = importlib.import_module(door)
    ((home, original),) = [(home, original) for found, home, original in exported(door) if found == name]
    assert getattr(module, name) is getattr(importlib.import_module(home), original)
    assert name in module.__all__
    assert name in dir(module)


@pytest.mark.parametrize("door", STUBS)
def test_no_door_exports_the_name_of_one_of_its_submodules(door: str) -> None:
    # Which of the two the name would mean depends on what was imported before.
    inside = {module.name for module in pkgutil.iter_modules(importlib.import_module(door).__path__)}
    assert not inside & {name for name, _, _ in exported(door)}


@pytest.mark.parametrize("door", STUBS)
def test_a_door_has_nothing_that_its_stub_does_not_list(door: str) -> None:
    module = importlib.import_module(door)
    assert module.__all__ == sorted({name for name, _, _ in exported(door)})
    with pytest.raises(AttributeError, match=f"module '{door}' has no attribute 'nothing'"):
        _ = module.nothing


def test_everything_that_moved_was_exported_before() -> None:
    moved = {name for names in _moved._DOORS.values() for name in names}
    assert not moved & set(accountant.__all__)
    assert moved == set(ONCE) - set(accountant.__all__) - set(RENAMED)
    assert _moved._RENAMED == RENAMED


@pytest.mark.parametrize("name", ONCE)
def test_a_name_that_was_exported_once_still_works(name: str) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        item = getattr(accountant, name)
    if name in accountant.__all__:
        assert not told
        return
    ((message, category),) = [(str(warning.message), warning.category) for warning in told]
    assert category is DeprecationWarning
    assert told[0].filename == __file__
    if name in RENAMED:
        assert message == f"accountant.{name} is called accountant.{RENAMED[name]} now"
        assert item is getattr(accountant, RENAMED[name])
    else:
        (door,) = [door for door in STUBS if message == f"accountant.{name} moved; import it from {door}"]
        assert item is getattr(importlib.import_module(door), name)


def test_importing_a_name_that_moved_blames_the_line_that_imports_it(tmp_path: Path) -> None:
    script = tmp_path / "old.py"
    script.write_text("from accountant import Mechanism\n")
    told = subprocess.run([sys.executable, "-W", "always", script], capture_output=True, text=True, check=True).stderr
    assert told.startswith(f"{script}:1: DeprecationWarning: accountant.Mechanism moved; import it from accountant.plugin")


@pytest.mark.parametrize("name", [name for name, item in vars(errors).items() if inspect.isclass(item)])
def test_every_error_that_users_can_meet_has_a_name_at_their_door(name: str) -> None:
    if getattr(errors, name).__module__ == errors.__name__:
        assert getattr(accountant, name) is getattr(errors, name)


def test_every_error_of_ours_stands_behind_a_door() -> None:
    public = [getattr(module, name) for module in map(importlib.import_module, STUBS) for name in module.__all__]
    waiting, found = [errors.AccountantError], set[type]()
    while waiting:
        found.add(error := waiting.pop())
        waiting += [kind for kind in error.__subclasses__() if kind.__module__.partition(".")[0] == "accountant"]
    assert WitnessRefused in found
    assert [error for error in found if not any(error is known for known in public)] == []


@pytest.mark.parametrize("name", [name for name in accountant.__all__ if inspect.isfunction(getattr(accountant, name))])
def test_what_the_functions_of_the_users_door_return_has_a_name_there(name: str) -> None:
    told = str(inspect.signature(getattr(accountant, name)).return_annotation)
    words = [node.id for node in ast.walk(ast.parse(told)) if isinstance(node, ast.Name)]
    assert words
    assert set(words) - {"tuple", "str"} <= set(accountant.__all__)


def unnamed(item: object) -> set[str]:
    """The classes of ours that something public returns or has as a field, and that stand behind no door."""
    doors = [importlib.import_module(door) for door in STUBS]
    found = set()
    for module, told in annotations.annotations(item, given=False):
        for word in annotations.words(told):
            kind = annotations.meant(module, word)
            if inspect.isclass(kind) and kind.__module__.partition(".")[0] == "accountant":
                behind = (door for door in doors if kind.__name__ in door.__all__)
                if not any(getattr(door, kind.__name__) is kind for door in behind):
                    found.add(kind.__name__)
    return found


@pytest.mark.parametrize("door", sorted(set(STUBS) - set(TAKEN_APART)))
def test_what_public_names_hand_out_has_a_name_behind_a_door(door: str) -> None:
    module = importlib.import_module(door)
    found = {name: unnamed(getattr(module, name)) for name, _, _ in exported(door)}
    assert {name: hidden for name, hidden in found.items() if hidden} == {}


class Hiding:
    """Hands out what nobody can name, in each way that there is, and takes and keeps to itself what it may."""

    field: Entry
    listed: tuple[Composed, ...]
    _kept: Readings

    def method(self, taken: Source) -> Iterator[Posting]: ...

    @property
    def seen(self) -> Interval | FirstSteps: ...

    @classmethod
    def made(cls) -> dict[str, Share]: ...


def test_what_has_no_name_is_caught() -> None:
    assert unnamed(Hiding) == {"FirstSteps", "Share"}


def test_what_is_raised_and_returned_is_exported_by_name() -> None:
    for name in ("Verification", "CertificateError", "ReadingError", "UnknownName", "Fault"):
        assert name in accountant.__all__
    assert typing.get_type_hints(accountant.default_registry)["return"] is accountant.Registry
