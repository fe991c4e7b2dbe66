"""Chapter 5 of the thesis: what approximate differential privacy says about beliefs, except with some probability."""

from __future__ import annotations

from fractions import Fraction

from numpy.random import Generator

from accountant import Interval
from accountant.report import Axis, Curves, Series, Table
from accountant_posterior.semantics.odds import updated
from accountant_posterior.semantics.probabilistic import probabilistic_epsilon, zcdp_epsilon
from accountant_posterior.sources.shown import Drawn, Number, Shown

_HALF = Fraction(1, 2)


def conversion(generator: Generator) -> Shown:
    """Figure 5.1: which epsilon and chance of failure follow from epsilon 1 at delta one in a million."""
    failures = [Fraction(round(10 ** (step / 20), 4)).limit_denominator(10**5) / 10**6 for step in range(1, 61)]
    ends = [(float(failure), probabilistic_epsilon(1, "1e-6", failure)) for failure in failures]
    figure = Curves(
        "Epsilon that holds except with some probability, from epsilon 1 at delta 1e-6",
        "Smaller chances of failure than delta cannot be had; at chances far above it the epsilon is nearly 1.",
        Axis("chance of failure", "logarithmic", 1e-6, 1e-3),
        Axis("epsilon", "number", 0.9, 3.5),
        (Series("epsilon", tuple((x, value.lower, value.upper) for x, value in ends if value.upper < 3.5)),),
        Table("Epsilon", ("Chance of failure", "Epsilon"), tuple((f"{x:.3g}", v.shown(5)) for x, v in ends[9::10])),
        Series("epsilon of the release", ((1e-6, 1.0, 1.0), (1e-3, 1.0, 1.0))),
    )
    numbers = tuple(
        Number(f"epsilon except with probability {failure}", told, probabilistic_epsilon(1, "1e-6", failure).shown(6))
        for failure, told in (("1e-3", "about 1"), ("1e-2", "about 1"))
    )
    return Shown("figure-5.1", "From approximate to probabilistic differential privacy", numbers, (figure,))


def one_release(generator: Generator) -> Shown:
    """Example 6: epsilon 0.1 at delta 1e-7, except with probability 0.01."""
    reach = probabilistic_epsilon("0.1", "1e-7", "0.01").upper
    low, high = updated(_HALF, Interval(-reach, reach)).rounded(4)
    why = "rounded inward"
    return Shown(
        "example-6",
        "One release of epsilon 0.1",
        (
            Number("posterior from 1/2", "at least 0.48", f"at least {low}", why),
            Number("posterior from 1/2", "at most 0.52", f"at most {high}", why),
            Number("difference", "at most 0.02", f"at most {float(high) - 0.5:.4f}", why),
        ),
    )


def days(generator: Generator) -> Shown:
    """Example 7: a rho of 0.01 each day, except with probability 0.01."""
    printed = {7: ("0.83", "0.69"), 30: ("0.96", "0.81"), 58: ("0.99", "-")}
    why = "the text says that the difference is 67 points, which is from 0.164 to 0.836"
    numbers = []
    for count, (posterior, worst) in printed.items():
        reach = zcdp_epsilon(Fraction(count, 100), "0.01").epsilon.upper
        most = updated(_HALF, Interval(reach, reach)).upper
        numbers.append(Number(f"posterior from 1/2 after {count} days", posterior, f"{most:.4f}"))
        if worst != "-":
            # A belief moves farthest from 1/(1 + e^(epsilon/2)), and ends as far from 1 as it began from 0.
            farthest = updated(_HALF, Interval(reach / 2, reach / 2)).upper
            numbers.append(
                Number(f"posterior that moved farthest, {count} days", worst, f"{farthest:.4f}", why if count == 30 else "")
            )
    return Shown("example-7", "A rho of 0.01 each day", tuple(numbers))


DRAWN: dict[str, Drawn] = {"figure-5.1": conversion, "example-6": one_release, "example-7": days}
