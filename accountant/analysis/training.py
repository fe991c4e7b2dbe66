"""Training: accounts of the usual ways to train a model, in the words that are usual there."""

from __future__ import annotations

from fractions import Fraction

from accountant.accounting.account import Account, account
from accountant.errors import InvalidValue, PluginError
from accountant.numbers.exact import ExactLike, exact, plain, whole
from accountant.promise.neighbours import Relation
from accountant.registry.registry import Registry, default_registry
from accountant.release.release import MECHANISMS, Mechanism


def dp_sgd(
    *,
    noise_multiplier: ExactLike,
    sample_rate: ExactLike,
    steps: int,
    neighbours: str | Relation = "add-remove",
    unit: str = "example",
    title: str = "DP-SGD",
    registry: Registry | None = None,
) -> Account:
    """The account of a training run with DP-SGD: what all of its steps lose together.

    Each step draws every example by its own coin, with probability `sample_rate` (Poisson sampling: the expected batch over
    the number of examples), clips each gradient to a norm, sums them up and adds Gaussian noise of `noise_multiplier` times
    that norm. The norm itself does not matter. Between replaced examples the sum moves by twice the norm; the noise is the
    same.

    `dp_sgd(...) + dp_sgd(...)` are two phases; `calibrate(run, epsilon=..., delta=...)` finds the least noise.
    """
    known = registry or default_registry()
    noise = _noise_of_training(known)
    plan = {
        "title": title,
        "specification": {
            "unit": unit,
            "neighbours": neighbours.name if isinstance(neighbours, Relation) else neighbours,
        },
        "release": [
            {
                "name": "training",
                "query": {"kind": "gradient", "norm": 1},
                "mechanism": {
                    "kind": noise.kind,
                    str(noise.in_training): plain(_above_zero("noise_multiplier", noise_multiplier)),
                },
                "sampling": {"kind": "poisson", "rate": plain(_rate(sample_rate))},
                "times": _steps(steps),
            }
        ],
    }
    return account(plan, registry=known)


def _noise_of_training(registry: Registry) -> type[Mechanism]:
    """The mechanism whose noise is given as a multiple of a clipping norm."""
    found = [cls for cls in registry[MECHANISMS].values() if cls.in_training is not None]
    if len(found) == 1:
        return found[0]
    names = " and ".join(f"'{cls.kind}'" for cls in found) or "none"
    raise PluginError(f"of all mechanisms one must be that of DP-SGD, by its 'in_training'; {names} say so")


def _above_zero(name: str, value: ExactLike) -> Fraction:
    number = _number(name, value)
    if number <= 0:
        raise InvalidValue(f"{name} must be above 0, got {plain(number)}")
    return number


def _rate(value: ExactLike) -> Fraction:
    number = _above_zero("sample_rate", value)
    if number > 1:
        raise InvalidValue(
            f"sample_rate is the chance that an example is drawn in a step, at most 1, got {plain(number)}; give the batch "
            'over the number of examples, such as "256/60000"'
        )
    return number


def _steps(value: int) -> int:
    try:
        number = whole(value)
    except InvalidValue as error:
        raise InvalidValue(f"steps: {error}; the number of epochs over the sample rate, rounded up") from None
    if number < 1:
        raise InvalidValue(f"steps must be at least 1, got {number}")
    return number


def _number(name: str, value: ExactLike) -> Fraction:
    try:
        return exact(value)
    except InvalidValue as error:
        raise InvalidValue(f"{name}: {error}") from None
