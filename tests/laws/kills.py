"""Which law kills which planted error: `python -m tests.laws.kills` plants all and prints the table."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice

from attrs import frozen

from accountant import AccountantError, Registry
from accountant.registry.discovery import BUILTIN
from accountant.testing import Operator, operators, plant, trials
from tests.laws import honest

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


def broken(registry: Registry, first: bool = False) -> Iterator[str]:
    """The laws that the planted plugin breaks, each once."""
    found: set[str] = set()
    for trial in trials(PLUGIN, registry=registry):
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
def plants() -> tuple[Plant, ...]:
    """Every error in two correct items that has a place for it; in two of ours, where none of these has."""
    return tuple(found for operator in operators() for found in _of(operator))


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
        return operator(known.find(operator.family, name)) is not None
    except AccountantError:
        return True


def main() -> None:
    """Plant everything and print what kills it, then what each law alone kills."""
    alone: dict[str, list[str]] = {}
    everything: dict[str, int] = {}
    for each in plants():
        laws = each.killed_by()
        print(f"{each}: {', '.join(laws) or 'ESCAPES'}", flush=True)
        for law in laws:
            everything[law] = everything.get(law, 0) + 1
        if len(laws) == 1:
            alone.setdefault(laws[0], []).append(str(each))
    for law, count in sorted(everything.items()):
        print(f"{law}: kills {count}, alone {len(alone.get(law, ()))}")


if __name__ == "__main__":
    main()
