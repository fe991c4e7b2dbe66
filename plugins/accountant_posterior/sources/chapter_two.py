"""Chapter 2 of the thesis: attacks on the counts of a block, with the block group above it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.random import Generator

from accountant import Interval
from accountant.report import Axis, Curves, Series, Table
from accountant_posterior.attacks.allocation import RhoShares
from accountant_posterior.attacks.counts import CountAttack, NoisyCount
from accountant_posterior.attacks.hierarchy import Level
from accountant_posterior.attacks.hierarchy_attack import HierarchyAttack
from accountant_posterior.attacks.noise_sums import NoiseSum
from accountant_posterior.attacks.parents import Known, ParentPrior, Uniform, UniformUpTo
from accountant_posterior.attacks.projection import ProjectionAttack
from accountant_posterior.attacks.whole_noise import NoiseMasses
from accountant_posterior.sources.shown import Drawn, Number, Shown, agrees

_DETAILED = "detailed"
_LEVELS = {
    "US": ("104/4099", "189/241", "0.0509"),
    "State": ("1440/4099", "230/4097", "0.0505"),
    "County": ("447/4099", "754/4097", "0.0514"),
    "Tract": ("687/4099", "241/2051", "0.0504"),
    "Block group": ("1256/4099", "1288/4099", "0.2465"),
    "Block": ("165/4099", "3945/4097", "0.0992"),
}
BUDGET = RhoShares(
    "2.56",
    {level: share for level, (share, _, _) in _LEVELS.items()},
    {level: {_DETAILED: own, "others": 1 - Fraction(own)} for level, (_, own, _) in _LEVELS.items()},
)
"""Table 2.2: what the 2020 census spent on its detailed query, exactly."""
_OWN, _ABOVE = (1 / (2 * BUDGET.rho(level, _DETAILED)) for level in ("Block", "Block group"))
_SIBLINGS = 27
_HALF = Fraction(1, 2)
_BELOW = "ignores that a block holds no more than its group"
_SIMULATED = "SIMULATED ATTACK"


def _attack(above: ParentPrior) -> HierarchyAttack:
    return HierarchyAttack(_HALF, (Level(_OWN, _SIBLINGS), Level(_ABOVE)), above)


def _percent(value: Interval) -> str:
    low, high = (f"{100 * end:.2f}" for end in (value.lower, value.upper))
    return f"{low} %" if low == high else f"{low} to {high} %"


def _short(value: Interval, digits: int = 4) -> str:
    low, high = (f"{end:.{digits}g}" for end in (value.lower, value.upper))
    return low if low == high else f"{low} to {high}"


def shares(generator: Generator) -> Shown:
    """Table 2.2."""
    numbers = tuple(
        Number(f"rho of {level}", printed, f"{float(BUDGET.rho(level, _DETAILED)):.6f}")
        for level, (_, _, printed) in _LEVELS.items()
    )
    return Shown("table-2.2", "What the 2020 census spends on its detailed query", numbers)


def one_count(generator: Generator) -> Shown:
    """Table 2.4: belief, risk and mass of each noisy count of a block."""
    attack = CountAttack(_HALF, [NoisyCount(_OWN)])
    printed = ("0.525", "0.574", "0.622", "0.667", "0.710")
    masses = ("0.161", "0.119", "0.073", "0.036", "0.015")
    numbers = [
        Number(f"belief after {count}, from 1/2", told, _short(attack.belief(count).posterior))
        for count, told in enumerate(printed, start=1)
    ]
    for count, told in enumerate(masses, start=1):
        mass = attack.counts[0].chance(count)
        numbers.append(Number(f"mass of {count}", told, _short(mass), "printed is the mass without the target"))
    return Shown("table-2.4", "One noisy count of a block", tuple(numbers))


def means(generator: Generator) -> Shown:
    """Table 2.5: means over all noise, by prior."""
    printed = {"1/2": ("0.524", "1.05"), "1/5": ("0.225", "1.13"), "1/10": ("0.117", "1.17"), "1/50": ("0.024", "1.21")}
    numbers = []
    for prior, (posterior, risk) in {**printed, "1/864": ("0.0014", "1.22")}.items():
        outlook = CountAttack(Fraction(prior), [NoisyCount(_OWN)]).outlook()
        numbers.append(Number(f"mean posterior from {prior}", posterior, _short(outlook.posterior)))
        numbers.append(Number(f"mean risk from {prior}", risk, _short(outlook.risk)))
    return Shown("table-2.5", "Means over all noise", tuple(numbers))


def two_levels(generator: Generator) -> Shown:
    """Tables 2.7 and 2.8: block 2, block group 1, siblings -1."""
    attack = _attack(Uniform())
    parent = attack.parent([2, 1], [-1])
    printed = ("11", "40", "30", "14", "4.6", "0.7", "0.08")
    numbers = [Number("the target is there", "57.0 %", _percent(attack.belief([2, 1], [-1]).posterior), _BELOW)]
    for count, told in enumerate(printed):
        why = "" if agrees(told, 100.0 * parent[count].upper) else _BELOW
        numbers.append(Number(f"the group holds {count}", f"{told} %", _percent(parent[count]), why))
    return Shown("table-2.7", "Two levels at 2, 1 and -1 (Tables 2.7 and 2.8)", tuple(numbers))


_GROUPS, _SUMS = range(-3, 6), range(-30, 31)


def thresholds(attack: HierarchyAttack) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """From which noisy count of the block on presence is guessed: by that of the group, and by the sum of the siblings'.

    The log-odds grow with the block's count, so that this says the whole decision.
    """
    found = np.empty((len(_GROUPS), len(_SUMS)), dtype=np.int64)
    for row, group in enumerate(_GROUPS):
        least = 0
        for column, siblings in enumerate(_SUMS):
            while attack.belief([least, group], [siblings]).guess:
                least -= 1
            while not attack.belief([least, group], [siblings]).guess:
                least += 1
            found[row, column] = least
    return found


def _masses(noise: NoiseMasses, centre: int, places: range) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([float(noise.masses[noise.last + place - centre]) for place in places])


def changed(found: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> tuple[float, float, float]:
    """The mass of all that is drawn, and of where the group makes a guess right or wrong, the target being there."""
    own = NoiseMasses.discrete_gaussian(_OWN)
    group = _masses(NoiseMasses.discrete_gaussian(_ABOVE), 1, _GROUPS)
    siblings = _masses(NoiseMasses.discrete_gaussian(_OWN * _SIBLINGS), 0, _SUMS)
    weights = np.outer(group, siblings)
    alone = own.at_least(0).upper
    moved = np.vectorize(lambda least: own.at_least(int(least) - 1).upper - alone)(found)
    gained, lost = (float((weights * np.maximum(side * moved, 0.0)).sum()) for side in (1.0, -1.0))
    return float(weights.sum()), gained, lost


_PRIORS: tuple[tuple[str, str, ParentPrior], ...] = (
    ("figure-2.4", "any count of the group alike", Uniform()),
    ("figure-2.10", "any count of the group up to 10 alike", UniformUpTo(10)),
    ("figure-2.11-top", "the group holds one, which is so", Known(1)),
    ("figure-2.11-bottom", "the group holds 25, which is wrong", Known(25)),
)


def decisions(generator: Generator) -> Shown:
    """Figures 2.4, 2.10 and 2.11: the guess at each triple of noisy counts, under four beliefs about the group."""
    figures, numbers = [], []
    for name, words, above in _PRIORS:
        attack = _attack(above)
        found = thresholds(attack)
        figures.append(_map(name, words, found, isinstance(above, Known)))
        if name == "figure-2.4":
            whole, gained, lost = changed(found)
            numbers += [
                Number("mass of what is drawn", "over 99 %", f"{100 * whole:.2f} %", "rounded up"),
                Number("mass where the group makes the guess right", "2.48 %", f"{100 * gained:.2f} %", _BELOW),
                Number("mass where it makes the guess wrong", "1.83 %", f"{100 * lost:.2f} %", _BELOW),
            ]
        told, why = {
            "figure-2.4": ("59 %", _BELOW),
            "figure-2.10": ("59 %", _BELOW),
            "figure-2.11-top": ("59 %", ""),
            "figure-2.11-bottom": ("74 %", "simulation noise"),
        }[name]
        numbers.append(Number(f"right guesses: {words}", told, _percent(attack.outlook(1).correct), why))
    absent = _attack(Known(25)).outlook(0, present=False).correct
    numbers.append(Number("the same, nobody being there", "42 %", _percent(absent), "simulation noise"))
    return Shown(
        "figure-2.4",
        "Decisions at each triple of noisy counts (Figures 2.4, 2.10 and 2.11)",
        tuple(numbers),
        tuple(figures),
    )


def _map(name: str, words: str, found: np.ndarray[tuple[int, int], np.dtype[np.int64]], alike: bool) -> Curves:
    rows = [_GROUPS.index(group) for group in ((1,) if alike else (-3, -1, 1, 3, 5))]
    series = tuple(
        Series(
            "whatever the group's noisy count" if alike else f"noisy count of the group {_GROUPS[row]}",
            _steps(found[row]),
        )
        for row in rows
    )
    told = tuple((f"{_SUMS[column]}", *(f"{found[row, column]}" for row in rows)) for column in range(0, len(_SUMS), 10))
    return Curves(
        f"{_SIMULATED}: {name}, if it is believed that {words}",
        "From this noisy count of the block on presence is guessed; below it absence. Without the group it is 1.",
        Axis("sum of the siblings' noisy counts", "number", -30.5, 30.5),
        Axis("least noisy count of the block", "number", float(found.min() - 1), float(found.max() + 1)),
        series,
        Table("Least noisy count at which presence is guessed", ("Siblings", *(one.label for one in series)), told),
        Series("without the group", ((-30.0, 1.0, 1.0), (30.0, 1.0, 1.0))),
    )


def _steps(leasts: np.ndarray[tuple[int], np.dtype[np.int64]]) -> tuple[tuple[float, float, float], ...]:
    """Each number holds for one sum alone, so it reaches halfway to the next."""
    ends = ((place + side, float(least)) for place, least in zip(_SUMS, leasts, strict=True) for side in (-0.5, 0.5))
    return tuple((place, least, least) for place, least in ends)


def variances(generator: Generator) -> Shown:
    """Figure 2.8: the variance of discrete Gaussian noise beside its scale."""
    scales = [Fraction(round(10 ** (step / 10), 4)).limit_denominator(10_000) for step in range(-20, 21)]
    points = [(float(scale), _variance(scale)) for scale in scales]
    apart = {scale: abs(_variance(Fraction(scale)) - float(Fraction(scale))) for scale in ("1/2", "1")}
    figure = Curves(
        "Variance of discrete Gaussian noise, by its scale",
        "The scale s is 1/(2 rho). From 1/2 on, so for rho of at most 1, the two are nearly the same.",
        Axis("scale s", "logarithmic", points[0][0], points[-1][0]),
        Axis("variance", "logarithmic", 1e-6, 200.0),
        (Series("variance", tuple((x, max(y, 1e-300), max(y, 1e-300)) for x, y in points if y > 1e-7)),),
        Table("Variance", ("Scale", "Variance"), tuple((f"{x:.4g}", f"{y:.6g}") for x, y in points[10::5])),
        Series("the scale itself", tuple((x, x, x) for x, _ in points)),
    )
    numbers = (
        Number("farthest apart, from s = 1/2 on", "below 0.002", f"{apart['1/2']:.6f}"),
        Number("farthest apart, from s = 1 on", "below 1e-6", f"{apart['1']:.3g}"),
    )
    return Shown("figure-2.8", "Variance of discrete Gaussian noise", numbers, (figure,))


def _variance(scale: Fraction) -> float:
    noise = NoiseMasses.discrete_gaussian(scale, 700)
    places = np.arange(-noise.last, noise.last + 1, dtype=np.float64)
    return math.fsum(noise.masses * places**2)


def sums(generator: Generator) -> Shown:
    """Figure 2.9: sums of discrete Gaussian noise beside one of as many times the scale."""
    figures, numbers = [], []
    for rho, told in ((BUDGET.rho("Block", _DETAILED), "0.099"), (Fraction(1), "1")):
        for number in (27, 5):
            scale = 1 / (2 * rho)
            total = NoiseSum(scale, number)
            single = NoiseMasses.discrete_gaussian(scale * number)
            reach = min(math.isqrt(math.ceil(12 * scale * number)), single.last, total.exact.last)
            figures.append(_pair(told, number, reach, total.exact, single))
            apart = total.total_variation.upper
            numbers.append(Number(f"apart in total variation, rho {told}, n {number}", "-", f"at most {apart:.2g}"))
    return Shown("figure-2.9", "Sums of discrete Gaussian noise", tuple(numbers), tuple(figures))


def _pair(rho: str, number: int, reach: int, total: NoiseMasses, single: NoiseMasses) -> Curves:
    places = range(-reach, reach + 1)
    lines = {"sum": _masses(total, 0, places), "discrete Gaussian": _masses(single, 0, places)}
    total_line, single_line = (
        Series(label, tuple((float(x), float(y), float(y)) for x, y in zip(places, masses, strict=True)))
        for label, masses in lines.items()
    )
    shown = range(0, reach + 1, max(1, reach // 6))
    rows = tuple((f"{x}", *(f"{masses[x + reach]:.5f}" for masses in lines.values())) for x in shown)
    return Curves(
        f"Sum of {number} discrete Gaussians with rho {rho}, and one of {number} times the scale",
        "Chances of each whole number.",
        Axis("noise", "number", float(-reach), float(reach)),
        Axis("chance", "number", 0.0, 1.1 * float(max(masses.max() for masses in lines.values()))),
        (total_line,),
        Table("Chances", ("Noise", *lines), rows),
        single_line,
    )


def processed(generator: Generator) -> Shown:
    """Figure 2.12: the risk of a count that was made to add up to what the group was processed to."""
    rho = BUDGET.rho("Block", _DETAILED)
    totals = (1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 50, 70, 100)
    risks = [(float(total), ProjectionAttack(_HALF, _OWN, _SIBLINGS, 1, total).outlook().risk) for total in totals]
    first = ProjectionAttack(_HALF, _OWN, _SIBLINGS, 1)
    everything, alone = first.baseline().risk, CountAttack(_HALF, [NoisyCount(_OWN)]).outlook().risk
    spent = [Fraction(step, 100) for step in (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)]
    lines: dict[str, list[tuple[float, Interval]]] = {}
    for each in spent:
        place, scale = float(each), 1 / (2 * each)
        for total in (1, 10, 100):
            risk = ProjectionAttack(_HALF, scale, _SIBLINGS, 1, total).outlook().risk
            lines.setdefault(f"processed to {total}", []).append((place, risk))
        own = CountAttack(_HALF, [NoisyCount(scale)]).outlook().risk
        lines.setdefault("the noisy count alone", []).append((place, own))
        whole = ProjectionAttack(_HALF, scale, _SIBLINGS, 1).baseline().risk
        lines.setdefault("all that was measured", []).append((place, whole))
    flat = {
        "processed": risks,
        "the noisy count alone": [(x, alone) for x, _ in risks],
        "all that was measured": [(x, everything) for x, _ in risks],
    }
    why = "to be compared with all inputs of the step, not with one count alone; then it never raises the risk"
    numbers = (
        Number("mean risk of the noisy count alone", "an upper bound", _short(alone), why),
        Number("mean risk of all that was measured", "-", _short(everything)),
        Number("mean risk when processed to 100", "below that of the count alone", _short(risks[-1][1]), why),
    )
    figures = (_risk("what the group was processed to", flat), _risk("rho of the block", lines))
    title = f"Risk after post-processing, rho {float(rho):.4f}"
    return Shown("figure-2.12", title, numbers, figures)


def _risk(word: str, lines: dict[str, list[tuple[float, Interval]]]) -> Curves:
    series = tuple(
        Series(label, tuple((x, risk.lower, risk.upper) for x, risk in points)) for label, points in lines.items()
    )
    places = [x for x, _ in next(iter(lines.values()))]
    rows = tuple((f"{x:g}", *(_short(points[at][1]) for points in lines.values())) for at, x in enumerate(places))
    ends = [risk.upper for points in lines.values() for _, risk in points]
    return Curves(
        f"{_SIMULATED}: mean posterior over prior, by {word}",
        "An attacker who knows that the group holds one person, and believes 1/2 beforehand. Means over all noise.",
        Axis(word, "logarithmic", places[0], places[-1]),
        Axis("mean posterior over prior", "number", 1.0, 1.0 + 1.1 * (max(ends) - 1.0)),
        series,
        Table("Mean posterior over prior", (word, *lines), rows),
    )


DRAWN: dict[str, Drawn] = {
    "table-2.2": shares,
    "table-2.4": one_count,
    "table-2.5": means,
    "table-2.7": two_levels,
    "figure-2.4": decisions,
    "figure-2.8": variances,
    "figure-2.9": sums,
    "figure-2.12": processed,
}
