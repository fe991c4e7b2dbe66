"""The sensitivity of a binary tree, against every pattern, against its matrix, and against what is known of large ones."""

from __future__ import annotations

from itertools import product

import pytest

from accountant_streams import Matrix, Tree, forest
from tests.plugins.streams.enumeration import blocks, in_blocks, patterns


def ends(leaves: int, participations: int = 1, separation: int = 1) -> tuple[int, int]:
    below, above = Tree(1, leaves, participations=participations, separation=separation).sensitivity_squared()
    assert (below.denominator, above.denominator) == (1, 1)
    return below.numerator, above.numerator


def check(leaves: int, participations: int, separation: int) -> None:
    truth = max(in_blocks(leaves, chosen) for chosen in patterns(leaves, participations, separation))
    assert forest.enclosed(leaves, participations, separation) == (truth, truth)


@pytest.mark.parametrize("leaves", [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13])
def test_no_pattern_is_worse(leaves: int) -> None:
    for participations, separation in product((1, 2, 3, 4, 5), (1, 2, 3, 5, 8)):
        check(leaves, participations, separation)


@pytest.mark.parametrize(("leaves", "participations", "separation"), [(16, 5, 3), (24, 4, 7), (21, 3, 10)])
def test_no_pattern_of_a_longer_stream_is_worse(leaves: int, participations: int, separation: int) -> None:
    check(leaves, participations, separation)


def test_contributions_as_early_as_can_be_are_not_always_worst() -> None:
    """{0, 3, 8, 11, 14} fills two blocks of four with two contributions each; {0, 3, 6, 9, 12} only one."""
    assert in_blocks(16, range(0, 15, 3)) == 55
    assert in_blocks(16, (0, 3, 8, 11, 14)) == 57
    assert ends(16, 5, 3) == (57, 57)


@pytest.mark.parametrize(("leaves", "participations", "separation"), [(20, 3, 4), (31, 4, 6), (32, 6, 3)])
def test_a_tree_is_the_matrix_of_its_blocks(leaves: int, participations: int, separation: int) -> None:
    rows = [[int(step in block) for step in range(leaves)] for block in blocks(leaves)]
    matrix = Matrix(1, rows, participations=participations, separation=separation)
    tree = Tree(1, leaves, participations=participations, separation=separation)
    assert matrix.sensitivity_squared() == tree.sensitivity_squared()


@pytest.mark.parametrize(
    ("leaves", "levels"), [(1, 1), (2, 2), (3, 2), (1023, 10), (1024, 11), (2**20 - 1, 20), (2**20, 21)]
)
def test_one_contribution_moves_one_block_of_every_size(leaves: int, levels: int) -> None:
    assert ends(leaves) == (levels, levels)


def test_participations_at_every_power_of_two_fill_every_block() -> None:
    truth = sum(2 ** (20 - height) * 4 ** (height - 3) for height in range(3, 21)) + 3 * 2**17
    assert ends(2**20, 2**17, 8) == (truth, truth)
    assert truth == forest._earliest(2**20, 2**17, 8)


def test_more_participations_than_fit_cost_what_fits() -> None:
    assert ends(13, 10**12, 3) == ends(13, 5, 3)
    assert ends(13, 10**12, 13) == ends(13, 1, 1) == (4, 4)
    assert ends(1, 5, 5) == (1, 1)


@pytest.mark.parametrize(("leaves", "participations", "separation"), [(400, 60, 3), (4000, 40, 63), (4001, 9, 333)])
def test_beyond_the_exact_programme_both_ends_hold(
    monkeypatch: pytest.MonkeyPatch, leaves: int, participations: int, separation: int
) -> None:
    exact = forest.enclosed(leaves, participations, separation)
    assert exact[0] == exact[1]
    monkeypatch.setattr(forest, "_MOST_EXACT", 0)
    below, above = forest.enclosed(leaves, participations, separation)
    assert below == in_blocks(leaves, range(0, leaves, separation)[:participations])
    assert below < exact[0] < above
    assert above <= 1.1 * below


def test_a_long_stream_is_enclosed() -> None:
    below, above = ends(2**20, 1000, 1000)
    assert below < above <= 1.003 * below


# Planted errors ------------------------------------------------------------------------------------------------------


def planted(monkeypatch: pytest.MonkeyPatch, leaves: int, participations: int, separation: int, claim: int) -> None:
    monkeypatch.setattr(forest, "enclosed", lambda *_: (claim, claim))
    with pytest.raises(AssertionError):
        check(leaves, participations, separation)


def test_one_level_too_few_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, 8, 1, 1, (8).bit_length() - 1)


def test_participations_that_never_share_a_block_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, 8, 4, 2, 4 * (8).bit_length())


def test_an_ignored_separation_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, 8, 2, 5, forest.enclosed(8, 2, 1)[1])


def test_a_programme_that_forgets_the_gap_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = forest._Programme._tree
    monkeypatch.setattr(forest._Programme, "_tree", lambda self, height, number, start: tree(self, height, number, 0))
    with pytest.raises(AssertionError):
        check(13, 5, 3)
