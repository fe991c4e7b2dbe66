"""What evaluations of functions are granted: relative errors in roundoffs, each checked against Arb over the range used.

`tests/numbers/rounding/test_granted.py` measures the error of every function named here, at random and at chosen points,
and holds it to at most a half of what is granted; docs/explanation/rounding.md shows granted and measured side by side.
"""

from __future__ import annotations

from accountant.numbers.rounding.direction import ROUNDOFF

LIBRARY = 4 * ROUNDOFF
"""exp, expm1, log and log1p of the C library: two units of the last place."""
ELEMENTARY = 8 * ROUNDOFF
"""exp, expm1, log, log1p, sin and cos of numpy, tanh of the C library: four units of the last place, numpy's own limit.

Those who count roundings themselves take as much for sinh, cosh and logaddexp of numpy, and sinh, cosh and asinh of the C
library.
"""
TAIL = 16 * ROUNDOFF
"""erfc of the C library, up to 26.5, where it is counted by those who use it."""
COMPLEX = 16 * ROUNDOFF
"""exp, expm1, log and log1p of a complex number, as a share of the size of the value."""
SCALED_TAIL = 24 * ROUNDOFF
"""erfcx of scipy, from 0 up."""
NORMAL = 8 * ROUNDOFF
"""ndtr of scipy, from 0 up."""
LOG_NORMAL = 512 * ROUNDOFF
"""log_ndtr of scipy, up to 10."""
LOG_GAMMA = 32 * ROUNDOFF
"""lgamma of the C library and gammaln of scipy, as a share of 1 or of the value if that is larger."""
TRANSFORM = 16 * ROUNDOFF
"""A fast Fourier transform of n numbers, for each binary digit of n, as a share of the norm of its result.

7 roundoffs for radix two (Higham 2002, theorem 24.2); 16 leave room for the other radices.
"""
