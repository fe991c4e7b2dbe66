"""Specifications side by side, and which implies which."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from attrs import frozen

from accountant.cli.output import say, say_json, visible, width, working, wrapped, write_whole
from accountant.cli.sources import STANDARD_INPUT, PlanSource
from accountant.cli.verdicts import painted, say_status, tone_of
from accountant.progress import steps
from accountant.values.hygiene import harmless

if TYPE_CHECKING:
    from accountant.analysis.common import CommonGround
    from accountant.analysis.implication import Implication
    from accountant.promise.specification import Specification
    from accountant.registry.registry import Registry
    from accountant.report.document import Document
    from accountant.report.interface import Renderer

Found: TypeAlias = "tuple[str, str, Implication]"
"""Two promises by name, and whether the first implies the second."""

_SIZE = re.compile(r"(?P<most>[1-9][0-9]*) (?P<small>.+) per (?P<large>.+)")


@frozen
class Page:
    """Where a page about promises is written, and how."""

    renderer: Renderer
    output: Path

    @classmethod
    def of(cls, form: str | None, output: Path | None, registry: Registry) -> Page | None:
        """The page that is asked for, if one is: HTML where only a file is named, printed where only a form is."""
        if form is None and output is None:
            return None
        from accountant.report.interface import RENDERERS
        from accountant.values.reading import Reader

        reader = Reader()
        usual = next(name for name, item in registry[RENDERERS].items() if item.usual)
        renderer = reader.attempt("--format", registry.find, RENDERERS, form or usual)
        if renderer is None:
            from accountant.errors import PlanError

            raise PlanError(tuple(reader.faults))
        return cls(renderer, output or Path("-"))

    def write(self, document: Document) -> None:
        """Write it, or print it."""
        content = harmless(self.renderer.render(document))
        if self.output == Path("-"):
            click.echo(content.encode(), nl=False)
        else:
            write_whole(self.output, content)


def compare_files(
    files: tuple[PlanSource, ...], sizes: tuple[str, ...], registry: Registry, *, as_json: bool, page: Page | None = None
) -> bool:
    """Print all promises side by side and what follows from what; of two, whether the first implies the second.

    Where a page is asked for, that is written instead.
    """
    from accountant.analysis.implication import implies

    members = dict(_size(size) for size in sizes)
    promises = _loaded(files, registry, sized=bool(sizes))
    with working("comparing"):
        found = [
            (first, second, implies(left, right, members=members, registry=registry))
            for (first, left), (second, right) in steps(list(itertools.permutations(promises, 2)))
        ]
    ground = _ground(promises, found, registry)
    answered = len(files) > 2 or found[0][2].verdict.value == "implied"
    if page is not None:
        from accountant.report import comparison

        page.write(comparison(dict(promises), {(first, second): item for first, second, item in found}, ground))
        if page.output != Path("-"):
            say_json({"page": str(page.output)}) if as_json else say(f"Page: {visible(str(page.output))}")
    elif as_json:
        compared = [{"first": first, "second": second, **_data(item)} for first, second, item in found]
        say_json(
            {
                "comparisons": compared,
                "common": [{"first": a, "second": b, "words": said} for (a, b), said in _worded(ground)],
            }
        )
    else:
        _print(promises, found, _worded(ground), answered)
    return answered


def _loaded(files: tuple[PlanSource, ...], registry: Registry, *, sized: bool) -> list[tuple[str, Specification]]:
    """The promises of all files under names of their own; `sized` says that how many units hold is said beside them."""
    from accountant.errors import Fault, PlanError

    if len(files) < 2:
        raise PlanError((Fault("expected at least two files, got one", "compare"),))
    if sum(file.given == STANDARD_INPUT for file in files) > 1:
        raise PlanError((Fault("standard input can be read once only", "compare"),))
    faults: list[Fault] = []
    loaded: list[tuple[str, Specification]] = []
    for file in files:
        try:
            loaded.append(file.specification(registry))
        except PlanError as error:
            faults.extend(error.faults)
    if sized and any(promised.neighbours.entities for _, promised in loaded):
        faults.append(Fault("the files declare entities themselves; say 'at_most' there", "--at-most"))
    if faults:
        raise PlanError(tuple(faults))
    names = _names([title for title, _ in loaded], files)
    return [(name, promised) for name, (_, promised) in zip(names, loaded, strict=True)]


def _ground(
    promises: Sequence[tuple[str, Specification]], found: Sequence[Found], registry: Registry
) -> dict[tuple[str, str], CommonGround | str]:
    """What any two promises of which neither implies the other say of the same datasets, or why that is not known."""
    from accountant.analysis.common import common_ground

    ranked = {frozenset((first, second)) for first, second, item in found if item.verdict.value == "implied"}
    return {
        (first, second): common_ground(left, right, registry=registry)
        for (first, left), (second, right) in itertools.combinations(promises, 2)
        if frozenset((first, second)) not in ranked and left.budgets and right.budgets
    }


def _worded(ground: Mapping[tuple[str, str], CommonGround | str]) -> list[tuple[tuple[str, str], list[str]]]:
    """Common ground in sentences."""
    return [
        (names, [f"{common}."] if isinstance(common, str) else list(common.words(names)))
        for names, common in ground.items()
    ]


def _print(
    promises: Sequence[tuple[str, Specification]],
    found: Sequence[Found],
    ground: Sequence[tuple[tuple[str, str], list[str]]],
    answered: bool,
) -> None:
    """Which implies which, why the exit status is not 0, common ground, and all promises side by side."""
    if not answered:
        first, second, item = found[0]
        say_status(f"that {first} implies {second} is {item.verdict.value}")
    for first, second, item in found:
        _explain(first, second, item)
    if not any(item.verdict.value == "implied" for _, _, item in found):
        say("None is shown to imply another: their numbers cannot be ranked.")
    for (first, second), words in ground:
        say(f"Common ground of {visible(first)} and {visible(second)}")
        for line in words:
            say(wrapped(visible(line), 4, 2))
    _table(promises)


def _names(titles: list[str], files: Sequence[PlanSource]) -> list[str]:
    """What to call each promise: by its title, or by its file where several have one title."""
    return [title if titles.count(title) == 1 else str(file) for title, file in zip(titles, files, strict=True)]


def _size(text: str) -> tuple[tuple[str, str], int]:
    from accountant.errors import Fault, PlanError

    found = _SIZE.fullmatch(text)
    if found is None:
        raise PlanError((Fault(f"expected a text such as '10 person per household', got {text!r}", "--at-most"),))
    return (found["large"], found["small"]), int(found["most"])


def _table(promises: Sequence[tuple[str, Specification]]) -> None:
    from accountant.report import Table
    from accountant.report.render.text import render_blocks

    rows = zip(("domain", "scope", "unit", "standard", "intensity"), *(_blocks(item) for _, item in promises), strict=True)
    names = [name for name, _ in promises]
    table = Table("The five blocks of each promise", ("", *names), tuple(rows))
    say(render_blocks((table,), width()).rstrip("\n"))


def _blocks(specification: Specification) -> tuple[str, str, str, str, str]:
    """The five blocks of a specification in words."""
    neighbours = specification.neighbours
    fixed = "; ".join(invariant.name for invariant in specification.invariants)
    unit = f"one {neighbours.unit}, {neighbours.relation.name}"
    if neighbours.group > 1:
        unit = f"up to {neighbours.group} of unit {neighbours.unit}, {neighbours.relation.name}"
    if neighbours.attributes is not None:
        unit += f", in {', '.join(sorted(neighbours.attributes))}"
    return (
        specification.domain.described,
        f"datasets that agree on: {fixed}" if fixed else "everywhere: nothing is published exactly",
        unit,
        "; ".join(budget.divergence.title for budget in specification.budgets),
        "; ".join(budget.how_much for budget in specification.budgets),
    )


def _explain(first: str, second: str, found: Implication) -> None:
    say(f"{visible(first)} implies {visible(second)}: {painted(found.verdict.value, tone_of(found.verdict))}")
    for reason in found.reasons:
        if reason.verdict is found.verdict:
            say(wrapped(f"{reason.block}: {visible(reason.words)}", 4, 2))


def _data(found: Implication) -> dict[str, Any]:
    return {
        "verdict": found.verdict.value,
        "reasons": [
            {"block": reason.block, "verdict": reason.verdict.value, "words": reason.words} for reason in found.reasons
        ],
    }
