"""Balls contain the truth at every corner, on inputs that are bad; and their radii are not larger than they must be."""

from __future__ import annotations

import importlib

import pytest

from tests.numbers.rounding.operations import Operation
from tests.numbers.rounding.table import OPERATIONS


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_truth_lies_in_its_ball_and_some_truth_needs_most_of_it(operation: Operation) -> None:
    worst = operation.worst(importlib.import_module(f"accountant.numbers.rounding.{operation.module}"))
    assert operation.felt <= worst <= 1.0
