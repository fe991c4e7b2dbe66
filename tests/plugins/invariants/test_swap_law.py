"""Records that are swapped: the law of what the code draws, by going through everything that it can draw, in fractions."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from accountant_invariants import Swapping
from accountant_invariants.stratum import Stratum
from accountant_invariants.swap import moving
from accountant_invariants.swap.draws import Draws
from accountant_invariants.swap.strata import Strata
from tests.plugins.invariants.enumeration import RATES, VERSIONS, permuted

Law = dict[tuple[int, ...], Fraction]
Sources = Callable[[Strata, Swapping, Any], NDArray[np.int64]]


class Again(Exception):
    """Something is drawn once more: what was drawn before is rejected."""


class Script:
    """Draws that are decided beforehand: one selection, and one order of those selected."""

    def __init__(self, selected: tuple[bool, ...], order: tuple[int, ...] | None) -> None:
        self.selected: tuple[bool, ...] | None = selected
        self.order = order
        self.asked = 0

    def chosen(self, rate: Fraction, count: int) -> NDArray[np.bool_]:
        if self.selected is None:
            raise Again
        found, self.selected = self.selected, None
        assert len(found) == count
        return np.array(found)

    def shuffled(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        self.asked = len(groups)
        if self.order is None or len(self.order) != len(groups):
            raise Again
        found, self.order = self.order, None
        return np.array(found, dtype=np.int64)


def swapping(sizes: list[int], rate: Fraction, version: str, single: str) -> Swapping:
    return Swapping(rate, sizes, ["block"], ["race"], ["age"], version, single)  # type: ignore[arg-type]


def drawn_law(size: int, rate: Fraction, version: str, single: str, sources: Sources) -> Law:
    """The law of the permutation that the code makes of a stratum, from all selections and all orders.

    What is drawn again has the law of what was accepted: selections are weighed among those accepted, and orders among
    those accepted of the same selection.
    """
    mechanism, strata = swapping([size, 2], rate, version, single), Strata(np.zeros(size, dtype=np.int64))
    found: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for selected in itertools.product((False, True), repeat=size):
        outcomes = list(_orders(selected, mechanism, strata, sources))
        if outcomes:
            chance = rate ** sum(selected) * (1 - rate) ** (size - sum(selected))
            for outcome in outcomes:
                found[outcome] += chance / len(outcomes)
    total = sum(found.values())
    return {order: chance / total for order, chance in found.items()}


def _orders(selected: tuple[bool, ...], mechanism: Swapping, strata: Strata, sources: Sources) -> Iterator[tuple[int, ...]]:
    """All that a selection is turned into, once for each order that is accepted; nothing where it is drawn again."""
    for count in range(len(selected) + 1):
        for order in itertools.permutations(range(count)):
            script = Script(selected, order)
            try:
                found = sources(strata, mechanism, script)
            except Again:
                continue
            if script.asked == count:
                yield tuple(int(source) for source in found)


@pytest.mark.parametrize(("version", "single"), VERSIONS)
@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_code_draws_permutations_with_their_chances(size: int, version: str, single: str) -> None:
    for rate in (Fraction(1, 20), Fraction(3, 5)):
        expected = {order: chance for order, chance in permuted(size, rate, version, single).items() if chance}
        assert drawn_law(size, rate, version, single, moving.sources) == expected


def loses(law: Law, size: int) -> float:
    """The largest logarithm of a ratio of chances for each record that differs, over all pairs of datasets."""
    found = 0.0
    for other in itertools.permutations(range(size)):
        distance = sum(place != source for place, source in enumerate(other))
        for order in itertools.permutations(range(size)) if distance else ():
            pair = [law.get(outcome, Fraction(0)) for outcome in (order, tuple(other[source] for source in order))]
            if any(pair):
                found = max(found, abs(math.log(pair[0] / pair[1])) / distance if all(pair) else math.inf)
    return found


@pytest.mark.parametrize(("version", "single"), VERSIONS)
@pytest.mark.parametrize("size", [2, 3, 4])
def test_what_the_code_draws_loses_what_the_account_promises(size: int, version: str, single: str) -> None:
    for rate in RATES[:4]:
        promised = Stratum(size, rate, version, single).epsilon  # type: ignore[arg-type]
        found = loses(drawn_law(size, rate, version, single, moving.sources), size)
        assert promised.lower - 1e-12 <= found <= promised.upper + 1e-12


def not_independent(strata: Strata, mechanism: Swapping, draws: Any) -> NDArray[np.int64]:
    """An error: records are selected only together with the one before them."""

    class Together:
        shuffled = staticmethod(draws.shuffled)

        @staticmethod
        def chosen(rate: Fraction, count: int) -> NDArray[np.bool_]:
            found: NDArray[np.bool_] = draws.chosen(rate, count)
            found[1:] &= found[:-1]
            return found

    return moving.sources(strata, mechanism, Together())  # type: ignore[arg-type]


def one_way_round(strata: Strata, mechanism: Swapping, draws: Any) -> NDArray[np.int64]:
    """An error: derangements that only turn all values by one place, whatever was drawn."""
    found = moving.sources(strata, mechanism, draws)
    places = np.flatnonzero(found != np.arange(len(found)))
    found[places] = np.roll(places, 1)
    return found


def never_again(strata: Strata, mechanism: Swapping, draws: Any) -> NDArray[np.int64]:
    """An error: a single record that is to be deranged stays, though the selection should be drawn again."""
    kept = swapping([*mechanism.strata], mechanism.rate, mechanism.version, "keep")
    return moving.sources(strata, kept, draws)


@pytest.mark.parametrize("planted", [not_independent, one_way_round, never_again])
def test_wrong_draws_are_noticed(planted: Sources) -> None:
    rate = Fraction(1, 4)
    expected = {order: chance for order, chance in permuted(4, rate, "derange", "redraw").items() if chance}
    assert drawn_law(4, rate, "derange", "redraw", moving.sources) == expected
    assert drawn_law(4, rate, "derange", "redraw", planted) != expected


def test_values_stay_in_their_strata() -> None:
    """And a stratum of one record stays as it is, whatever is selected."""
    labels = np.array([0, 1, 1, 2, 0, 1, 3, 3, 0, 1])
    for version, single in VERSIONS:
        mechanism = swapping([3, 4, 1, 2], Fraction(4, 5), version, single)
        for seed in range(30):
            found = moving.sources(Strata(labels), mechanism, Draws.of(seed))
            assert sorted(found.tolist()) == list(range(10))
            assert (labels[found] == labels).all()


def test_an_event_has_exactly_its_chance() -> None:
    """Words below the chance happen, those above do not, and further words decide where 64 bits do not."""
    rate = Fraction(1, 3)
    edge = 2**64 // 3
    words = iter([[edge - 1, edge, edge + 1, edge], [edge - 1, edge + 1]])
    draws = Draws(lambda count: np.array(next(words)[:count], dtype=np.uint64))
    assert draws.chosen(rate, 4).tolist() == [True, True, False, False]
    exact = Draws(lambda count: np.array([2**62 - 1, 2**62][:count], dtype=np.uint64))
    assert exact.chosen(Fraction(1, 4), 2).tolist() == [True, False]
    assert Draws.of(1).chosen(Fraction(1), 3).tolist() == [True] * 3
    assert Draws.of(1).chosen(Fraction(0), 3).tolist() == [False] * 3


def test_equal_words_are_drawn_again() -> None:
    words = iter([[5, 5, 1], [7, 2, 9]])
    draws = Draws(lambda count: np.array(next(words), dtype=np.uint64))
    assert draws.shuffled(np.zeros(3, dtype=np.int64)).tolist() == [1, 0, 2]
    apart = Draws(lambda count: np.array([5, 5, 1], dtype=np.uint64))
    assert apart.shuffled(np.array([0, 1, 1])).tolist() == [0, 2, 1]


@pytest.mark.parametrize(("version", "single"), VERSIONS)
@pytest.mark.parametrize("seed", [None, 7])
def test_what_is_drawn_has_its_chances(version: str, single: str, seed: int | None) -> None:
    """40,000 strata of three records: no permutation is 6 standard deviations off; that happens once in 10^8 times."""
    many, rate = 40_000, Fraction(2, 5)
    strata = Strata(np.repeat(np.arange(many), 3))
    found = moving.sources(strata, swapping([3], rate, version, single), Draws.of(seed))
    seen = Counter(map(tuple, (found.reshape(-1, 3) - 3 * np.arange(many)[:, None]).tolist()))
    for order, chance in permuted(3, rate, version, single).items():
        expected, spread = float(many * chance), float(many * chance * (1 - chance)) ** 0.5
        assert abs(seen[order] - expected) <= 6 * spread


def test_a_seed_repeats_what_was_drawn() -> None:
    strata, mechanism = Strata(np.repeat(np.arange(5), 40)), swapping([40], Fraction(1, 2), "permute", "redraw")
    runs = [moving.sources(strata, mechanism, Draws.of(seed)).tolist() for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    system = [moving.sources(strata, mechanism, Draws.of()).tolist() for _ in range(2)]
    assert system[0] != system[1]


def targeted(rest: str, values: str, rare: Fraction, usual: Fraction) -> dict[tuple[tuple[str, str], ...], Fraction]:
    """What is published where records that nobody is like are selected with another chance than the others, permuted."""
    like = Counter(zip(rest, values, strict=True))
    rates = [rare if like[record] == 1 else usual for record in zip(rest, values, strict=True)]
    found: defaultdict[tuple[tuple[str, str], ...], Fraction] = defaultdict(Fraction)
    for selected in itertools.product((False, True), repeat=len(values)):
        chances = [rate if chosen else 1 - rate for rate, chosen in zip(rates, selected, strict=True)]
        places = [place for place, chosen in enumerate(selected) if chosen]
        for order in itertools.permutations(places):
            output = list(values)
            for place, source in zip(places, order, strict=True):
                output[place] = values[source]
            published = tuple(sorted(zip(rest, output, strict=True)))
            found[published] += math.prod(chances, start=Fraction(1)) / math.factorial(len(places))
    return found


def test_targeted_swapping_loses_more_than_either_rate_alone() -> None:
    """The example of docs/explanation/swapping.md: datasets in which nobody is rare, and everybody."""

    def cost(rare: Fraction, usual: Fraction) -> float:
        first, second = targeted("uuvv", "aabb", rare, usual), targeted("uuvv", "baba", rare, usual)
        pairs = [(chance, second.get(output, Fraction(0))) for output, chance in first.items()]
        pairs += [(chance, first.get(output, Fraction(0))) for output, chance in second.items()]
        return max(abs(math.log(one / other)) / 2 if other else math.inf for one, other in pairs if one)

    tenth = Fraction(1, 10)
    alone = Stratum(4, tenth, "permute").epsilon
    assert cost(tenth, tenth) <= alone.upper
    assert cost(1 - tenth, tenth) > alone.upper > Stratum(4, 1 - tenth, "permute").epsilon.upper
    assert f"{cost(1 - tenth, tenth):.4f}" == "4.5910"
    assert cost(Fraction(1), Fraction(0)) == math.inf
