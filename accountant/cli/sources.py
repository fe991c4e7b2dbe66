"""Sources: where a plan is written, which is a file, standard input or the argument itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import frozen
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from accountant.plan.plan import Plan
    from accountant.promise.specification import Specification
    from accountant.registry.registry import Registry
    from accountant.values.source import Written

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

STANDARD_INPUT = "-"
_INSIDE = "standard input"


@frozen
class PlanSource:
    """A plan, or what else is written as one: the name of a file, `-` for standard input, or JSON itself."""

    given: str

    @property
    def path(self) -> Path | None:
        """The file, if it is one."""
        return None if self.given == STANDARD_INPUT or self.given.lstrip().startswith("{") else Path(self.given)

    def __str__(self) -> str:
        if self.path is not None:
            return str(self.path)
        return _INSIDE if self.given == STANDARD_INPUT else "the argument"

    def written(self) -> Written:
        """The text; standard input can be read once."""
        from accountant.values.source import Written, decoded

        if self.path is not None:
            return Written.in_file(self.path)
        if self.given != STANDARD_INPUT:
            return Written.unnamed(self.given, str(self))
        return Written.unnamed(decoded(sys.stdin.buffer, _INSIDE), _INSIDE)

    def plan(self, registry: Registry | None = None, *, may_be_empty: bool = False) -> Plan:
        """The plan."""
        from accountant.plan.reader import load_plan

        return load_plan(self.written(), registry=registry, may_be_empty=may_be_empty)

    def specification(self, registry: Registry) -> tuple[str, Specification]:
        """The title and what is promised."""
        from accountant.plan.reader import load_specification

        return load_specification(self.written(), registry=registry)

    def is_file(self, path: Path) -> bool:
        """Whether this is what stands in a file."""
        return self.path is not None and path.exists() and self.path.exists() and path.samefile(self.path)

    def check_written(self, output: Path | None) -> None:
        """Refuse a file that a plan made of this one cannot be written to."""
        from accountant.errors import AccountantError

        if output is not None and output.suffix.lower() != ".json":
            raise AccountantError(f"cannot write {output}: the plan is written as JSON, so the name must end in .json")
        if output is not None and self.is_file(output):
            raise AccountantError(f"cannot write {output}: it is the plan itself")


class SourceType(click.ParamType):  # type: ignore[type-arg]  # before click 8.2 it takes no argument
    """Arguments that say where a plan is written; names of files are completed."""

    name = "plan"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> PlanSource:
        return value if isinstance(value, PlanSource) else PlanSource(str(value))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="file")]


SOURCE = SourceType()
