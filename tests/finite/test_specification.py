"""What is compared, by enumeration: neighbours, universes, and invariants."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import strategies as st

from accountant.errors import InvalidValue
from accountant.finite import (
    DatasetPair,
    FiniteMechanism,
    FiniteSpecification,
    Vacuous,
    compose,
    delta,
    delta_at_ratio,
    dominating_loss,
    hamming,
    lipschitz_epsilon,
    moves,
    multisets,
    pure_epsilon,
    renyi,
    sequences,
    subsets,
    symmetric_difference,
    tradeoff,
)
from accountant.promise.neighbours import Relation
from tests.finite.strategies import check, mechanisms

ADD_REMOVE = Relation("add-remove", {(1, 0), (0, 1)}, edits=False, meaning="one record appears or disappears")
REPLACE_ONE = Relation("replace-one", {(1, 1)}, edits=True, meaning="one record takes another value")
BITS = sequences((0, 1), 3)


def one_changed(left, right) -> bool:
    return hamming(left, right) == 1


def responses(keep: Fraction = Fraction(3, 5), domain=BITS) -> FiniteMechanism:
    """Randomised response on every bit."""
    one_bit = {bit: {bit: keep, 1 - bit: 1 - keep} for bit in (0, 1)}
    return compose(*[FiniteMechanism({x: one_bit[x[i]] for x in domain}) for i in range(len(domain[0]))])


def exact_sum_and_responses() -> FiniteMechanism:
    return compose(FiniteMechanism({x: {sum(x): 1} for x in BITS}), responses())


# Enumeration ------------------------------------------------------------------------------------------------


def test_domains_have_as_many_datasets_as_counting_says() -> None:
    assert len(set(sequences("abc", 4))) == 3**4
    assert len(set(multisets("abc", 4))) == sum(math.comb(size + 2, 2) for size in range(5))
    assert len(set(subsets("abcd"))) == 2**4
    assert sequences("ab", 0) == multisets("ab", 0) == ((),)
    for enumerate_all in (sequences, multisets):
        with pytest.raises(InvalidValue, match="-1 records"):
            enumerate_all("ab", -1)


def test_pairs_are_counted_once() -> None:
    assert FiniteSpecification.neighbours(BITS, one_changed).count == 3 * 2**2
    assert FiniteSpecification.universes(BITS, hamming).count == math.comb(8, 2)
    assert FiniteSpecification.neighbours(subsets("abc"), moves(ADD_REMOVE)).count == 3 * 2**2
    # A multiset of size 1 or 2 over two values: {a}-{b}, {aa}-{ab}, {ab}-{bb}.
    assert FiniteSpecification.neighbours(multisets("ab", 2), moves(REPLACE_ONE)).count == 3
    assert FiniteSpecification.neighbours(BITS, lambda x, y: x < y and one_changed(x, y)).count == 12


def test_datasets_of_different_size_are_not_compared_by_hamming() -> None:
    assert hamming((0,), (0, 1)) is None
    assert symmetric_difference((0,), (0, 1)) == 1
    assert symmetric_difference((0, 0), (0, 1)) == 2
    assert FiniteSpecification.universes([(0,), (0, 1)], hamming).vacuous


def test_the_smaller_distance_binds_where_directions_differ() -> None:
    one_way = FiniteSpecification.universes([0, 1], lambda left, right: 3 if left < right else 2)
    assert one_way.comparisons == (DatasetPair(0, 1, 2),)
    with pytest.raises(InvalidValue, match="cannot be negative"):
        DatasetPair(0, 1, -1)


# Randomised response ----------------------------------------------------------------------------------------


def test_randomised_response_costs_its_logit() -> None:
    found = pure_epsilon(responses(), FiniteSpecification.neighbours(BITS, one_changed))
    assert found.logarithm_of == Fraction(3, 2)
    assert found.value.lower <= math.log(1.5) <= found.value.upper
    assert found.comparisons == 12


def test_randomised_response_is_exactly_proportional_to_the_distance() -> None:
    mechanism = responses()
    for left, right in itertools.combinations(BITS, 2):
        assert mechanism.pair(left, right).likelihood_ratio() == Fraction(3, 2) ** hamming(left, right)
    found = lipschitz_epsilon(mechanism, FiniteSpecification.universes(BITS, hamming))
    assert found.value.lower <= math.log(1.5) <= found.value.upper
    assert found.value.width < 1e-14


def test_a_household_of_two_persons_costs_twice() -> None:
    """Persons 0 and 1 live together, person 2 alone."""

    def households(left, right) -> int:
        return (left[:2] != right[:2]) + (left[2] != right[2])

    person = lipschitz_epsilon(responses(), FiniteSpecification.universes(BITS, hamming))
    household = lipschitz_epsilon(responses(), FiniteSpecification.universes(BITS, households))
    assert household.logarithm_of == Fraction(3, 2) ** 2
    assert household.value.lower <= 2 * math.log(1.5) <= household.value.upper
    assert person.value.upper < household.value.lower


# Invariants -------------------------------------------------------------------------------------------------


def test_publishing_the_sum_is_private_only_between_datasets_with_that_sum() -> None:
    mechanism = exact_sum_and_responses()
    everything = FiniteSpecification.universes(BITS, hamming)
    assert lipschitz_epsilon(mechanism, everything).value.lower == math.inf
    assert lipschitz_epsilon(mechanism, everything.refine(lambda x: x[0])).value.lower == math.inf
    same_sum = lipschitz_epsilon(mechanism, everything.refine(sum))
    assert same_sum.logarithm_of == Fraction(3, 2) ** 2
    assert same_sum.value.lower <= math.log(1.5) <= same_sum.value.upper


def test_nothing_compared_is_vacuous_and_never_zero() -> None:
    """No two datasets with the same sum differ in exactly one bit."""
    empty = FiniteSpecification.neighbours(BITS, one_changed, invariants=[sum])
    mechanism = exact_sum_and_responses()
    assert empty.vacuous
    assert empty.count == 0
    answers = [
        pure_epsilon(mechanism, empty),
        lipschitz_epsilon(mechanism, empty),
        delta_at_ratio(mechanism, empty, 2),
        delta(mechanism, empty, 1),
        tradeoff(mechanism, empty, "0.1"),
        renyi(mechanism, empty, 2),
        renyi(mechanism, empty, "5/2"),
        dominating_loss(mechanism, empty),
    ]
    assert answers == [Vacuous()] * 8
    assert not any(hasattr(answer, "value") for answer in answers)
    assert "nothing is promised" in str(answers[0])


def test_datasets_at_distance_zero_must_share_a_law() -> None:
    orderless = FiniteSpecification.universes(sequences((0, 1), 2), symmetric_difference)
    in_order = responses(domain=sequences((0, 1), 2))
    counted = FiniteMechanism({x: {sum(x): 1} for x in in_order.datasets})
    assert lipschitz_epsilon(in_order, orderless).value.lower == math.inf
    assert lipschitz_epsilon(in_order, orderless).datasets == ((0, 1), (1, 0))
    same = orderless.refine(sum)
    assert lipschitz_epsilon(counted, same).value.exact == 0


def refining_never_raises_epsilon(refine):
    def law(mechanism: FiniteMechanism, labels: list[int]) -> None:
        published = dict(zip(BITS, labels, strict=True)).__getitem__
        coarse = FiniteSpecification.neighbours(BITS, one_changed)
        before, after = pure_epsilon(mechanism, coarse), pure_epsilon(mechanism, refine(coarse, published))
        if not isinstance(after, Vacuous):
            assert before.logarithm_of is None or after.logarithm_of <= before.logarithm_of

    labels = st.lists(st.integers(0, 1), min_size=8, max_size=8)
    check(law, mechanism=mechanisms(datasets=BITS, smallest=1), labels=labels)


def widens_to_the_whole_universe(specification, published):
    """A refinement that compares all datasets of a level set instead of the neighbours in it."""
    return FiniteSpecification.universes(BITS, hamming, [published])


def test_refining_invariants_never_raises_epsilon() -> None:
    refining_never_raises_epsilon(FiniteSpecification.refine)


def test_a_refinement_that_adds_comparisons_is_caught() -> None:
    with pytest.raises(AssertionError):
        refining_never_raises_epsilon(widens_to_the_whole_universe)


def replacing_is_removing_and_adding(factor: int):
    domain = multisets((0, 1), 2)

    def law(mechanism: FiniteMechanism) -> None:
        step = pure_epsilon(mechanism, FiniteSpecification.neighbours(domain, moves(ADD_REMOVE)))
        swap = pure_epsilon(mechanism, FiniteSpecification.neighbours(domain, moves(REPLACE_ONE)))
        assert swap.logarithm_of <= step.logarithm_of**factor

    check(law, mechanism=mechanisms(datasets=domain, outputs=(0, 1), smallest=1))


def test_replacing_a_record_costs_at_most_two_add_remove_steps() -> None:
    replacing_is_removing_and_adding(2)


def test_charging_one_step_for_a_replacement_is_caught() -> None:
    with pytest.raises(AssertionError):
        replacing_is_removing_and_adding(1)
