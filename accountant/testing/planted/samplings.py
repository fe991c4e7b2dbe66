"""What may go wrong in a sampling."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from attrs import evolve

from accountant.errors import AccountantError, InvalidValue, ShiftError
from accountant.loss import NO_LOSS, FiniteLoss, PrivacyLoss
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours, Relation
from accountant.registry.registry import default_registry
from accountant.release.sampling import SAMPLINGS, Sampling
from accountant.testing.instances import edge_cases
from accountant.testing.planting import TENTH, faulty, number_fields

FAMILY = SAMPLINGS
Between = Callable[[Relation], PrivacyLoss]


def rate_squared(cls: type[Sampling]) -> type[Sampling]:
    """What the sample hides is counted twice."""

    def loss(sampling: Sampling, between: Between, neighbours: Neighbours) -> PrivacyLoss:
        return cls.loss(sampling, lambda relation: cls.loss(sampling, between, neighbours), neighbours)

    return faulty(cls, loss=loss)


def nothing_lost(cls: type[Sampling]) -> type[Sampling]:
    """A sample is said to hide everything."""
    return faulty(cls, loss=lambda sampling, between, neighbours: NO_LOSS)


def groups_hidden(cls: type[Sampling]) -> type[Sampling]:
    """Where several units differ at once, which the theorem is said to cover, a sample is said to hide them."""

    def loss(sampling: Sampling, between: Between, neighbours: Neighbours) -> PrivacyLoss:
        return NO_LOSS if neighbours.group > 1 else cls.loss(sampling, between, neighbours)

    return faulty(cls, loss=loss, covers_groups=True)


def small_rates_hide_everything(cls: type[Sampling]) -> type[Sampling] | None:
    """A sample of less than one in fifty is said to lose nothing."""
    names = list(number_fields(cls))
    if not names:
        return None

    def loss(sampling: Sampling, between: Between, neighbours: Neighbours) -> PrivacyLoss:
        small = all(getattr(sampling, name) < Fraction(1, 50) for name in names)
        return NO_LOSS if small else cls.loss(sampling, between, neighbours)

    return faulty(cls, loss=loss)


def large_rates_turned_round(cls: type[Sampling]) -> type[Sampling] | None:
    """Rates of more than a half are taken for what they leave."""
    names = list(number_fields(cls))
    if not names:
        return None

    def loss(sampling: Sampling, between: Between, neighbours: Neighbours) -> PrivacyLoss:
        rates = {name: getattr(sampling, name) for name in names}
        turned = {name: 1 - rate for name, rate in rates.items() if Fraction(1, 2) < rate < 1}
        return cls.loss(evolve(sampling, **turned), between, neighbours)

    return faulty(cls, loss=loss)


def replaced_taken_for_absent(cls: type[Sampling]) -> type[Sampling] | None:
    """A record that is replaced is taken for one that comes or goes."""
    if any(all(_refused(sampling, near) for sampling in _known(cls)) for near in _NEAR):
        return None

    def loss(sampling: Sampling, between: Between, neighbours: Neighbours) -> PrivacyLoss:
        return cls.loss(sampling, lambda relation: between(ADD_REMOVE), Neighbours(ADD_REMOVE))

    return faulty(cls, loss=loss)


def certain_samples_refused(cls: type[Sampling]) -> type[Sampling]:
    """It fails on parameters that it takes, in words that a plan is refused by."""

    def loss(sampling: Sampling, between: Between, neighbours: Neighbours) -> PrivacyLoss:
        raise InvalidValue(f"'{sampling.kind}' cannot be accounted for")

    return faulty(cls, loss=loss)


def all_neighbours_refused(cls: type[Sampling]) -> type[Sampling]:
    """Nothing is claimed between any neighbours, so that nothing can be wrong."""

    def check(sampling: Sampling, neighbours: Neighbours) -> None:
        raise ShiftError(f"'{sampling.kind}' is not accounted for between '{neighbours.relation.name}' neighbours")

    return faulty(cls, check=check)


def large_datasets_only(cls: type[Sampling]) -> type[Sampling]:
    """Nothing is claimed of fewer than a hundred records, and of those that there are nothing is lost."""
    return faulty(cls, least_records=100, loss=lambda sampling, between, neighbours: NO_LOSS)


def one_direction_hidden(cls: type[Sampling]) -> type[Sampling] | None:
    """What the sample hides one way is taken for what it hides both ways."""

    def loss(sampling: Sampling, between: Between, neighbours: Neighbours) -> PrivacyLoss:
        return cls.loss(sampling, between, neighbours).reverse()

    coin = FiniteLoss([("3/4", "1/4"), ("1/4", "3/4")])
    lost = [cls.loss(sampling, lambda relation: coin, _NEAR[0]) for sampling in _known(cls)]
    return None if all(_symmetric(each) for each in lost) else faulty(cls, loss=loss)


def amplification_forgotten(cls: type[Sampling]) -> type[Sampling]:
    """What the mechanism loses on all records is said to be lost on a sample, and no less."""
    return faulty(cls, loss=lambda sampling, between, neighbours: between(neighbours.relation))


def rate_taken_for_a_larger_one(cls: type[Sampling]) -> type[Sampling] | None:
    """As much is said to be lost as by a rate halfway to one, and no less, though its draws say otherwise."""
    names = list(number_fields(cls))
    if cls.draws is Sampling.draws or not names:
        return None

    def loss(sampling: Sampling, between: Between, neighbours: Neighbours) -> PrivacyLoss:
        rate = getattr(sampling, names[0])
        return cls.loss(evolve(sampling, **{names[0]: (rate + 1) / 2}) if rate else sampling, between, neighbours)

    return faulty(cls, loss=loss)


def insider_told_nothing(cls: type[Sampling]) -> type[Sampling]:
    """Samples are said never to differ for somebody who knows who was sampled."""
    return faulty(cls, between_samples=lambda sampling, neighbours: None)


def insider_compares_the_datasets(cls: type[Sampling]) -> type[Sampling] | None:
    """Somebody who knows who was sampled is said to compare the datasets, not the samples."""
    if all(_samples(sampling, near) in (None, near) for sampling in _known(cls) for near in _NEAR):
        return None
    return faulty(cls, between_samples=lambda sampling, neighbours: neighbours)


def draws_lose_mass(cls: type[Sampling]) -> type[Sampling] | None:
    """Some draws are left out of the list."""

    def draws(sampling: Sampling, records: int) -> Any:
        found = cls.draws(sampling, records)
        return None if found is None else tuple((chance * TENTH, taken) for chance, taken in found)

    return None if cls.draws is Sampling.draws else faulty(cls, draws=draws)


def draws_all_alike(cls: type[Sampling]) -> type[Sampling] | None:
    """All draws are listed as equally likely."""

    def draws(sampling: Sampling, records: int) -> Any:
        found = cls.draws(sampling, records)
        return None if found is None else tuple((Fraction(1, len(found)), taken) for _, taken in found)

    same = all(cls.draws(sampling, 3) == draws(sampling, 3) for sampling in _known(cls))
    return None if cls.draws is Sampling.draws or same else faulty(cls, draws=draws)


def all_records_in_the_list(cls: type[Sampling]) -> type[Sampling] | None:
    """Beside an oracle that says otherwise, its own list of draws has all records and nothing else."""

    def draws(sampling: Sampling, records: int) -> Any:
        return ((Fraction(1), tuple(range(records))),)

    return faulty(cls, draws=draws) if cls.draws is Sampling.draws else None


def _refused(sampling: Sampling, neighbours: Neighbours) -> bool:
    try:
        sampling.check(neighbours)
    except AccountantError:
        return True
    return False


def _symmetric(loss: PrivacyLoss) -> bool:
    back = loss.reverse()
    return all(abs(loss.delta(at).upper - back.delta(at).upper) < 1e-9 for at in (Fraction(0), Fraction(1, 2)))


_NEAR = (Neighbours(ADD_REMOVE), Neighbours(REPLACE_ONE))


def _known(cls: type[Sampling]) -> tuple[Sampling, ...]:
    return edge_cases(cls, default_registry(), 8)


def _samples(sampling: Sampling, neighbours: Neighbours) -> Neighbours | None:
    """What an insider compares; None where that is not said."""
    try:
        return sampling.between_samples(neighbours)
    except AccountantError:
        return None
