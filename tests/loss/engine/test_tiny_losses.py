"""Losses far below what a grid tells apart are answered, not failed at."""

from __future__ import annotations

import pytest

from accountant import account, read_plan


@pytest.mark.slow
@pytest.mark.parametrize(("shift", "sigma"), [("1e-100", "50"), ("1", "1e300"), ("1e-20", "1")])
def test_training_with_a_tiny_shift_costs_next_to_nothing(shift: str, sigma: str) -> None:
    """Total variation of all steps is at most times * rate * shift / sigma, far below delta: epsilon is 0."""
    plan = read_plan(
        {
            "specification": {"neighbours": "add-remove"},
            "release": [
                {
                    "name": "steps",
                    "query": {"kind": "vector", "shift": [shift]},
                    "mechanism": {"kind": "gaussian", "sigma": sigma},
                    "sampling": {"kind": "poisson", "rate": "0.01"},
                    "times": 10000,
                }
            ],
        }
    )
    value = account(plan).measure("approx", delta="1e-5").value
    assert value.lower == 0
    assert value.upper < 1e-3
