"""`accountant explain`: the derivation of a value as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant.cli.output import console, say, say_json, visible, wrapped
from accountant.cli.reading import Inquiry, asks

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

    from accountant.promise.guarantee import Step

_ASSURANCE = {"proved-here": "proved here", "published": "published", "claimed": "claimed"}


@asks("explain", "Show why a value holds, step by step.")
def command(asked: Inquiry) -> None:
    """Show why a value holds: every step, its theorem, where to find it, and what it assumes.

    Each step stands above the steps it rests on. Steps that someone only vouches for are marked CLAIMED.

    \b
    Examples:
      accountant explain survey.toml --as approx --delta 1e-6
      accountant explain survey.toml --as zcdp --json
    """
    guarantee = asked.answer()
    if asked.as_json:
        from accountant.certificate.data import write
        from accountant.certificate.findings import derivation

        say_json({**asked.data(guarantee), "derivation": write(derivation(guarantee.derivation))})
        return
    say(asked.found(guarantee))
    say(wrapped(f"{visible(asked.plan.title)}: {asked.definition.title}"))
    compared, steps = asked.plan.comparison, guarantee.derivation
    claimed = sum(step.theorem.assurance == "claimed" for step in steps)
    if claimed:
        verb = "is" if claimed == 1 else "are"
        say(wrapped(f"{claimed} of {len(steps)} steps {verb} claimed, not proved: the value is only as good as that."))
    say(wrapped(" ".join((f"Between {compared.between}.", *compared.conditions))))
    console().print(_tree(steps))


def _tree(steps: tuple[Step, ...]) -> Tree:
    """The last step at the root; a step that was shown before is only referred to."""
    from rich.tree import Tree

    shown: set[int] = set()

    def grow(number: int, parent: Tree | None) -> Tree:
        step = steps[number - 1]
        label = _label(number, step, again=number in shown)
        branch = Tree(label) if parent is None else parent.add(label)
        if number not in shown:
            shown.add(number)
            for use in step.uses:
                grow(use, branch)
        return branch

    return grow(len(steps), None)


def _label(number: int, step: Step, *, again: bool) -> Text:
    from rich.text import Text

    label = Text(visible(f"{number}. {step.statement}"))
    if again:
        return label.append(" (shown above)", style="dim")
    if step.value is not None:
        label.append(f": {step.value}", style="bold")
    theorem = step.theorem
    label.append("\n")
    if theorem.assurance == "claimed":
        label.append("CLAIMED ", style="bold red")
    source = visible(f"by {theorem.name} ({theorem.key}, {theorem.locator})")
    label.append(f"{source}, {_ASSURANCE[theorem.assurance]}", style="dim")
    if theorem.assumptions:
        label.append(f"\nassuming {'; '.join(theorem.assumptions)}", style="dim")
    return label
