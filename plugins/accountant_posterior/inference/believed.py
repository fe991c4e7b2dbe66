"""Priors as they are written on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from accountant import InvalidValue
from accountant_posterior.inference.lines.priors import ConjugateLine, FlatLine, LinePrior, WeakLine
from accountant_posterior.inference.priors import Conjugate, Flat, MomentsPrior
from accountant_posterior.inference.problems import Problem
from accountant_posterior.inference.proportions import Beta

Prior = MomentsPrior | Beta | LinePrior
USUAL = "usual"
_FORMS = (
    "flat[:POWER], conjugate:MEAN,VARIANCE[,WEIGHT[,WEIGHT]], beta:YES,NO, line[:STEEPNESS[,POWER]], line-flat[:POWER] or "
    "line-conjugate:WEIGHT,SHAPE,RATE,INTERCEPT,SLOPE,..."
)


def _conjugate_line(weight: str, shape: str, rate: str, *coefficients: str) -> ConjugateLine:
    return ConjugateLine(coefficients, weight, shape, rate)


@frozen
class _Form:
    """A family of priors, by its word."""

    family: str
    make: Callable[..., Prior]
    fewest: int
    most: int


_WORDS: Mapping[str, _Form] = {
    "flat": _Form("moments", Flat, 0, 1),
    "conjugate": _Form("moments", Conjugate, 2, 4),
    "beta": _Form("share", Beta, 2, 2),
    "line": _Form("line", WeakLine, 0, 2),
    "line-flat": _Form("line", FlatLine, 0, 1),
    "line-conjugate": _Form("line", _conjugate_line, 4, 20),
}


@frozen
class Priors:
    """What is said to be believed, by what it speaks of; None where nothing is said."""

    moments: MomentsPrior | None = None
    share: Beta | None = None
    line: LinePrior | None = None


def read_prior(text: str, option: str = "--prior") -> tuple[str, Prior]:
    """A prior, and what it speaks of: means and variances, shares, or lines."""
    word, _, numbers = text.partition(":")
    parts = [part.strip() for part in numbers.split(",")] if numbers else []
    form = _WORDS.get(word)
    if form is None or not form.fewest <= len(parts) <= form.most:
        raise InvalidValue(f"{option} is {_FORMS}, got '{text}'")
    return form.family, form.make(*parts)


def read_priors(texts: Sequence[str]) -> Priors:
    """What is believed of means and variances, of shares and of lines, each once."""
    found: dict[str, Any] = {}
    for text in texts:
        family, prior = read_prior(text)
        if family in found:
            raise InvalidValue("--prior is given twice for the same parameters; --also asks under another prior beside it")
        found[family] = prior
    return Priors(**found)


def under_others(problems: Sequence[Problem], texts: Sequence[str]) -> tuple[tuple[Problem, ...], ...]:
    """For each problem the same under other priors, each once; `usual` stands for those that people hold."""
    read = [(text, None if text == USUAL else read_prior(text, "--also")) for text in texts]
    for text, other in read:
        if other is not None and not any(problem.family == other[0] for problem in problems):
            raise InvalidValue(f"--also {text} speaks of nothing that was released")
    found = []
    for problem in problems:
        made: Any = problem
        priors: list[object] = []
        for _, other in read:
            priors += problem.usual if other is None else [other[1]] * (other[0] == problem.family)
        others = [prior for place, prior in enumerate(priors) if prior != made.prior and prior not in priors[:place]]
        found.append(tuple(evolve(made, prior=prior) for prior in others))
    return tuple(found)
