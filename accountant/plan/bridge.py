"""What a plugin supplies so that what another library wrote becomes a plan."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from attrs import field, frozen

from accountant.display.brief import Brief
from accountant.fields import optional_text, text
from accountant.values.family import Family, Named


@frozen
class Brought(Brief):
    """What a bridge makes of a history: releases as plans have them, by the places at which the history has them.

    Every release is the plain data of one, as below `[[release]]` in a plan; without a name it is called after its place.
    `neighbours` names the datasets that it is accounted for between. `unit` is what one record stands for, where the
    history or its library says so. `remarks` are sentences on what the history does not say and a reader must know.
    """

    releases: Mapping[str, Mapping[str, Any]]
    neighbours: str = field(converter=text)
    unit: str | None = field(default=None, converter=optional_text)
    remarks: tuple[str, ...] = ()


class Bridge(Named, ABC):
    """A way from what one other library writes to a plan."""

    meaning: ClassVar[str]
    """What is read, in half a sentence: whose, and how it is written to a file."""

    @abstractmethod
    def read(self, history: Any, neighbours: str | None) -> Brought:
        """What a history in plain data says, between the neighbours that were asked for, if any were.

        The data is as JSON has it, numbers being exact: whole ones are `int`, others `Decimal`.

        Guarantee: nothing is left out. What is not understood, and neighbours that are not said and cannot be known, are
        a PlanError with every fault and its place. Nothing that the data names is imported or run.
        """

    def data_of(self, live: Any) -> Any:
        """What a live object of the library says, as the plain data that a file of it would hold; all else as it is."""
        return live


BRIDGES: Family[Bridge] = Family("accountant_bridges", "bridge", Bridge)
