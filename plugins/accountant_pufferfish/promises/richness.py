"""Scenarios so rich that promises about mixtures are promises about datasets, checked by enumeration."""

from __future__ import annotations

from accountant_pufferfish.setting.setting import Setting


def is_rich(setting: Setting) -> bool:
    """Whether, for any two datasets that a pair of secrets tells apart, some scenario considers just these two.

    Definition: given any published value, for every possible dataset x of the first secret and y of the second there is a
    scenario under which the data are x if the first secret is true and y if the second is.
    Guarantee: then a promise in this setting holds for all these datasets, and such promises add up. Where only some of the
    scenarios are known, so are only some of the datasets, and the answer is no.
    """
    if not setting.scenarios.complete:
        return False
    for value, datasets in setting.universes():
        alone = {
            (comparison.pair, *comparison.first, *comparison.second)
            for comparison in setting.at(value).comparisons()
            if len(comparison.first) == len(comparison.second) == 1
        }
        for pair in setting.pairs:
            firsts, seconds = filter(pair.first, datasets), list(filter(pair.second, datasets))
            if any((pair, x, y) not in alone for x in firsts for y in seconds):
                return False
    return True
