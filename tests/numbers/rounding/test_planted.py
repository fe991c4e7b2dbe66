"""A dropped error term dies: sums of bounds lose each of their terms in turn, and every allowance is forgotten once."""

from __future__ import annotations

import math
from types import ModuleType

import pytest

from tests.numbers.rounding.planted import planted
from tests.numbers.rounding.table import OPERATIONS

# What no input can tell, because the bound holds without it, and why.
UNFELT = {
    "ball": {"lower + 0.5 * upper": "a ball is built around any middle"},
    "balls": {"no GROW": "the size of a complex number is granted twice what it rounds"},
    "sums": {
        "count + 1.0": "numpy adds up better than in the worst order, of complex numbers too",
        "width + rows": "numpy adds up better than in the worst order",
        "doubt + slip": "only says where to charge for underflow, and some other reason to charge is there as well",
    },
    "ball_functions": {
        "no GROW": "functions are granted several times what they round",
        "no _ROOM": "functions are granted several times what they round",
        "LEAST": "results that are subnormal are exact here, or granted enough",
        "1.0 + x.middle": "nothing is known beyond the domain by another test as well",
    },
    "elementary": {
        "no GROW": "functions are granted several times what they round",
        "no _ROOM": "functions are granted several times what they round",
        "no LEAST": "results that are subnormal are exact here, or granted enough",
        "LEAST * (middle != 0.0)": "results that are subnormal are exact here, or granted enough",
        "+ LEAST": "results that are subnormal are exact here, or granted enough",
        "1.0 + x.middle": "nothing is known beyond the domain by another test as well",
        "only ELEMENTARY of ELEMENTARY + ROUNDOFF": "functions are granted several times what they and a product round",
        "held * LEAST": "e^x - 1 of subnormal numbers is exact",
        "of radius + np.fmin": "a root moves by half of what it is granted to",
    },
    "special": {
        "no GROW": "functions are granted several times what they round",
        "SCALED_TAIL + 4 * ROUNDOFF": "erfcx is granted several times what it rounds",
        "no ROUNDOFF": "erfcx is granted several times what it rounds",
        "1.0 + least * least": "either term alone makes the bound larger",
        "1.0 + np.square": "either term alone makes the bound larger",
        "LEAST": "results that are subnormal are granted enough",
    },
}


def caught(name: str, module: ModuleType) -> bool:
    for operation in OPERATIONS:
        if operation.module == name:
            try:
                if operation.worst(module) == math.inf:
                    return True
            except Exception:
                return True
    return False


@pytest.mark.parametrize("name", UNFELT)
def test_a_module_with_a_dropped_term_is_caught(name: str) -> None:
    some = list(planted(name))[:: 7 if name == "elementary" else 4]
    survivors = [what for what, module in some if not caught(name, module)]
    assert [what for what in survivors if not any(part in what for part in UNFELT[name])] == []
    assert len(some) >= 10


@pytest.mark.sweep
@pytest.mark.parametrize("name", UNFELT)
def test_every_module_with_a_dropped_term_is_caught_but_for_those_that_are_still_sound(name: str) -> None:
    survivors = [what for what, module in planted(name) if not caught(name, module)]
    assert [what for what in survivors if not any(part in what for part in UNFELT[name])] == []
    assert [part for part in UNFELT[name] if not any(part in what for what in survivors)] == []
