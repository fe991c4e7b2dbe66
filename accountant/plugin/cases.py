"""Conformance cases: instances that a plugin offers for the laws to be tried on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, get_args

from attrs import field, frozen

from accountant.display.brief import Brief
from accountant.fields import text
from accountant.plugin.oracles import Oracle
from accountant.promise.divergence import DIVERGENCES
from accountant.release.query import Shift
from accountant.release.release import MECHANISMS, Mechanism
from accountant.values.family import Family

if TYPE_CHECKING:
    from accountant.loss import FiniteLoss


@frozen
class MechanismCase(Brief):
    """A mechanism on a shift, and exact finite pairs that its claimed loss must dominate.

    The pairs come from the mechanism itself on a small instance, in exact numbers and by a route that does not use the
    claimed loss: a table of its output probabilities, or its outputs after binning.
    """

    family: ClassVar[Family[Any]] = MECHANISMS
    name: str = field(converter=text)
    mechanism: Mechanism
    shift: Shift
    pairs: tuple[FiniteLoss, ...] = ()

    @property
    def item(self) -> str:
        """What it is a case of."""
        return self.mechanism.kind


@frozen
class ParameterCase(Brief):
    """A parameter of a definition, by the definition's name."""

    family: ClassVar[Family[Any]] = DIVERGENCES
    name: str = field(converter=text)
    divergence: str = field(converter=text)
    parameter: Any

    @property
    def item(self) -> str:
        """What it is a case of."""
        return self.divergence


ConformanceCase = MechanismCase | ParameterCase | Oracle


CASES: Family[ConformanceCase] = Family("accountant_conformance_cases", "conformance case", get_args(ConformanceCase))
