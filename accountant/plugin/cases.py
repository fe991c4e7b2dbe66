"""Conformance cases: instances that a plugin offers for the laws to be tried on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from accountant.fields import text
from accountant.release.mechanism import Mechanism
from accountant.release.query import Shift
from accountant.values.family import Family

if TYPE_CHECKING:
    from accountant.loss import FiniteLoss


@frozen
class MechanismCase:
    """A mechanism on a shift, and exact finite pairs that its claimed loss must dominate.

    The pairs come from the mechanism itself on a small instance, in exact numbers and by a route that does not use the
    claimed loss: a table of its output probabilities, or its outputs after binning.
    """

    name: str = field(converter=text)
    mechanism: Mechanism
    shift: Shift
    pairs: tuple[FiniteLoss, ...] = ()


@frozen
class ParameterCase:
    """A parameter of a definition, by the definition's name."""

    name: str = field(converter=text)
    divergence: str = field(converter=text)
    parameter: Any


ConformanceCase = MechanismCase | ParameterCase


CASES: Family[ConformanceCase] = Family("accountant_conformance_cases", "conformance case", (MechanismCase, ParameterCase))
