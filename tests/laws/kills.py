"""Which law kills which planted error: `python -m tests.laws.kills` plants all and prints what each law alone kills.

`--family mechanisms` plants in one family, `--store FILE` keeps what was seen and goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from types import ModuleType

from attrs import frozen

from accountant import AccountantError, Registry
from accountant.plugin.families import FAMILIES
from accountant.registry.discovery import BUILTIN
from accountant.testing import Operator, operators, plant, trials
from accountant.testing.planting import has_place
from tests.laws import honest
from tests.laws.quick import QUICK

PLUGIN = "planted"
_MOST = 2
REFUSED = "refused when registered"


@frozen
class Plant:
    """One error in one item."""

    operator: Operator
    item: str

    def __str__(self) -> str:
        return f"{self.operator.family.word} {self.item}: {self.operator.name}"

    def killed_by(self, first: bool = False) -> list[str]:
        """The laws that complain, or the first of them, which an author reads."""
        try:
            registry = plant(self.operator, self.item, honest.registry())
        except AccountantError:
            return [REFUSED]
        assert registry is not None
        return list(broken(registry, first))


@frozen
class NothingRegistered:
    """A plugin that implements no hook."""

    def __str__(self) -> str:
        return "plugin: nothing registered"

    def killed_by(self) -> list[str]:
        """The laws that complain."""
        return list(broken(honest.registry().adding(ModuleType(PLUGIN))))


def broken(registry: Registry, first: bool = False) -> Iterator[str]:
    """The laws that the planted plugin breaks, each once."""
    found: set[str] = set()
    for trial in trials(PLUGIN, registry=registry, depth=QUICK):
        if trial.law in found:
            continue
        try:
            trial()
        except Exception:
            # Most are counterexamples; an item that is used for what it is not fails in its own words.
            found.add(trial.law)
            yield trial.law
            if first:
                return


@cache
def plants(family: str | None = None) -> tuple[Plant, ...]:
    """Every error in two correct items that has a place for it; in two of ours, where none of these has."""
    chosen = [operator for operator in operators() if family in (None, operator.family.name)]
    return tuple(found for operator in chosen for found in _of(operator))


def _of(operator: Operator) -> list[Plant]:
    known = honest.registry()
    names = list(known[operator.family])
    small = [name for name in names if known.owner(operator.family, name).name.startswith(honest.__name__)]
    ours = [name for name in names if name not in small]
    # Ours that are made of nothing else come first.
    ours.sort(key=lambda name: known.owner(operator.family, name).name == BUILTIN)
    placed = _places(operator, known, small) or _places(operator, known, ours)
    return [Plant(operator, name) for name in placed]


def _places(operator: Operator, known: Registry, names: list[str]) -> list[str]:
    """The first items with a place for an error: others are not looked at."""
    return list(islice((name for name in names if _has_place(operator, known, name)), _MOST))


def _has_place(operator: Operator, known: Registry, name: str) -> bool:
    try:
        return has_place(operator, name, known)
    except AccountantError:
        return True


def laws() -> set[str]:
    """The name of every law that is tried of something."""
    return {trial.law for trial in trials(registry=honest.registry())}


def alone(killed: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """For every law the errors that no other law notices."""
    found: dict[str, list[str]] = {law: [] for law in sorted(laws())}
    for planted, by in killed.items():
        if len(set(by)) == 1:
            found.setdefault(next(iter(by)), []).append(planted)
    return found


def main() -> None:
    """Plant everything and print what kills it, then what each law alone kills."""
    parser = argparse.ArgumentParser(prog="python -m tests.laws.kills", description=__doc__)
    parser.add_argument("--family", choices=[family.name for family in FAMILIES], help="plant in items of one family only")
    parser.add_argument("--store", type=Path, help="a file to which every line is written, and which says what is done")
    options = parser.parse_args()
    killed = _stored(options.store)
    whole = (NothingRegistered(),) if options.family is None else ()
    for each in (*whole, *plants(options.family)):
        if str(each) not in killed:
            killed[str(each)] = each.killed_by()
            print(f"{each}: {', '.join(killed[str(each)]) or 'ESCAPES'}", flush=True)
            if options.store:
                with options.store.open("a") as file:
                    file.write(json.dumps({"planted": str(each), "laws": killed[str(each)]}) + "\n")
    for law, own in alone(killed).items():
        every = sum(law in by for by in killed.values())
        print(f"{law}: kills {every}, alone {len(own)}{f', such as {own[0]}' if own else ''}")


def _stored(store: Path | None) -> dict[str, list[str]]:
    if store is None or not store.exists():
        return {}
    rows = [json.loads(line) for line in store.read_text().splitlines()]
    return {row["planted"]: row["laws"] for row in rows}


if __name__ == "__main__":
    main()
