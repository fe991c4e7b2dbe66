"""The report `explorer`: what is supposed, what is said wherever the controls stand, and the plan as it is in a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from accountant import Interval
from accountant.report import (
    Chart,
    Choice,
    Document,
    Explorer,
    Paragraph,
    Section,
    Sentence,
    Table,
    checking,
    imprint,
    say,
    standing,
)
from accountant_posterior.explorer.axes import DIALS, supposed
from accountant_posterior.explorer.grids import all_grids
from accountant_posterior.explorer.nodes import nodes_of, supposing
from accountant_posterior.explorer.wishes import wish
from accountant_posterior.reports.hand import PRECISE
from accountant_posterior.reports.shared import small_print, verdict_callouts, verdict_word
from accountant_posterior.reports.view import Target, View, views
from accountant_posterior.semantics.adversary import STRONG
from accountant_posterior.semantics.semantics import looks_elsewhere

if TYPE_CHECKING:
    from accountant import Account, Certificate, Guarantee

_TENTH, _TWENTIETH = Fraction(1, 10), Fraction(1, 20)
_SETTLED = (
    "What is published exactly gives the answer about {topic} to whoever knows all other records, so no number limits this."
)
_SURE = ("{failure}", "{failure}, in that model")
_BETWEEN = (
    "Every number here was enclosed when this page was written, at the nodes of a grid; between two nodes the page shows "
    "the outer ends of both, which hold there, since each value grows or falls along its control. The page itself computes "
    "nothing about privacy."
)


def build(certificate: Certificate, account: Account) -> Document:
    """The document."""
    seen = views(account)
    return Document(
        account.plan.title,
        (
            *verdict_callouts(certificate, account),
            Section("Move what is supposed", (explorer(account, seen),)),
            Section(
                "What these numbers rest on",
                tuple(Paragraph(_plainly(text)) for text in _rests_on(seen)),
            ),
            standing(certificate),
            checking(certificate, account.plan),
        ),
        f"Explore what could be learned about {Target(account.plan.specification.neighbours).introduced}",
        small_print(certificate, account, say("public.more")),
        imprint(account.plan),
    )


def explorer(account: Account, seen: tuple[View, ...]) -> Explorer:
    """Everything that can be moved, and what it leads to."""
    times, noises, records = supposed(seen)
    nodes = []
    for view, count, noise in product(seen, times, noises):
        whole = supposing(view, count, noise)
        nodes += [nodes_of(whole, dependence) for dependence in records]
    return Explorer(
        "Explorer",
        _BETWEEN,
        _choices(seen, times, noises, records),
        DIALS,
        all_grids(nodes),
        tuple(_sentences(account, seen, times, noises, records)),
        (
            Chart("Beliefs before and after", "prior", "belief", "believed beforehand", "believed afterwards"),
            Chart("What the best test can tell", "level", "power", "false alarms (level)", "found out (power)"),
        ),
        wish(),
        _table(seen),
    )


def _rests_on(seen: Sequence[View]) -> list[str]:
    """Between which datasets numbers hold, and what is left out."""
    between = [f"{view.label}: between {view.comparison.between}." for view in seen]
    conditions = dict.fromkeys(sentence for view in seen for sentence in view.comparison.conditions)
    guarantee = (
        "All sentences above are guarantees against every attacker of the kind that they name, not the result of a "
        "simulated attack."
    )
    return [guarantee, " ".join(between), *([" ".join(conditions)] if conditions else [])]


def _choices(
    seen: Sequence[View], times: Sequence[int], noises: Sequence[Fraction], records: Sequence[int]
) -> tuple[Choice, ...]:
    labels = tuple(_plainly(view.label) for view in seen)
    again = tuple("once, as planned" if count == 1 else f"{count} times" for count in times)
    amounts = {Fraction(1, 2): "half the noise", Fraction(1): "as planned", Fraction(2): "twice the noise"}
    together = tuple("only the target's" if count == 1 else f"{count} records together" for count in records)
    return (
        Choice("scenario", "What is at stake (scenario)", labels, tuple(_plainly(view.topic) for view in seen)),
        Choice(
            "releases",
            "How often everything is released",
            again,
            tuple("once" if count == 1 else f"{count} times with fresh noise" for count in times),
            hint="From the same data, with fresh noise each time.",
        ),
        Choice(
            "noise",
            "Budget: how much noise",
            tuple(amounts[noise] for noise in noises),
            tuple("" if noise == 1 else f", with {amounts[noise]}" for noise in noises),
            start=noises.index(Fraction(1)),
            hint="Less noise spends more of the budget.",
        ),
        Choice(
            "dependence",
            "Which records change with the answer (dependence)",
            together,
            together,
            hint="An attacker may believe that several records go together, such as those of people who live together.",
        ),
    )


def _sentences(
    account: Account, seen: Sequence[View], times: Sequence[int], noises: Sequence[Fraction], records: Sequence[int]
) -> list[Sentence]:
    over = ("scenario", "dependence")
    cases = [(view, count) for view in seen for count in records]
    start = "Released {releases}{noise}:"

    def each(said: str) -> tuple[str, ...]:
        return tuple(
            _SETTLED.replace("{topic}", _plainly(view.topic))
            if view.settled
            else said.replace("{who}", _who(view, count)).replace("{failure}", _SURE[count > 1])
            for view, count in cases
        )

    return [
        Sentence(
            "belief",
            "Beliefs",
            over,
            each(
                f"{start} an attacker {{who}}, who gives an answer about {{scenario}} {{prior}} beforehand, gives it "
                "between {belief.low} and {belief.high} afterwards, {failure}."
            ),
            "belief",
            each(
                f"{start} nothing here limits how sure an attacker {{who}} may become of an answer about {{scenario}}, "
                "{failure}."
            ),
        ),
        Sentence(
            "guess",
            "Guesses",
            over,
            each(
                f"{start} of an even question about {{scenario}}, the best guess of an attacker {{who}} is right in at "
                "most {guess.high} of all cases, where a coin is right in 50%. That limit is known to lie between "
                "{guess.low} and {guess.high}."
            ),
            "guess",
            each(f"{start} nothing here keeps an attacker {{who}} from guessing right about {{scenario}} every time."),
        ),
        Sentence(
            "power",
            "Tests",
            over,
            each(
                f"{start} a test about {{scenario}} by an attacker {{who}} that raises false alarms in {{level}} of all "
                "cases finds out in at most {power.high}. That limit is known to lie between {power.low} and {power.high}."
            ),
            "power",
            each(
                f"{start} nothing here keeps a test about {{scenario}} by an attacker {{who}} from finding out every time."
            ),
        ),
        Sentence(
            "epsilon",
            "Epsilon and delta",
            over,
            each(
                f"{start} approximate differential privacy holds with an epsilon of {{epsilon.high}} at a delta of "
                "{failure.value}, between the datasets of this scenario, as many records apart as are supposed to change. "
                "The least such epsilon is known to lie between {epsilon.low} and {epsilon.high}."
            ),
            "epsilon",
            each(f"{start} no epsilon is known to hold at a delta of {{failure.value}} in this scenario."),
        ),
        *_budgets(account, seen[0], times, noises),
    ]


def _who(view: View, dependence: int) -> str:
    return _plainly(STRONG.described(view.comparison, dependence, looks_elsewhere(view.account)))


def _budgets(account: Account, whole: View, times: Sequence[int], noises: Sequence[Fraction]) -> list[Sentence]:
    """What becomes of the plan's own limits."""
    if not account.plan.specification.budgets:
        return []
    texts = []
    for count, noise in product(times, noises):
        spent = supposing(whole, count, noise).account
        checked = [spent.check(budget) for budget in account.plan.specification.budgets]
        said = (
            f"{guarantee.name}{guarantee.at_words}{_whom(guarantee)} is {_spent(guarantee.value)}, {verdict_word(verdict)}"
            for guarantee, verdict in checked
        )
        texts.append(f"Released {{releases}}{{noise}}: {_plainly('; '.join(said))}.")
    return [Sentence("budget", "Budgets of the plan", ("releases", "noise"), tuple(texts))]


def _whom(guarantee: Guarantee) -> str:
    return "" if guarantee.cohort is None else f" for {guarantee.cohort}"


def _spent(value: Interval) -> str:
    return "not limited" if value.upper == math.inf else f"at most {value.rounded(5)[1]}"


def _table(seen: Sequence[View]) -> Table:
    """As planned: the same values for those who do not move anything, each a statement of its own."""
    stated = [
        (PRECISE.guess(view), PRECISE.power(view, _TWENTIETH), PRECISE.band(view, _TENTH, _TWENTIETH)) for view in seen
    ]
    rows = tuple((view.label, *(cell.text for cell in cells)) for view, cells in zip(seen, stated, strict=True))
    columns = (
        "At stake",
        "Right guesses, at most",
        "Power at a level of 5%, at most",
        "Belief from 10%, but for 5% of cases",
    )
    return Table("As planned", columns, rows, tuple(cell for cells in stated for cell in cells))


def _plainly(text: str) -> str:
    """Words of a plan, in which nothing acts as a slot."""
    return text.replace("{", "(").replace("}", ")")
