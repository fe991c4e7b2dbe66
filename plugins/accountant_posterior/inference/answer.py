"""Answer: what draws say about each parameter, as plain data and in words."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.random import Generator

from accountant.loss import Floats
from accountant_posterior.inference.draws import effective_size, highest_density, most_likely, split_r_hat
from accountant_posterior.inference.problems import Problem

LABEL = "inference from released numbers, not a statement about privacy"
SHARES = (0.025, 0.25, 0.5, 0.75, 0.975)
_FEWEST, _WIDEST = 400.0, 1.01


@frozen(eq=False)
class Parameter:
    """What the draws of one parameter say."""

    name: str
    draws: Floats
    mean: float
    error: float
    """The standard error of the mean, from so few draws: not how uncertain the parameter is."""
    mode: float
    quantiles: tuple[float, ...]
    """At SHARES."""
    interval: tuple[float, float]
    effective_size: float
    r_hat: float

    @classmethod
    def of(cls, name: str, draws: Floats, level: float) -> Parameter:
        size = effective_size(draws)
        return cls(
            name,
            draws,
            float(draws.mean()),
            float(draws.std()) / math.sqrt(size),
            most_likely(draws),
            tuple(float(value) for value in np.quantile(draws, SHARES)),
            highest_density(draws, level),
            size,
            split_r_hat(draws),
        )

    @property
    def settled(self) -> bool:
        """Whether chains agree and are worth enough independent draws."""
        return self.effective_size >= _FEWEST and self.r_hat <= _WIDEST


@frozen(eq=False)
class Inferred:
    """A problem and what was found."""

    problem: Problem
    parameters: tuple[Parameter, ...]
    seconds: float
    """How long drawing took the processor; no part of the answer, which is the same on every machine."""
    beside: tuple[Inferred, ...] = ()
    """What is found under other priors."""
    baselines: tuple[Inferred, ...] = ()
    """What methods of the literature find; they need not settle."""

    @property
    def settled(self) -> bool:
        """Whether all draws are settled, those under other priors too."""
        own = all(parameter.settled for parameter in self.parameters)
        return own and all(item.settled for item in self.beside)

    def moved(self, place: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Between what the lower and the upper end of a parameter's interval lie, over all priors."""
        ends = [item.parameters[place].interval for item in (self, *self.beside)]
        lows, highs = zip(*ends, strict=True)
        return (min(lows), max(lows)), (min(highs), max(highs))


@frozen(eq=False)
class Inference:
    """Everything that was inferred in one go."""

    plan: str
    seed: int
    level: float
    found: tuple[Inferred, ...]

    @property
    def settled(self) -> bool:
        """Whether all draws are settled."""
        return all(item.settled for item in self.found)


def infer_all(
    plan: str,
    problems: Sequence[Problem],
    seed: int,
    draws: int,
    level: float,
    others: Sequence[Sequence[Problem]] = (),
    baselines: Sequence[Sequence[Problem]] = (),
) -> Inference:
    """Draw from each problem, from the same under other priors and by other methods, with random numbers of their own."""
    streams = np.random.SeedSequence(seed).spawn(len(problems))
    found = []
    for place, (problem, stream) in enumerate(zip(problems, streams, strict=True)):
        beside, rivals = (row[place] if row else () for row in (others, baselines))
        main, *rest = (
            _inferred(one, own, draws, level)
            for one, own in zip(
                (problem, *beside, *rivals), (stream, *stream.spawn(len(beside) + len(rivals))), strict=True
            )
        )
        found.append(evolve(main, beside=tuple(rest[: len(beside)]), baselines=tuple(rest[len(beside) :])))
    return Inference(plan, seed, level, tuple(found))


def _inferred(problem: Problem, stream: np.random.SeedSequence, draws: int, level: float) -> Inferred:
    start = time.process_time()
    drawn = problem.draw(Generator(np.random.PCG64(stream)), draws)
    seconds = time.process_time() - start
    return Inferred(problem, tuple(Parameter.of(name, values, level) for name, values in drawn.items()), seconds)


def shown(value: float) -> str:
    """A number that is known to a few digits."""
    return f"{value:.4g}"


def rough(value: float) -> str:
    """A number of which only the size is known."""
    return f"{float(f'{value:.1g}'):g}"


def data_of(inference: Inference) -> dict[str, Any]:
    """What was found, as plain data."""
    return {
        "label": LABEL,
        "plan": inference.plan,
        "seed": str(inference.seed),
        "settled": inference.settled,
        "level": _text(inference.level),
        "found": [
            {
                "releases": list(item.problem.releases),
                "model": item.problem.model,
                "prior": item.problem.believed,
                "parameters": [_parameter(parameter) for parameter in item.parameters],
                **_beside(item),
                **_baselines(item),
            }
            for item in inference.found
        ],
    }


def _beside(item: Inferred) -> dict[str, Any]:
    """What is found under other priors, and how far the ends of intervals move with them."""
    if not item.beside:
        return {}
    moves = []
    for place, parameter in enumerate(item.parameters):
        low, high = ({"from": _text(least), "to": _text(most)} for least, most in item.moved(place))
        moves.append({"parameter": parameter.name, "lower_end": low, "upper_end": high})
    others = [{"prior": one.problem.believed, "parameters": list(map(_parameter, one.parameters))} for one in item.beside]
    return {"beside": others, "moves": moves}


def _baselines(item: Inferred) -> dict[str, Any]:
    """What methods of the literature find."""
    told = [{"method": one.problem.model, "parameters": list(map(_parameter, one.parameters))} for one in item.baselines]
    return {"baselines": told} if told else {}


def _parameter(parameter: Parameter) -> dict[str, Any]:
    low, high = parameter.interval
    return {
        "parameter": parameter.name,
        "mean": _text(parameter.mean),
        "mean_error": _text(parameter.error),
        "mode": _text(parameter.mode),
        "quantiles": [
            {"share": _text(share), "value": _text(value)} for share, value in zip(SHARES, parameter.quantiles, strict=True)
        ],
        "credible": {"from": _text(low), "to": _text(high)},
        "draws": parameter.draws.size,
        "effective_size": _text(parameter.effective_size),
        "r_hat": _text(parameter.r_hat),
        "settled": parameter.settled,
    }


def _text(value: float) -> str:
    return f"{value:.8g}"


def schema() -> dict[str, Any]:
    """What the command prints with --json, as a JSON Schema."""
    text, number, flag = {"type": "string"}, {"$ref": "#/$defs/number"}, {"type": "boolean"}
    parameter = {
        "parameter": text,
        "mean": number,
        "mean_error": number,
        "mode": number,
        "quantiles": _list(_table({"share": number, "value": number})),
        "credible": _table({"from": number, "to": number}),
        "draws": {"type": "integer", "minimum": 1},
        "effective_size": number,
        "r_hat": number,
        "settled": flag,
    }
    found = {"releases": _list(text), "model": text, "prior": text, "parameters": _list(_table(parameter))}
    between = _table({"from": number, "to": number})
    further = {
        "beside": _list(_table({"prior": text, "parameters": found["parameters"]})),
        "moves": _list(_table({"parameter": text, "lower_end": between, "upper_end": between})),
        "baselines": _list(_table({"method": text, "parameters": found["parameters"]})),
    }
    each = _list(_table(found, **further))
    needed = {"label": text, "plan": text, "seed": text, "settled": flag, "level": number, "found": each}
    return _table(needed, output=text)


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _table(needed: dict[str, Any], **further: Any) -> dict[str, Any]:
    properties = {**needed, **further}
    return {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}
