"""A count attack read off the releases of an account."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from attrs import frozen

from accountant import Interval, InvalidValue, Scenario, ShiftError
from accountant_posterior.attacks.beliefs import belief
from accountant_posterior.attacks.counts import CountAttack, NoisyCount, Outlook
from accountant_posterior.attacks.losses import LossAttack
from accountant_posterior.attacks.scenario import ATTRIBUTE, BLOCK, PARTICIPATION, SIMULATED, AttackScenario
from accountant_posterior.semantics.adversary import check_usual

if TYPE_CHECKING:
    from accountant import Account
    from accountant.accounting import Entry
    from accountant.loss import PrivacyLoss

_MOST = 1000
_FOLLOWED = ("discrete-gaussian", "gaussian", "geometric", "laplace", "skellam")


@frozen
class BlockAttack:
    """A simulated attack, not a guarantee: what the releases about one block tell a neighbour who knows the others.

    `outlook` is what the attacker ends up with on average, and `releases` are those that were looked at.
    """

    attack: CountAttack | LossAttack
    outlook: Outlook
    place: str
    secret: frozenset[str] | None
    releases: tuple[str, ...]
    unit: str
    label: str = SIMULATED
    adversary: str = BLOCK

    @property
    def statement(self) -> str:
        """What was found, in words and rounded outward."""
        outlook, scenario = self.outlook, self.attack.scenario
        secret = "" if self.secret is None else f" (unknown: {', '.join(sorted(self.secret))})"
        number = len(self.releases)
        return (
            f"Simulated attack, not a guarantee. The attacker knows {scenario.knows}{secret}, believes with probability "
            f"{Interval.of(outlook.prior).shown(4)} that {scenario.about}, and looks at {number} noisy "
            f"{'table' if number == 1 else 'tables'} that count the {self.unit}s of one {self.place}. If that is so, the "
            f"attacker ends up on average with probability {outlook.posterior.shown(4)}, which is "
            f"{outlook.risk.shown(4)} times as much, and guesses right with probability {outlook.correct.shown(4)}."
        )


def block_attack(
    account: Account,
    prior: Fraction | str,
    *,
    place: str = "block",
    secret: Iterable[str] | None = None,
    releases: Iterable[str] | None = None,
    own_cell: bool = False,
) -> BlockAttack:
    """A simulated attack, not a guarantee: one unit of one block against an attacker who knows all others there.

    Looked at are the releases with noise on every count whose query depends on the attribute `place`, or those named
    in `releases`. Between replace-one neighbours the attacker knows where the unit lives and has one alternative in mind
    to the attributes in `secret` (all that those releases depend on, other than the place, when left out): in every
    histogram one cell then rises and another one falls. With `own_cell` only the cell that rises is looked at, as an
    attacker without a single alternative would. Between add-remove neighbours the secret is whether the unit took part.

    Definition: the attack of `CountAttack` with a count for every coordinate that moves, taken as often as the release is
    made, with the scale of its noise and the step that the query's shift gives. Where some noise is not discrete Gaussian,
    that of `LossAttack` with the loss of all these counts together.
    """
    chosen = _chosen(account, place, releases)
    check_usual(account.plan.specification.neighbours)
    relation = account.plan.specification.neighbours.relation
    unknown: frozenset[str] | None = None
    if relation.edits:
        unknown = frozenset(secret) if secret is not None else _involved(chosen) - {place}
        if not unknown:
            raise InvalidValue(
                f"the releases looked at depend on nothing but the {place}, which the attacker knows: there is nothing to "
                "learn unless it is named in 'secret'"
            )
        account = account.within(Scenario("attack", unknown))
    elif secret is not None:
        raise InvalidValue(
            f"'{relation.name}' neighbours differ by a whole unit: the secret is whether it took part; leave 'secret' out"
        )
    entries = [entry for entry in account.entries if entry.release.name in chosen and not entry.shift.is_zero]
    if not entries:
        raise InvalidValue("none of the releases that the attack looks at depends on what is secret: nothing to learn")
    scenario: AttackScenario = ATTRIBUTE if relation.edits else PARTICIPATION
    moves = [_moves(entry, own_cell) for entry in entries]
    attack: CountAttack | LossAttack
    if all(entry.release.mechanism.kind == "discrete-gaussian" for entry in entries):
        attack = CountAttack(
            belief(prior), [count for pair in zip(entries, moves, strict=True) for count in _counts(*pair)], scenario
        )
    else:
        attack = LossAttack(belief(prior), _loss(entries, moves), scenario)
    unit = account.plan.specification.neighbours.unit
    looked = tuple(entry.release.name for entry in entries)
    return BlockAttack(attack, attack.outlook(), place, unknown, looked, unit)


def _chosen(account: Account, place: str, releases: Iterable[str] | None) -> dict[str, frozenset[str] | None]:
    """The attributes of the releases to look at, by name."""
    known = {entry.release.name: entry for entry in account.entries}
    attributes = {name: None if e.release.query is None else e.release.query.attributes for name, e in known.items()}
    if releases is not None:
        names = tuple(releases)
        for name in names:
            if name not in known:
                raise InvalidValue(f"no release is called '{name}'")
        return {name: attributes[name] for name in names}
    found = {name: involved for name, involved in attributes.items() if involved is not None and place in involved}
    kept: dict[str, frozenset[str] | None] = {
        name: involved for name, involved in found.items() if known[name].release.mechanism.kind in _FOLLOWED
    }
    if not kept:
        raise InvalidValue(
            f"no release with {', '.join(_FOLLOWED)} noise depends on '{place}'; name the attribute of the smallest areas "
            "as 'place', or the releases"
        )
    return kept


def _involved(chosen: dict[str, frozenset[str] | None]) -> frozenset[str]:
    involved: frozenset[str] = frozenset()
    for name, attributes in chosen.items():
        if attributes is None:
            raise InvalidValue(f"the query of '{name}' may depend on everything; say which attributes are secret")
        involved |= attributes
    return involved


def _moves(entry: Entry, own_cell: bool) -> list[Fraction]:
    """How the target moves the counts of one release, the first of which rises."""
    release, shift = entry.release, entry.shift
    if release.mechanism.kind not in _FOLLOWED:
        raise ShiftError(
            f"'{release.name}' has no {', '.join(_FOLLOWED)} noise; the attack follows counts with such noise only"
        )
    if release.sampling is not None or release.scope is not None:
        raise ShiftError(f"'{release.name}' looks at some records only; the attack follows releases of all records")
    if shift.coordinates is None:
        raise ShiftError(f"of the query of '{release.name}' only norms are known; the attack needs the cells that move")
    if any(step.denominator != 1 for step in shift.coordinates):
        raise ShiftError(f"'{release.name}' moves {shift}; the attack is on whole counts")
    if release.times > _MOST:
        raise ShiftError(f"'{release.name}' is made {release.times:,} times; the attack follows at most {_MOST:,}")
    # A shift is known up to its sign: the target is said to be present where the first cell rises.
    side = 1 if shift.coordinates[0] > 0 else -1
    steps = [side * step for step in shift.coordinates]
    return steps[:1] if own_cell else steps


def _counts(entry: Entry, moves: list[Fraction]) -> list[NoisyCount]:
    """The counts of one release with discrete Gaussian noise, as often as it is made."""
    mechanism: Any = entry.release.mechanism
    scale = mechanism.variance if mechanism.sigma is None else mechanism.sigma**2
    return [NoisyCount(scale, 0, int(step)) for step in moves for _ in range(entry.release.times)]


def _loss(entries: list[Entry], moves: list[list[Fraction]]) -> PrivacyLoss:
    """The loss of all counts that move, with the target over without."""
    from accountant.loss import compose
    from accountant.plugin import Shift

    pairs = zip(entries, moves, strict=True)
    return compose((entry.release.mechanism.loss(Shift.along(steps)), entry.release.times) for entry, steps in pairs)
