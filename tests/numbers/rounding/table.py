"""The table of operations: scalars, arrays, sums, functions, transforms."""

from __future__ import annotations

from tests.numbers.rounding.arithmetic import arithmetic, ends, made, powers
from tests.numbers.rounding.functions import edges, functions, logs
from tests.numbers.rounding.operations import Ends, Operation
from tests.numbers.rounding.totals import lines, totals, weighed
from tests.numbers.rounding.turning import turning
from tests.numbers.rounding.underflowing import underflowing
from tests.numbers.rounding.wide import WIDE

OPERATIONS: list[Operation | Ends] = [
    *WIDE,
    *weighed(),
    *edges(),
    *logs(),
    *arithmetic(),
    *powers(),
    *totals(),
    *lines(),
    *functions(),
    *made(),
    *underflowing(),
    *turning(),
    *ends(),
]
