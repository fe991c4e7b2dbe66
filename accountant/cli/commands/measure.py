"""`accountant measure`: one value of one definition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accountant.cli.failure import ExitStatus
from accountant.cli.output import say, say_json, say_under
from accountant.cli.reading import Inquiry, asks

if TYPE_CHECKING:
    from accountant.promise.guarantee import Guarantee


@asks("measure", "Read a plan through one definition.")
def command(asked: Inquiry) -> int:
    """Read all releases of PLAN together through one definition.

    The truth lies between the two numbers printed, which are rounded outward; the upper one holds.

    \b
    Exit status:
      0  measured
      1  vacuous: no two datasets are compared, so nothing is promised
      2  bad input

    \b
    Examples:
      accountant measure survey.toml --as approx --delta 1e-6
      accountant measure survey.toml --as approx --epsilon 4 --json
      accountant measure survey.toml --as approx --delta 1e-6 --precision 1e-8
      accountant measure survey.toml --as zcdp
    """
    guarantee = asked.answer()
    if asked.as_json:
        say_json(_data(asked, guarantee))
    else:
        _print(asked, guarantee)
    return ExitStatus.EXCEEDED if asked.vacuous else ExitStatus.KEPT


def _data(asked: Inquiry, guarantee: Guarantee) -> dict[str, Any]:
    from accountant.certificate.data import write
    from accountant.certificate.findings import derivation

    return {
        **asked.data(guarantee),
        "meaning": asked.definition.means(asked.plan.comparison),
        "conditions": _conditions(asked),
        "derivation": write(derivation(guarantee.derivation)),
        **({} if guarantee.remark is None else {"remark": guarantee.remark}),
    }


def _conditions(asked: Inquiry) -> list[str]:
    """What a reader could otherwise take to be promised; first of all, that no two datasets are compared."""
    promised = asked.plan.specification
    said, least = list(asked.plan.comparison.conditions), promised.universe.closest.least
    if least is None:
        said.insert(0, "VACUOUS: no two such datasets exist, at any distance, so nothing is promised.")
    elif least > promised.neighbours.group:
        said.insert(0, f"No two such datasets exist: all that agree on what is exact differ in at least {least} units.")
    return said


def _print(asked: Inquiry, guarantee: Guarantee) -> None:
    compared = asked.plan.comparison
    say(asked.found(guarantee))
    if asked.vacuous:
        from accountant.cli.verdicts import say_status

        say_status("the value is vacuous: no two datasets are compared, so that nothing is promised")
    told = [
        ("definition", asked.definition.title),
        ("between", compared.between),
        ("known", guarantee.known),
        ("meaning", asked.definition.means(compared)),
        *(("note", condition) for condition in _conditions(asked)),
        *(() if guarantee.remark is None else (("width", guarantee.remark),)),
    ]
    for label, text in told:
        say_under(label, text, wide=12)
