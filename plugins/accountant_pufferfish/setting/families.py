"""Families of laws too large to list, for which somebody proved how far apart the data can be."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from accountant.fields import ExactLike
from accountant_pufferfish.setting.metric import HAMMING
from accountant_pufferfish.setting.scenarios import Scenarios
from accountant_pufferfish.setting.secret import bounded_pairs
from accountant_pufferfish.setting.setting import Certified, Setting
from accountant_pufferfish.theorems import BLOCKS


def independent_records(
    records: int, values: Iterable[Hashable], examples: Mapping[str, Mapping[Any, ExactLike]] | None = None
) -> Setting:
    """All laws under which records are independent, with nothing public: what differential privacy is about.

    Guarantee: the data differ in one record under any two secrets. Examples of such laws give lower bounds.
    """
    scenarios = Scenarios.sampled("all laws under which records are independent", examples or {})
    return Setting(scenarios, bounded_pairs(records, values), certified=Certified(HAMMING, 1, BLOCKS))
