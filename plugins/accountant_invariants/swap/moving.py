"""Moving: who receives whose values, drawn as the mechanism says."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from accountant_invariants.swap.draws import Draws
from accountant_invariants.swap.strata import Strata
from accountant_invariants.swapping import Swapping


def sources(strata: Strata, mechanism: Swapping, draws: Draws) -> NDArray[np.int64]:
    """For every record the number of the one whose swapped values it has afterwards.

    Guarantee: strata are independent, and in each of them a permutation has the chance that `Stratum` says.
    """
    found = np.arange(len(strata.labels), dtype=np.int64)
    selected = _selected(strata, mechanism, draws)
    places = np.flatnonzero(selected)
    places = places[np.argsort(strata.labels[places], kind="stable")]
    groups = strata.labels[places]
    order = _deranged(groups, draws) if mechanism.version == "derange" else draws.shuffled(groups)
    found[places] = places[order]
    return found


def _selected(strata: Strata, mechanism: Swapping, draws: Draws) -> NDArray[np.bool_]:
    """Who is selected: everybody with the same chance; where one record is to be deranged, as the mechanism says."""
    labels, sizes = strata.labels, strata.sizes
    selected = draws.chosen(mechanism.rate, len(labels))
    if mechanism.version == "permute":
        return selected
    # A record alone in its stratum stays, whoever is selected.
    selected &= sizes[labels] > 1
    while True:
        alone = np.bincount(labels[selected], minlength=len(sizes)) == 1
        again = np.flatnonzero(alone[labels])
        if not len(again):
            return selected
        selected[again] = False if mechanism.single == "keep" else draws.chosen(mechanism.rate, len(again))


def _deranged(groups: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
    """An order that leaves nothing in place, in every group uniform over those that do: others are drawn again."""
    order = np.arange(len(groups), dtype=np.int64)
    while True:
        stayed = np.unique(groups[order == np.arange(len(groups))])
        again = np.flatnonzero(np.isin(groups, stayed))
        if not len(again):
            return order
        order[again] = again[draws.shuffled(groups[again])]
