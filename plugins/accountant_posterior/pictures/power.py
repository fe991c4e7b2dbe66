"""Level against power: of the plan itself, of Gaussian noise with its rho, and of every mechanism with that rho."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from accountant_posterior.pictures.picture import DrawnLine, Panel, Picture, read
from accountant_posterior.pictures.rivals import AS_CLAIM, AS_NOISE, Rivals, titled
from accountant_posterior.pictures.spoken import spoken_of
from accountant_posterior.reports.view import View

LEVELS = (
    Fraction(0),
    *(Fraction(step, 1000) for step in (1, 2, 3, 5, 7, 10, 13, 16, 20, 25, 30, 35, 40, 45, 50, 55, 60, 70, 80, 90)),
    *(Fraction(step, 100) for step in (*range(10, 20), *range(20, 40, 2), *range(40, 70, 3), *range(70, 101, 5))),
)
_WORDS = ("level", "power")
_MEANS = (
    "A test that rejects with at most the probability on the axis across while one value is true rejects with at most "
    "the probability on the axis up while another is."
)


def panel(view: View) -> Panel:
    """The three curves of one account; only its own where it has no finite rho."""
    account, rivals = view.account, Rivals.of(view.account)
    lines = [DrawnLine("these releases, exactly", account.curve("fdp", "level", places=LEVELS))]
    if rivals is not None:
        gaussian = read(account, "fdp", _WORDS, LEVELS, rivals.reader(rivals.gaussian, "fdp", "level"), "grows")
        worst = read(account, "fdp", _WORDS, LEVELS, rivals.reader(rivals.worst, "fdp", "level"), "grows")
        lines += [DrawnLine(AS_NOISE, gaussian, "comparison"), DrawnLine(AS_CLAIM, worst)]
    title = titled(view.label, rivals)
    return Panel(title, "significance level", "largest power of any test", tuple(lines), shares=True)


def picture(view: View) -> Picture:
    """Level and power for all releases together."""
    title = "How well any test can tell what is at stake"
    return Picture("power", title, (_MEANS, *spoken_of([view])), (panel(view),))


def multiples(views: Sequence[View]) -> Picture:
    """The same for each scenario."""
    title = "How well any test can tell what is at stake, by scenario"
    return Picture("scenarios-power", title, (_MEANS, *spoken_of(views)), tuple(map(panel, views)))
