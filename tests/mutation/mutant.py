"""Mutants: one change of one file, with a name that outlives changes elsewhere."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from attrs import asdict, evolve, frozen

from tests.mutation.operators import OPERATORS, Site
from tests.mutation.places import ROOT, Place, sources, statements


@frozen(order=True)
class Name:
    """What a mutant is called: where it stands and what is changed, without line numbers.

    `nth` counts from 1 among mutants of one function that change the same text in the same way.
    """

    file: str
    function: str
    operator: str
    before: str
    after: str
    nth: int = 1

    @property
    def plain(self) -> dict[str, str | int]:
        """The name as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        again = f" ({self.nth})" if self.nth > 1 else ""
        return f"{self.file}, {self.function or 'module'}, {self.operator}: {self.before} => {self.after}{again}"


@frozen
class Mutant:
    """A name, the bytes of the file that are replaced, and the statement that they belong to."""

    name: Name
    start: int
    end: int
    place: Place

    @property
    def idle(self) -> Mutant:
        """A mutant of the same text that changes nothing: whoever kills it is killed by the planting."""
        return evolve(self, name=evolve(self.name, operator="idle", after=f"unchanged({self.name.before})"))

    def applied(self, source: str) -> str:
        """The text of the file with this one change."""
        raw = source.encode()
        if " ".join(raw[self.start : self.end].decode(errors="replace").split()) != self.name.before:
            raise ValueError(f"{self.name.file} has changed since its mutants were found")
        return (raw[: self.start] + self.name.after.encode() + raw[self.end :]).decode()


def mutants_of(file: str, source: str) -> list[Mutant]:
    """All mutants of one file."""
    raw = source.encode()
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def text(node: ast.AST) -> str:
        start, end = span(node)
        return " ".join(raw[start:end].decode().split())

    places = {line: place for lines, place in statements(source) for line in lines}
    seen: Counter[tuple[str, ...]] = Counter()
    found = []
    for site in _sites(ast.parse(source), text):
        for kind, operator in OPERATORS.items():
            for node, after in operator(site):
                place = places[node.lineno]
                key = (place[0], kind, text(node), after)
                seen[key] += 1
                found.append(Mutant(Name(file, *key, nth=seen[key]), *span(node), place))
    return found


def all_mutants(only: Sequence[str] = ("",)) -> dict[Name, Mutant]:
    """The mutants of all files whose path holds one of some texts, by name."""
    files = [str(path.relative_to(ROOT)) for path in sources()]
    chosen = [file for file in files if any(text in file for text in only)]
    return {mutant.name: mutant for file in chosen for mutant in mutants_of(file, (ROOT / file).read_text())}


_SKIPPED = (ast.Raise, ast.JoinedStr, ast.Assert)
_SPOKEN = ("__repr__", "__str__")


def _sites(tree: ast.AST, text: object, around: tuple[ast.AST, ...] = ()) -> Iterator[Site]:
    """Everything that computes: no messages, no types, no docstrings, no decorators."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params", "metadata"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or isinstance(node, _SKIPPED) or getattr(node, "name", "") in _SPOKEN:
                continue
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue
            yield Site(node, (tree, *around), text)  # type: ignore[arg-type]
            yield from _sites(node, text, (tree, *around))
