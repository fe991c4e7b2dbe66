"""Posterior to posterior: how often a belief exceeds that in a world where the record was redrawn, and by what factor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

from attrs import evolve

from accountant import Interval
from accountant_posterior.pictures.failure import epsilons
from accountant_posterior.pictures.picture import DrawnLine, Panel, Picture, read
from accountant_posterior.pictures.rivals import AS_CLAIM, AS_NOISE, Rivals, titled
from accountant_posterior.pictures.spoken import spoken_of
from accountant_posterior.reports.view import View
from accountant_posterior.semantics.counterfactual import SETTINGS, Counterfactual
from accountant_posterior.semantics.probabilistic import concentrated_chance

_WORDS = ("epsilon", "chance")
_THEOREMS = {"average": "7.3", "record": "7.4", "any-prior": "7.5"}
_TITLES = {
    "average": "Others known, the record drawn",
    "record": "Others known, the record given",
    "any-prior": "Any prior, the record given",
}
_UP = "chance of a larger factor"
_MEANS = (
    "The chance that the belief in the value of a record exceeds e^epsilon times the belief had the record been redrawn "
    "from what the attacker expects of it given everyone else. Theorems are those of Kifer et al. (2022); each has "
    "assumptions of its own."
)
_WRONG = "A prior that is badly wrong breaks every bound that is left to chance; what holds always does not depend on it."


def panel(view: View, setting: str) -> Panel:
    """One theorem: these releases, Gaussian noise, and what rho alone says."""
    worlds = Counterfactual(view.account)
    apart = worlds.between_values
    places = epsilons(view.account if apart is None else apart)

    def own(place: Fraction) -> Interval:
        return worlds.chance(place, setting).chance

    lines = [DrawnLine("these releases", read(view.account, "posteriors", _WORDS, places, own, "falls"))]
    rivals = None if apart is None else Rivals.of(apart)
    if rivals is not None:
        if not (averaged := SETTINGS[setting].averaged):
            noise = rivals.reader(rivals.gaussian, "pbdp", "epsilon")
            gaussian = read(view.account, "posteriors", _WORDS, places, noise, "falls")
            lines.append(DrawnLine(AS_NOISE, gaussian, "comparison"))
        by_rho = partial(concentrated_chance, rivals.rho, averaged=averaged)
        lines.append(DrawnLine(AS_CLAIM, read(view.account, "posteriors", _WORDS, places, by_rho, "falls")))
    title = f"{_TITLES[setting]} (Theorem {_THEOREMS[setting]})"
    return Panel(titled(title, rivals), "epsilon", _UP, tuple(lines))


def always(view: View) -> str:
    """Theorem 7.1: what holds for every prior and every output."""
    found = Counterfactual(view.account).ratio()
    if math.isinf(found.upper):
        return "No factor holds always (Theorem 7.1): these releases have no finite epsilon of pure differential privacy."
    return f"Always (Theorem 7.1): {found.statement}"


def _assumed() -> Iterator[str]:
    """What each theorem needs."""
    for name, setting in SETTINGS.items():
        yield f"Theorem {_THEOREMS[name]}: {setting.words}."


def picture(view: View) -> Picture:
    """The three settings side by side."""
    says = (_MEANS, *_assumed(), _WRONG, always(view), *spoken_of([view]))
    panels = tuple(panel(view, setting) for setting in SETTINGS)
    return Picture("posteriors", "What is learned because one record was used", says, panels)


def multiples(views: Sequence[View]) -> Picture:
    """All theorems for each scenario."""
    says = (_MEANS, *_assumed(), _WRONG, *spoken_of(views))
    title = "What is learned because one record was used, by scenario"
    return Picture("scenarios-posteriors", title, says, tuple(map(_joint, views)))


def _joint(view: View) -> Panel:
    """The lines of all theorems over the same axes, those of Theorem 7.5 by rho alone: its own are those of 7.4."""
    average, record, any_prior = (panel(view, setting) for setting in SETTINGS)
    own = [
        DrawnLine("7.3, these releases", average.lines[0].curve),
        DrawnLine("7.4 and 7.5, these releases", record.lines[0].curve),
    ]
    picked = (("7.3", average.lines[1:]), ("7.4", record.lines[1:2]), ("7.5", any_prior.lines[2:]))
    rest = [evolve(line, label=f"{theorem}, {line.label}") for theorem, lines in picked for line in lines]
    rho = record.title.partition(": ")[2]
    return Panel(f"{view.label}: {rho}" if rho else view.label, "epsilon", _UP, (*own, *rest))
