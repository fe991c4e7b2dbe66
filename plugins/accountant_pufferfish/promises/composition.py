"""Which promises relative to public information add up."""

from __future__ import annotations

from attrs import evolve

from accountant import Interval, InvalidValue, Step
from accountant_pufferfish.promises.evidence import (
    Ballwise,
    Evidence,
    Pointwise,
    RichScenarios,
    SecretIndependent,
)
from accountant_pufferfish.promises.guarantee import CompositionError, PufferfishGuarantee
from accountant_pufferfish.setting.setting import Setting
from accountant_pufferfish.theorems import ADDITION, INDEPENDENT_OUTPUTS

_REMEDY = "account pointwise, then convert once by the Wasserstein distance of order infinity (see pointwise_guarantee)"


def compose(*guarantees: PufferfishGuarantee) -> PufferfishGuarantee:
    """The promise of several releases together, where their evidence lets epsilons add up.

    Guarantee: no output of all releases together changes the odds between two secrets of a live pair by more than a factor
    of e^epsilon. Exact epsilons of mixtures are refused: two releases that each reveal nothing can together reveal
    everything.
    """
    if not guarantees:
        raise InvalidValue("nothing to compose: give at least one promise")
    first = guarantees[0]
    for other in guarantees[1:]:
        _require_same(first.setting, other.setting)
    if len(guarantees) == 1:
        return first
    if any(item.vacuous for item in guarantees):
        return next(item for item in guarantees if item.vacuous)
    if any(item.bound == "lower" for item in guarantees):
        raise CompositionError("a lower bound from some of the scenarios promises nothing, so there is nothing to add up")
    evidence = _common([item.evidence for item in guarantees], first.setting)
    epsilons = [item.epsilon for item in guarantees if item.epsilon is not None]
    total = epsilons[0]
    for epsilon in epsilons[1:]:
        total = total + epsilon
    # All releases together reveal no less than each by itself.
    value = Interval(max(epsilon.lower for epsilon in epsilons), total.upper)
    derivation = _joined(guarantees, evidence, value)
    return PufferfishGuarantee(first.setting, value, "upper", evidence, first.live_pairs, derivation)


def _joined(guarantees: tuple[PufferfishGuarantee, ...], evidence: Evidence, value: Interval) -> tuple[Step, ...]:
    """The derivations one after the other, and the step that uses the last line of each."""
    steps: list[Step] = []
    lasts = []
    for item in guarantees:
        offset = len(steps)
        steps += [evolve(step, uses=tuple(line + offset for line in step.uses)) for step in item.derivation]
        lasts.append(len(steps))
    theorem = INDEPENDENT_OUTPUTS if isinstance(evidence, SecretIndependent) else ADDITION
    return *steps, Step(f"epsilons of {len(guarantees)} releases add up: {evidence}", theorem, tuple(lasts), value)


def _require_same(left: Setting, right: Setting) -> None:
    if left.public != right.public:
        raise CompositionError(
            f"one promise is relative to '{left.public}', the other to '{right.public}': they do not add up; re-derive "
            f"both relative to {left.public.with_other(right.public)}"
        )
    for what, one, other in (
        ("scenarios", left.scenarios, right.scenarios),
        ("pairs of secrets", left.pairs, right.pairs),
        ("published values", left.values, right.values),
        ("proved distances", left.certified, right.certified),
    ):
        if one != other:
            raise CompositionError(f"the promises are about different {what}; re-derive both in one setting")


def _common(evidence: list[Evidence], setting: Setting) -> Evidence:
    """The evidence that all releases together have."""
    rich = [item for item in evidence if isinstance(item, RichScenarios)]
    if rich:
        # In a rich setting every promise, however it was found, holds for all datasets that the secrets tell apart.
        if rich[0].setting != setting:
            raise CompositionError("the scenarios were found rich in another setting; check them in this one")
        return rich[0]
    if all(isinstance(item, SecretIndependent) for item in evidence):
        return _independent([item for item in evidence if isinstance(item, SecretIndependent)], setting)
    balls = [item for item in evidence if isinstance(item, (Pointwise, Ballwise))]
    if len(balls) < len(evidence):
        other = next(item for item in evidence if not isinstance(item, (Pointwise, Ballwise)))
        raise CompositionError(
            f"a promise of the kind '{other}' does not add up with others: releases that reveal nothing each can reveal "
            f"everything together; {_REMEDY}"
        )
    return _around(balls, setting)


def _around(balls: list[Pointwise | Ballwise], setting: Setting) -> Evidence:
    """What promises that hold up to a distance say together, if that is as far as the data can be apart."""
    for item in balls[1:]:
        if item.metric != balls[0].metric:
            raise CompositionError(
                f"one promise is in {balls[0].metric}, the other in {item.metric}; re-derive both in one metric"
            )
        if item.radius != balls[0].radius:
            raise CompositionError(
                f"one promise holds up to a distance of {balls[0].radius}, the other up to {item.radius}; re-derive both "
                "for one radius"
            )
    needed = setting.radius(balls[0].metric)
    if needed is None or needed > balls[0].radius:
        raise CompositionError(
            f"the promises hold up to a distance of {balls[0].radius} in {balls[0].metric}, and the data can be farther "
            f"apart; {_REMEDY}"
        )
    return next((item for item in balls if isinstance(item, Ballwise)), balls[0])


def _independent(evidence: list[SecretIndependent], setting: Setting) -> SecretIndependent:
    jointly = evidence[0].jointly
    if any(item.jointly != jointly for item in evidence):
        raise CompositionError("independence was checked for different sets of releases; check it for all together")
    if jointly.setting != setting:
        raise CompositionError("independence was checked in another setting; check it in this one")
    members = frozenset[int]().union(*(item.members for item in evidence))
    if len(members) < sum(len(item.members) for item in evidence):
        raise CompositionError(
            "a release is not independent of itself given the secret, so its promise does not add up with itself; check "
            f"the independence of all releases together, or {_REMEDY}"
        )
    return SecretIndependent(jointly, members)
