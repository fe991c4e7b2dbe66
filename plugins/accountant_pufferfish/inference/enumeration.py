"""Inference by enumeration: the exact posterior and the exact risk on finite models, in rationals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from attrs import field, frozen

from accountant import InvalidValue
from accountant.fields import ExactLike, exact
from accountant.finite import FiniteMechanism
from accountant_pufferfish.setting.law import Law
from accountant_pufferfish.setting.public_variable import NOTHING, PublicVariable


@frozen
class Experiment:
    """The joint law of a parameter and of what is observed: all that inference on the parameter depends on.

    An outcome of `joint` is a tuple (parameter, observation).
    """

    joint: Law = field(repr=False)

    def posterior(self, observation: Hashable) -> Law:
        """The law of the parameter given what was observed."""
        weights = self._by_observation().get(observation)
        if weights is None:
            raise InvalidValue(f"nobody can observe {observation!r} under this model")
        return Law.weighted(weights)

    def coarsened(self, observe: Callable[[Any], Hashable]) -> Experiment:
        """The experiment in which only a function of the observation is seen."""
        return Experiment(self.joint.mapped(lambda outcome: (outcome[0], observe(outcome[1]))))

    def risk(self, loss: Callable[[Any, Any], ExactLike], decisions: Iterable[Any]) -> Fraction:
        """The Bayes risk: the expected loss(parameter, decision) of the best decision for each observation.

        Guarantee: coarsening never lowers it, for the best rule on the coarser experiment is a rule on the finer one.
        """
        choices = tuple(decisions)
        if not choices:
            raise InvalidValue("a decision problem needs at least one decision")
        groups = self._by_observation().values()
        return _total(
            min(_total(mass * exact(loss(parameter, choice)) for parameter, mass in weights.items()) for choice in choices)
            for weights in groups
        )

    def expected_variance(self, value: Callable[[Any], ExactLike] = lambda parameter: parameter) -> Fraction:
        """The expected posterior variance of a function of the parameter: the Bayes risk of squared error."""
        found = Fraction(0)
        for weights in self._by_observation().values():
            first = _total(mass * exact(value(parameter)) for parameter, mass in weights.items())
            second = _total(mass * exact(value(parameter)) ** 2 for parameter, mass in weights.items())
            found += second - first * first / _total(weights.values())
        return found

    def _by_observation(self) -> Mapping[Hashable, Mapping[Any, Fraction]]:
        grouped: defaultdict[Hashable, dict[Any, Fraction]] = defaultdict(dict)
        outcomes: Iterable[tuple[Any, Fraction]] = self.joint.items()
        for (parameter, observation), mass in outcomes:
            grouped[observation][parameter] = mass
        return grouped


def _law(chances: Mapping[Any, ExactLike]) -> Law:
    return chances if isinstance(chances, Law) else Law(chances)


def _laws(laws: Mapping[Any, Mapping[Any, ExactLike]]) -> Mapping[Hashable, Law]:
    return {parameter: _law(chances) for parameter, chances in laws.items()}


@frozen
class FiniteModel:
    """A parameter, data drawn given it, and public information about the data, all on finite sets.

    Definition: theta has the law `prior`, X given theta the law `data[theta]`, and Z is the value of `public` at X.
    """

    prior: Law = field(converter=_law)
    data: Mapping[Hashable, Law] = field(converter=_laws, hash=False)
    public: PublicVariable = NOTHING

    def __attrs_post_init__(self) -> None:
        for parameter in self.prior:
            if parameter not in self.data:
                raise InvalidValue(f"the model has no law of the data for the parameter {parameter!r}")

    def given(self, value: Hashable) -> FiniteModel:
        """The model once the public variable is known: the laws of theta given z, and of X given theta and z."""
        weights = {parameter: mass * self.public.law(self.data[parameter])[value] for parameter, mass in self.prior.items()}
        if not any(weights.values()):
            raise InvalidValue(f"{self.public} = {value!r} is impossible under this model")
        prior = Law.weighted(weights)
        return FiniteModel(prior, {theta: self.public.given(value, self.data[theta]) for theta in prior}, self.public)

    def posterior(self, likelihood: Callable[[Any], ExactLike], value: Hashable) -> Law:
        """The law of theta given Y = y and Z = `value`.

        `likelihood` is x -> pi(y | x, z), or anything proportional to it with a factor that is free of x.
        """
        known = self.given(value)
        weights = {
            parameter: mass * _total(share * exact(likelihood(x)) for x, share in known.data[parameter].items())
            for parameter, mass in known.prior.items()
        }
        if not any(weights.values()):
            raise InvalidValue(f"no data with {self.public} = {value!r} can produce the release")
        return Law.weighted(weights)

    def experiment(self, release: FiniteMechanism) -> Experiment:
        """What is learnt from the release and the public variable together; an observation is (y, z)."""
        joint: defaultdict[Hashable, Fraction] = defaultdict(Fraction)
        for parameter, mass in self.prior.items():
            for x, share in self.data[parameter].items():
                seen = Law.records([release.law(x), self.public.law(Law.point(x))])
                for observation, chance in seen.items():
                    joint[parameter, observation] += mass * share * chance
        return Experiment(Law(joint))


def _total(numbers: Iterable[Fraction]) -> Fraction:
    return sum(numbers, Fraction(0))
