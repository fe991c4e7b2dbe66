"""Laws of theorems: each says why it holds, and what cites it declares no more than it covers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from importlib import metadata
from pathlib import Path
from typing import Any, get_args

from accountant.promise.divergence import CompositionRule
from accountant.promise.theorem import Adaptivity, Theorem
from accountant.registry.admission import Plugin
from accountant.release.release import Mechanism
from accountant.report.references import keys
from accountant.testing.counterexamples import broken

_OURS = "accountant"
_UNSAID: Adaptivity = "adaptive"
"""What a theorem is taken to cover that does not say how releases may be chosen: not that their budgets are, too."""
_NEARLY = 0.94
"""How alike two keys are of which one is a slip."""
_FILE = re.compile(r"[^\s,;#]+")


def theorem_says_why(theorem: Theorem, plugin: Plugin, core: Plugin, module: str | None) -> None:
    """A theorem that a distribution proves itself names a file that it ships; ours alone are proved in our own pages."""
    if theorem.key == _OURS and plugin.distribution != core.distribution:
        broken(
            f"the theorem '{theorem.name}' must not be said to be proved by '{_OURS}', which does not know it",
            plugin=str(plugin),
            remedy=f'name your own distribution as key, "{plugin.distribution}", and a file of it as locator',
        )
    if theorem.assurance == "published":
        _require_spelt(theorem)
    if theorem.assurance != "proved-here" or theorem.key == _OURS:
        return
    named = _FILE.match(theorem.locator)
    if named is None or named.group() not in {*_shipped(plugin.distribution), *_beside(module)}:
        broken(
            f"the theorem '{theorem.name}' must name a shipped file that proves it",
            locator=theorem.locator,
            remedy=f"ship the proof with {plugin.distribution} and begin the locator with the name of its file, or cite a "
            "publication (assurance 'published'), or say that it is 'claimed'",
        )


def _require_spelt(theorem: Theorem) -> None:
    """A key that nobody knows is one of a stranger; one that is nearly ours was meant to be it.

    Another year, or a further letter at the end, is another publication.
    """
    known = keys()
    near = () if theorem.key in known else get_close_matches(theorem.key, known, 1, _NEARLY)
    if near and not theorem.key.startswith(near[0]) and _year(near[0]) == _year(theorem.key):
        broken(
            f"the theorem '{theorem.name}' must cite what can be found",
            key=theorem.key,
            nearly_the_same=near[0],
            remedy=f"write '{near[0]}' if that is meant, and a key that is less like it otherwise",
        )


def _year(key: str) -> str:
    return "".join(filter(str.isdigit, key))


def _shipped(distribution: str) -> Iterator[str]:
    """The names of the files of an installed distribution; its README is in its metadata."""
    try:
        found = metadata.distribution(distribution)
    except metadata.PackageNotFoundError:
        return
    for path in found.files or ():
        yield from (path.name, str(path))
    if "description" in found.metadata.json:
        yield from ("README.md", "README.rst", "README")


def _beside(module: str | None) -> Iterator[str]:
    """The names of the files beside a module, which are those of a distribution that is being developed."""
    if module is not None:
        yield from (path.name for path in Path(module).parent.iterdir())


def item_stays_within_its_theorem(word: str, name: str, item: Any) -> None:
    """What an item declares about neighbours, adaptivity and exact output is covered by the theorem that it cites."""
    theorem = getattr(item, "theorem", None)
    if not isinstance(theorem, Theorem):
        return
    subject = f"the {word} '{name}' declares more than its theorem '{theorem.name}' covers"
    if isinstance(item, type) and issubclass(item, Mechanism) and theorem.relations is not None:
        further = None if item.relations is None else set(item.relations) - set(theorem.relations)
        if further is None or further:
            broken(
                subject,
                theorem_covers=f"{', '.join(theorem.relations)} neighbours",
                declared="all neighbours" if item.relations is None else f"{', '.join(item.relations)} neighbours",
                look_at="'relations'",
            )
    if isinstance(item, CompositionRule):
        known = get_args(Adaptivity)
        covered = theorem.adaptivity or _UNSAID
        if known.index(item.adaptivity) > known.index(covered):
            said = covered if theorem.adaptivity else f"nothing is said, which is taken for {covered}"
            broken(subject, theorem_covers=said, declared=item.adaptivity, look_at="'adaptivity'")


def exact_output_is_declared(mechanism: Mechanism) -> None:
    """Where the theorem says that the output shows something exactly, the mechanism says what it publishes."""
    if mechanism.theorem.exactly and not mechanism.publishes():
        broken(
            f"'{mechanism.kind}' must declare what its output shows exactly",
            theorem=mechanism.theorem.name,
            shown_exactly=", ".join(mechanism.theorem.exactly),
            look_at="'publishes', which names nothing",
        )
