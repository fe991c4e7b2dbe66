"""Whether an account stays within a risk profile, in the attacker's words and with a derivation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

from attrs import define, evolve, frozen

from accountant import (
    Account,
    AccountantError,
    Assessment,
    GridTooLarge,
    Guarantee,
    Interval,
    Invariant,
    Neighbours,
    Step,
    Theorem,
    Verdict,
)
from accountant_posterior.risk.bounds import MEMBERS, NEAR, VALUES, WHOLE, Attackers, one_direction
from accountant_posterior.risk.criterion import Criterion, shown_down
from accountant_posterior.risk.theorems import FAILURE, MEMBERSHIP, RISE, VERDICT
from accountant_posterior.semantics.evidence import LossEvidence, not_averaged
from accountant_posterior.semantics.odds import written
from accountant_posterior.semantics.semantics import looks_elsewhere
from accountant_posterior.semantics.theorems import BOUNDED


def assess(profile: Criterion, account: Account) -> Assessment:
    """Whether the releases of an account stay within a profile."""
    return _Assessor(profile, account).assessment()


@frozen
class _Way:
    """One way to show that a profile is kept: what it admits in a view, and what an account promises beside it.

    Each guarantee has to be at most its multiple of what is admitted.
    """

    view: Attackers
    admitted: Interval
    guarantees: tuple[tuple[Guarantee, int], ...]
    theorems: tuple[Theorem, ...]

    @property
    def implied(self) -> bool:
        limit = self.admitted.lower
        return math.isinf(limit) or all(
            found.value.at_most(multiple * Fraction(limit)) is True for found, multiple in self.guarantees
        )

    @property
    def widest(self) -> Guarantee:
        """The guarantee that decides."""
        return max(self.guarantees, key=lambda item: item[0].value.upper / item[1])[0]


@define(slots=False)
class _Assessor:
    profile: Criterion
    account: Account

    @property
    def neighbours(self) -> Neighbours:
        return self.account.plan.specification.neighbours

    def assessment(self) -> Assessment:
        profile = self.profile
        secret = profile.model.secret(self.neighbours)
        profile.check(self.neighbours)
        ways = []
        for way in self._ways():
            ways.append(way)
            if way.implied:
                break
        way = ways[-1] if ways[-1].implied else [way for way in ways if way.view is profile.view][-1]
        verdict, why = self._verdict(way)
        statement = f"{self._opening()}: {self._words(verdict, way, secret, why)}.{''.join(self._remarks())}"
        return Assessment(
            verdict, profile.adversary, way.admitted, way.widest, statement, self._derivation(way, verdict, statement)
        )

    def _ways(self) -> Iterator[_Way]:
        """Ways to show that the profile is kept, those that need least first."""
        profile, view = self.profile, self.profile.view
        pure = self.account.measure("pure")
        yield self._way(view, [(pure, 1)])
        if view is WHOLE and self.replaced is not None:
            changed = self.replaced.measure("pure")
            yield self._way(VALUES, [(changed, 1)]) if profile.members_only else self._way(NEAR, [(pure, 1), (changed, 1)])
        if not profile.failure:
            return
        if view is not MEMBERS:
            _check_averages(self.account)
        if view is not WHOLE:
            yield self._failing(view, [(self.account, 1)])
            return
        # Two values of one record are two steps apart; between replace-one neighbours they may be nearer.
        second = self.replaced or self._doubled()
        absent = [] if profile.members_only else [(self.account, 1)]
        yield self._failing(view, [*absent, (second, 2)])
        if self.replaced is not None:
            yield self._failing(NEAR, [*absent, (second, 1)])

    def _way(self, view: Attackers, guarantees: Sequence[tuple[Guarantee, int]]) -> _Way:
        theorems = (RISE if self.profile.view is WHOLE else MEMBERSHIP,)
        return _Way(view, self.profile.admits(view).epsilon, tuple(guarantees), theorems)

    def _failing(self, view: Attackers, accounts: Sequence[tuple[Account, int]]) -> _Way:
        """What holds but with the probability that the profile allows."""
        admitted, chance = self.profile.admits(view).epsilon, self.profile.failure
        two_sided = view in (MEMBERS, VALUES)
        if two_sided and not math.isinf(admitted.lower):
            chance = one_direction(chance, admitted)
        guarantees = [(account.measure("pbdp", delta=chance), multiple) for account, multiple in accounts]
        return _Way(view, admitted, tuple(guarantees), (BOUNDED, MEMBERSHIP) if two_sided else (FAILURE, RISE))

    @cached_property
    def replaced(self) -> Account | None:
        """The same releases between datasets in which the target has another value, where that is known."""
        return LossEvidence(self.account).replaced(1)

    def _doubled(self) -> Account:
        """The same releases between datasets two steps apart."""
        found = LossEvidence(self.account).grouped(2)
        if found is None:
            raise AccountantError(
                "what is known of the releases says nothing about two values of one record, and the independent adversary "
                "compares such; use the strong adversary, or releases that are known by their mechanisms"
            )
        return found

    def _verdict(self, way: _Way) -> tuple[Verdict, str]:
        if self.account.closest.vacuous:
            return Verdict.VACUOUS, "no two datasets that agree on the invariants are compared"
        if self._published:
            names = ", ".join(f"'{invariant.name}'" for invariant in self._published)
            return Verdict.UNKNOWN, (
                f"nothing is promised about what follows from {names}, published exactly, and who knows enough of "
                "the other records may learn anything from that"
            )
        if way.implied:
            return Verdict.IMPLIED, ""
        exceeded = self._exceeded()
        return (Verdict.UNKNOWN, "") if exceeded is None else (Verdict.REFUTED, exceeded)

    @property
    def _published(self) -> tuple[Invariant, ...]:
        """The invariants that may change with one record."""
        return self.account.plan.specification.universe.changing

    def _exceeded(self) -> str | None:
        """Whom the profile speaks of and who exceeds it, if that is known: attackers who know all other records."""
        view = self.profile.view
        views = ((MEMBERS, self.account), (VALUES, self.replaced)) if view is WHOLE else ((view, self.account),)
        for seen, account in views:
            if account is None or not self.profile.speaks_of(seen):
                continue
            failure, admitted = self.profile.failure, self.profile.admits(seen)
            corner = admitted.corner
            if corner is not None and _reached(account, failure) > admitted.epsilon.upper:
                prior = [
                    f"{name} probability {written(belief)}" if belief else f"{name} probability near 0"
                    for name, belief in (("membership", corner.membership), ("disclosure", corner.disclosure))
                ]
                chance = f" with probability above {written(failure)}" if failure else " for some output"
                supposed = _if_claimed(account)
                return (
                    f"an attacker with {' and '.join(prior)} exceeds the profile ({self.profile.words}){chance}{supposed}"
                )
        return None

    def _opening(self) -> str:
        model = self.profile.model
        assumed = f", if {model.assumes}" if model.name == "independent" else ""
        return f"Against the {model.name} adversary, who knows {model.knows}{assumed}"

    def _words(self, verdict: Verdict, way: _Way, secret: str, why: str) -> str:
        found, failure = way.widest, self.profile.failure
        if verdict is Verdict.IMPLIED:
            always = (
                "whatever is released" if found.divergence == "pure" else f"except with probability at most {_up(failure)}"
            )
            return f"beliefs about {secret} stay within the profile ({self.profile.words}), {always}{self._whose(found)}"
        if verdict is Verdict.UNKNOWN and not why:
            return (
                f"whether beliefs about {secret} stay within the profile ({self.profile.words}) is not known: it admits "
                f"epsilon = {shown_down(way.admitted)}, and what is known is epsilon = {_up(found.value)}"
            )
        return why

    def _whose(self, found: Guarantee) -> str:
        if found.divergence == "pure":
            return ""
        return ", in the attacker's own model" if self.profile.view is WHOLE else ", for the secret and its opposite alike"

    def _remarks(self) -> Iterator[str]:
        attributes, specification = self.neighbours.attributes, self.account.plan.specification
        if attributes is not None:
            named = ", ".join(sorted(attributes))
            yield f" Values differ in {named} only."
            if looks_elsewhere(self.account):
                yield (
                    f" All else about the {self.neighbours.unit} is supposed to be known: who believes that it goes with "
                    f"{named} may learn more from releases that depend on it, and how much is not known."
                )
        if specification.attacker == "outsider" and any(release.sampling for release in self.account.plan.releases):
            yield " The attacker does not know who was sampled."

    def _derivation(self, way: _Way, verdict: Verdict, statement: str) -> tuple[Step, ...]:
        steps: list[Step] = []
        ends = []
        for guarantee, _ in way.guarantees:
            offset = len(steps)
            steps += [evolve(step, uses=tuple(use + offset for use in step.uses)) for step in guarantee.derivation]
            ends.append(len(steps))
        for theorem in way.theorems:
            steps.append(Step(theorem.statement, theorem, tuple(ends)))
        applied = len(steps)
        words = f"the profile '{self.profile.kind}' admits epsilon = {shown_down(way.admitted)} for the {way.view.name}"
        steps.append(Step(words, self.profile.theorem, (), way.admitted))
        steps.append(Step(f"{verdict.value}: {statement}", VERDICT, (*ends, applied, len(steps))))
        return tuple(steps)


def _if_claimed(account: Account) -> str:
    """What a refutation supposes of releases of which nobody but their provider knows how much they lose."""
    names = [f"'{entry.release.name}'" for entry in account.entries if entry.claim is not None]
    few = f"{', '.join(names[:3])} and {len(names) - 3:,} more" if len(names) > 3 else ", ".join(names)
    return f", if what is claimed of {few} is all that holds" if names else ""


def _check_averages(account: Account) -> None:
    """Refuse claims that say nothing about averages over what an attacker believes possible."""
    found = not_averaged(account)
    if found is not None:
        raise AccountantError(
            f"'{found[0]}' is only known by a claim of '{found[1]}', which says nothing about averages over the values "
            "that an attacker thinks possible; use the strong adversary between 'add-remove' neighbours, or claim a "
            "definition that is closed under averages, such as 'approx'"
        )


def _reached(account: Account, failure: Fraction) -> float:
    """A log likelihood ratio that is exceeded in both directions, with more than a probability, where a unit may be."""
    try:
        return max(
            min((side.epsilon(failure) if failure else side.supremum()).lower for side in {case.loss, case.loss.reverse()})
            for case in account.whereabouts or (account,)
        )
    except GridTooLarge:
        return 0.0


def _up(value: Interval | Fraction) -> str:
    return (value if isinstance(value, Interval) else Interval.of(value)).rounded(6)[1]
