"""A plugin that leaves, hides or changes what is not its own is refused by name."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest

import accountant_noise
from accountant import PluginError, Registry
from accountant.accounting import entry
from accountant.numbers.interval import Interval
from accountant.plugin import MECHANISMS
from accountant.promise.divergence import Divergence
from accountant.registry import guard
from tests.registry.installing import PLUGIN, installed

Refusal = Callable[..., str]
NAME = "hostile"


@pytest.fixture
def refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Refusal]:
    monkeypatch.syspath_prepend(tmp_path)

    def ask(body: str, value: str | None = None) -> str:
        installed(tmp_path, NAME, {f"{NAME}/__init__.py": PLUGIN.format(name=NAME) + body}, value)
        with pytest.raises(PluginError) as refused:
            Registry.load()
        return str(refused.value)

    yield ask
    for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[name]


@pytest.mark.parametrize(
    "leaving",
    ["import sys; sys.exit(0)", "raise SystemExit", "raise GeneratorExit", "class Odd(BaseException): 'x'\nraise Odd"],
)
def test_a_plugin_that_leaves_while_it_is_loaded_is_refused(refusal: Refusal, leaving: str) -> None:
    assert refusal(leaving).startswith("plugin 'hostile' of hostile 1.0 could not be loaded: ")


def test_a_plugin_that_leaves_in_a_hook_is_refused(refusal: Refusal) -> None:
    body = "@hookimpl\ndef accountant_theorems():\n    raise SystemExit(0)\n"
    assert refusal(body) == "plugin 'hostile' of hostile 1.0 raised in accountant_theorems: SystemExit: 0"


@pytest.mark.parametrize("value", [f"{NAME}:Silent", f"{NAME}:hookimpl.project_name"])
def test_an_entry_point_that_is_no_module_is_refused(refusal: Refusal, value: str) -> None:
    """It could carry the name and the file of another plugin, and show that one's digest."""
    assert refusal("", value) == (
        f"plugin 'hostile' of hostile 1.0 names '{value}'; an entry point must name a module, and no object in it"
    )


@pytest.mark.parametrize(
    ("patch", "place"),
    [
        ("import accountant_noise\naccountant_noise.Gaussian.loss = lambda self, shift: NO_LOSS", "accountant_noise"),
        (
            "from accountant.promise.divergence import Divergence\nDivergence.measure = None",
            "accountant.promise.divergence",
        ),
        ("import math\nmath.exp = lambda x: 1.0", "math.exp"),
        ("from fractions import Fraction\nFraction.__add__ = lambda a, b: a", "fractions.Fraction.__add__"),
        (
            "from accountant.accounting.entry import Entry\ndef less(self): return NO_LOSS\n"
            "Entry.__dict__['between'].__code__ = less.__code__",
            "accountant.accounting.entry.Entry.between",
        ),
        (
            "from accountant.accounting import entry\nentry.entries_of = lambda *_: ()",
            "accountant.accounting.entry.entries_of",
        ),
        ("from accountant.numbers.interval import Interval\nInterval.upper = property(lambda self: 0.0)", "Interval.upper"),
        ("from accountant.numbers.interval import Interval\nInterval.__bool__ = lambda self: False", "Interval.__bool__"),
    ],
)
def test_a_plugin_that_changes_what_is_not_its_own_is_refused(
    refusal: Refusal, monkeypatch: pytest.MonkeyPatch, patch: str, place: str
) -> None:
    monkeypatch.setattr(guard, "_SPOILT", [])
    with undone():
        told = refusal(patch)
    with pytest.raises(PluginError, match="start again without it"):
        Registry.load(disabled=[NAME])
    assert told.startswith("plugin 'hostile' of hostile 1.0 changes ")
    assert place in told
    assert told.endswith("which is not its own; plugins may add answers, not change others'")


def test_a_plugin_that_changes_a_module_which_nobody_loaded_before_is_refused(
    refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("accountant.analysis.auditing")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("accountant.analysis.auditing", raising=False)
    monkeypatch.setattr(guard, "_SPOILT", [])
    told = refusal("from accountant.analysis.auditing import binomial\nbinomial.sneaked = lambda: 1\n")
    assert "changes accountant.analysis.auditing.binomial.sneaked" in told


def test_a_plugin_that_changes_its_own_is_admitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    installed(
        tmp_path,
        "honest",
        {"honest/__init__.py": PLUGIN.format(name="honest") + "Silent.loss = lambda self, shift: NO_LOSS\n"},
    )
    assert "honest" in Registry.load()[MECHANISMS]
    del sys.modules["honest"]


@contextmanager
def undone() -> Iterator[None]:
    """What a patch changes is put back."""
    owners = (accountant_noise.Gaussian, Divergence, math, Fraction, entry, Interval)
    kept, code = [(owner, dict(vars(owner))) for owner in owners], entry.Entry.between.__code__
    yield
    entry.Entry.between.__code__ = code
    for owner, names in kept:
        for name in {"__bool__"} & (set(vars(owner)) - set(names)):
            delattr(owner, name)
        for name, value in names.items():
            if vars(owner)[name] is not value:
                setattr(owner, name, value)
