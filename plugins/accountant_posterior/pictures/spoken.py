"""What a picture speaks of, in words: between which datasets, about whom, and what is taken on trust."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from accountant_posterior.reports.view import View


def spoken_of(views: Sequence[View]) -> tuple[str, ...]:
    """Between which datasets the numbers of one view, or of several scenarios, hold, and what they leave out."""
    compared = views[0].comparison
    if len(views) == 1:
        found = f"It speaks of {compared.between}."
    else:
        named = evolve(compared.neighbours, attributes=["attributes that it names"])
        found = f"Each panel speaks of {evolve(compared, neighbours=named).between}."
    conditions = dict.fromkeys(sentence for view in views for sentence in view.comparison.conditions)
    open_ones = dict.fromkeys(view.apart for view in views if view.apart)
    return (found, *conditions, *open_ones)
