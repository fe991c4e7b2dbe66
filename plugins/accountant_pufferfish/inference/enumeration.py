"""Inference by enumeration: the exact posterior and the exact risk on finite models, in rationals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from attrs import field, frozen

from accountant import InvalidValue
from accountant.fields import exact
from accountant.finite import FiniteMechanism

Chances = Mapping[Any, Fraction]


def _proportional(weights: Mapping[Any, Fraction], otherwise: str) -> Chances:
    """Weights scaled to sum to 1; what has none is dropped."""
    total = sum(weights.values(), Fraction(0))
    if not total:
        raise InvalidValue(otherwise)
    return MappingProxyType({outcome: weight / total for outcome, weight in weights.items() if weight})


def _law(law: Mapping[Any, Any]) -> Chances:
    return FiniteMechanism({"the parameter": law}).law("the parameter")


def _channel(data: FiniteMechanism | Mapping[Any, Mapping[Any, Any]]) -> FiniteMechanism:
    return data if isinstance(data, FiniteMechanism) else FiniteMechanism(data)


@frozen
class Experiment:
    """The joint law of a parameter and of what is observed: all that inference on the parameter depends on."""

    joint: Mapping[tuple[Any, Any], Fraction] = field(hash=False)

    def posterior(self, observation: Hashable) -> Chances:
        """The law of the parameter given what was observed."""
        weights = self._by_observation().get(observation, {})
        return _proportional(weights, f"nobody can observe {observation!r} under this model")

    def coarsened(self, observe: Callable[[Any], Hashable]) -> Experiment:
        """The experiment in which only a function of the observation is seen."""
        joint: defaultdict[tuple[Any, Any], Fraction] = defaultdict(Fraction)
        for (parameter, observation), chance in self.joint.items():
            joint[parameter, observe(observation)] += chance
        return Experiment(MappingProxyType(joint))

    def risk(self, loss: Callable[[Any, Any], Any], decisions: Iterable[Any]) -> Fraction:
        """The Bayes risk: the expected loss(parameter, decision) of the best decision for each observation.

        Guarantee: coarsening never lowers it, for the best rule on the coarser experiment is a rule on the finer one.
        """
        choices = tuple(decisions)
        if not choices:
            raise InvalidValue("a decision problem needs at least one decision")
        return sum(
            (
                min(
                    sum((weight * exact(loss(parameter, choice)) for parameter, weight in weights.items()), Fraction(0))
                    for choice in choices
                )
                for weights in self._by_observation().values()
            ),
            Fraction(0),
        )

    def expected_variance(self, value: Callable[[Any], Any] = lambda parameter: parameter) -> Fraction:
        """The expected posterior variance of a function of the parameter: the Bayes risk of squared error."""
        total = Fraction(0)
        for weights in self._by_observation().values():
            mass = sum(weights.values(), Fraction(0))
            first = sum((weight * exact(value(parameter)) for parameter, weight in weights.items()), Fraction(0))
            second = sum((weight * exact(value(parameter)) ** 2 for parameter, weight in weights.items()), Fraction(0))
            total += second - first * first / mass
        return total

    def _by_observation(self) -> dict[Any, dict[Any, Fraction]]:
        grouped: defaultdict[Any, dict[Any, Fraction]] = defaultdict(dict)
        for (parameter, observation), chance in self.joint.items():
            if chance:
                grouped[observation][parameter] = chance
        return dict(grouped)


@frozen
class FiniteModel:
    """A parameter, data drawn given it, and public information computed from the data, all on finite sets.

    Definition: theta has the law `prior`, X given theta the law `data[theta]`, and Z = public(X).
    """

    prior: Chances = field(converter=_law, hash=False)
    data: FiniteMechanism = field(converter=_channel)
    public: Callable[[Any], Hashable]

    def __attrs_post_init__(self) -> None:
        for parameter in self.prior:
            self.data.law(parameter)

    def given(self, observed: Hashable) -> FiniteModel:
        """The model once the public variable is known: the laws of theta given z, and of X given theta and z."""
        kept = {
            parameter: {x: chance for x, chance in self.data.law(parameter).items() if self.public(x) == observed}
            for parameter in self.prior
        }
        masses = {parameter: sum(law.values(), Fraction(0)) for parameter, law in kept.items()}
        impossible = f"the public variable cannot be {observed!r} under this model"
        prior = _proportional({parameter: self.prior[parameter] * masses[parameter] for parameter in kept}, impossible)
        return FiniteModel(
            prior, {parameter: _proportional(kept[parameter], impossible) for parameter in prior}, self.public
        )

    def posterior(self, likelihood: Callable[[Any], Any], observed: Hashable) -> Chances:
        """The law of theta given Y = y and Z = `observed`.

        `likelihood` is x -> pi(y | x, z), or anything proportional to it with a factor that is free of x.
        """
        known = self.given(observed)
        weights = {
            parameter: chance
            * sum((share * exact(likelihood(x)) for x, share in known.data.law(parameter).items()), Fraction(0))
            for parameter, chance in known.prior.items()
        }
        return _proportional(weights, "no dataset that agrees with the public variable can produce the release")

    def experiment(self, release: FiniteMechanism) -> Experiment:
        """What is learnt from the release and the public variable together; an observation is (y, z)."""
        joint: defaultdict[tuple[Any, Any], Fraction] = defaultdict(Fraction)
        for parameter, chance in self.prior.items():
            for x, share in self.data.law(parameter).items():
                for y, mass in release.law(x).items():
                    joint[parameter, (y, self.public(x))] += chance * share * mass
        return Experiment(MappingProxyType(joint))
