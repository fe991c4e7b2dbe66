"""A dropped error term dies: sums of bounds lose each of their terms in turn, and every allowance is forgotten once."""

from __future__ import annotations

import math
from types import ModuleType

import pytest

from tests.numbers.rounding.planted import planted
from tests.numbers.rounding.table import OPERATIONS

pytestmark = pytest.mark.slow

# What no input can tell, because the bound holds without it, and why.
SEVERAL = "functions are granted several times what they round"
SUBNORMAL = (
    "of a subnormal number they differ from it by a share of 2^-1000, which exact arithmetic of 300 bits does not tell"
)
LARGER = "without it the bound is larger"
DOMAIN = "nothing is known beyond the domain by another test as well"
UNFELT = {
    "ball": {"lower + 0.5 * upper": "a ball is built around any middle"},
    "balls": {"no GROW": "the size of a complex number is granted twice what it rounds"},
    "sums": {
        "count + 1.0": "numpy adds up better than in the worst order, of complex numbers too",
        "width + rows": "numpy adds up better than in the worst order",
        "doubt + slip": "only says where to charge for underflow, and some other reason to charge is there as well",
        "radius *= shares": LARGER,
        "radius *= growth": "sums of few radii round by less than what the sums themselves are granted",
    },
    "ball_functions": {
        "no GROW": SEVERAL,
        "no _ROOM": SEVERAL,
        "LEAST": SUBNORMAL,
        "1.0 + x.middle": DOMAIN,
    },
    "elementary": {
        "no GROW": SEVERAL,
        "radius *= GROW": SEVERAL,
        "only GROW of GROW + ELEMENTARY": SEVERAL,
        "no _ROOM": SEVERAL,
        "LEAST": SUBNORMAL,
        "only x.middle of 1.0 + x.middle": "of positive numbers the bound is larger, and of others nothing is known",
        "only ELEMENTARY of ELEMENTARY + ROUNDOFF": "functions are granted several times what they and a product round",
        "no ROUNDOFF": "functions are granted several times what they and a product round",
        "no ELEMENTARY": "counts beside 1 in a product with a radius, where GROW pays for as much",
        "whole + x.radius": "bounds what is no part of a ball, see the test of moments that are too uncertain",
        "1.0 + 8 * ROUNDOFF": "bounds what is no part of a ball, see the test of moments that are too uncertain",
    },
    "special": {
        "no GROW": SEVERAL,
        "moved *= GROW": SEVERAL,
        "SCALED_TAIL": "erfcx is granted three times what it errs, and an exponential beside it eight times what it rounds",
        "no ROUNDOFF": "erfcx is granted several times what it rounds",
        "1.0 + least * least": LARGER,
        "1.0 + np.square": LARGER,
        "LEAST": "an exponent so small changes an exponential by less than that is granted",
        "square *= 0.5 * ROUNDOFF": LARGER,
    },
    "transforms": {
        "length + 1": "transforms are granted fifty times what they err",
        "no _ROOM": "the sum of equal radii and the norm round by less than that",
        "no GROW": "transforms are granted fifty times what they err",
        "LEAST": "sums of subnormal numbers are exact, and the norm of a row is never taken as 0",
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
    some = list(planted(name))[:: {"elementary": 11, "special": 7, "transforms": 2}.get(name, 4)]
    survivors = [what for what, module in some if not caught(name, module)]
    assert [what for what in survivors if not any(part in what for part in UNFELT[name])] == []
    assert len(some) >= 10


@pytest.mark.sweep
@pytest.mark.parametrize("name", UNFELT)
def test_every_module_with_a_dropped_term_is_caught_but_for_those_that_are_still_sound(name: str) -> None:
    survivors = [what for what, module in planted(name) if not caught(name, module)]
    assert [what for what in survivors if not any(part in what for part in UNFELT[name])] == []
    assert [part for part in UNFELT[name] if not any(part in what for what in survivors)] == []
