"""Public information that lets the data be closer than its scenarios are is caught."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

from accountant import Neighbours, Reach
from accountant.plugin import ADD_REMOVE, REPLACE_ONE, PublicOracle
from accountant.testing import laws
from accountant.testing.laws.public_facts import distance
from accountant_pufferfish.facts.blocks import Blocks
from accountant_pufferfish.facts.known_total import KnownTotal
from accountant_pufferfish.facts.oracles import oracles

ORACLES = {oracle.item: oracle for oracle in oracles() if isinstance(oracle, PublicOracle)}
HALF, ONE = Fraction(1, 2), Fraction(1)


@frozen
class OneOfABlock(Blocks):
    """Forgets that the others of a block may change as well."""

    def reach(self, neighbours: Neighbours) -> Reach:
        return Reach(1 if neighbours.relation is REPLACE_ONE else 2)


@frozen
class TotalKeptByNobody(KnownTotal):
    """Forgets that somebody else keeps the total."""

    def reach(self, neighbours: Neighbours) -> Reach:
        return Reach(1 if neighbours.relation is REPLACE_ONE else 2)


@frozen
class NeverDecided(KnownTotal):
    """Forgets that an extreme total decides what everybody said."""

    def reach(self, neighbours: Neighbours) -> Reach:
        return Reach(super().reach(neighbours).units)


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize(
    ("honest", "planted", "words"),
    [
        (Blocks(name="homes", size=2), OneOfABlock(name="homes", size=2), "must not be further apart than 'blocks' says"),
        (
            KnownTotal(name="total", records=3, total=1),
            TotalKeptByNobody(name="total", records=3, total=1),
            "must not be further apart than 'known-total' says",
        ),
        (
            KnownTotal(name="total", records=3, total=3),
            NeverDecided(name="total", records=3, total=3),
            "decides every secret, and must say so",
        ),
    ],
)
def test_a_reach_that_is_too_short_is_caught(relation: Any, honest: Any, planted: Any, words: str) -> None:
    laws.reach_covers_the_scenarios(ORACLES[honest.kind], relation, honest)
    with pytest.raises(AssertionError, match=words):
        laws.reach_covers_the_scenarios(ORACLES[honest.kind], relation, planted)


def test_public_information_without_an_oracle_is_asked_for_one() -> None:
    laws.public_has_an_oracle("blocks", ORACLES["blocks"])
    with pytest.raises(AssertionError, match=r'yield PublicOracle\("blocks", scenarios='):
        laws.public_has_an_oracle("blocks", None)


def test_a_law_that_does_not_sum_to_one_is_no_oracle() -> None:
    short = PublicOracle("blocks", lambda public: [{"yes": {(1,): HALF}, "no": {(0,): ONE}}], lambda: None)
    with pytest.raises(AssertionError, match="must sum to one"):
        laws.reach_covers_the_scenarios(short, REPLACE_ONE, Blocks(name="homes", size=2))


def test_the_distance_is_that_of_the_best_coupling() -> None:
    left = {(0, 0): HALF, (1, 1): HALF}
    assert distance(left, {(0, 1): HALF, (1, 0): HALF}, REPLACE_ONE) == 1
    assert distance(left, {(0, 1): HALF, (1, 0): HALF}, ADD_REMOVE) == 2
    assert distance(left, {(1, 1): ONE}, REPLACE_ONE) == 2
    assert distance({(0,): ONE}, {(None,): ONE}, ADD_REMOVE) == 1
    assert distance({(0,): ONE}, {(None,): ONE}, REPLACE_ONE) == float("inf")
    # Mass that was carried one way first has to be sent another way.
    many = {(0, 0): Fraction(1, 3), (0, 1): Fraction(1, 3), (1, 1): Fraction(1, 3)}
    assert distance(many, {(0, 1): Fraction(2, 3), (1, 0): Fraction(1, 3)}, REPLACE_ONE) == 1
