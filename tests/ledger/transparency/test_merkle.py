"""The tree is that of RFC 6962: published roots and proofs, and nothing else proves anything."""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import sha256

import pytest

from accountant.ledger.transparency.merkle import (
    EMPTY,
    Frontier,
    consistency,
    continues,
    includes,
    inclusion,
    leaf_hash,
    node_hash,
    root,
)

# The test data of Certificate Transparency (transparency-dev/merkle, testonly), which RFC 6962 and RFC 9162 share.
LEAVES = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
SECOND = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"
FIFTH = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
SEVENTH = "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f"
THIRD_PAIR = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a"
SECOND_PAIR = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"
LAST_PAIR = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"
LAST_FOUR = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
INCLUSION = {
    (0, 1): [],
    (0, 8): [SECOND, SECOND_PAIR, LAST_FOUR],
    (5, 8): [FIFTH, LAST_PAIR, ROOTS[4]],
    (2, 3): [ROOTS[2]],
    (1, 5): [ROOTS[1], SECOND_PAIR, FIFTH],
}
CONSISTENCY = {
    (1, 1): [],
    (1, 8): [SECOND, SECOND_PAIR, LAST_FOUR],
    (6, 8): [THIRD_PAIR, LAST_PAIR, ROOTS[4]],
    (2, 5): [SECOND_PAIR, FIFTH],
    (6, 7): [THIRD_PAIR, SEVENTH, ROOTS[4]],
}
HASHES = [leaf_hash(content) for content in LEAVES]


def told(path: Sequence[bytes]) -> list[str]:
    return [step.hex() for step in path]


def by_definition(leaves: Sequence[bytes]) -> bytes:
    """The tree as RFC 6962 defines it, read off the page."""
    if not leaves:
        return sha256().digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while 2 * split < len(leaves):
        split *= 2
    return node_hash(by_definition(leaves[:split]), by_definition(leaves[split:]))


def test_the_published_roots_are_found_leaf_by_leaf() -> None:
    tree = Frontier()
    assert tree.root == EMPTY
    found = [tree.root.hex()]
    for leaf in HASHES:
        tree.add(leaf)
        found.append(tree.root.hex())
    assert found == ROOTS


@pytest.mark.parametrize(("index", "size"), INCLUSION)
def test_the_published_proofs_of_inclusion_are_made_and_believed(index: int, size: int) -> None:
    path = inclusion(HASHES[:size], index)
    assert told(path) == INCLUSION[index, size]
    assert includes(HASHES[index], index, size, path, bytes.fromhex(ROOTS[size]))


@pytest.mark.parametrize(("first", "second"), CONSISTENCY)
def test_the_published_proofs_of_consistency_are_made_and_believed(first: int, second: int) -> None:
    path = consistency(HASHES[:second], first)
    assert told(path) == CONSISTENCY[first, second]
    assert continues(first, second, bytes.fromhex(ROOTS[first]), bytes.fromhex(ROOTS[second]), path)


SMALL = [leaf_hash(str(index).encode()) for index in range(20)]


def test_every_leaf_of_every_small_tree_is_proved_at_its_own_place_only() -> None:
    for size in range(1, len(SMALL) + 1):
        whole = root(SMALL[:size])
        assert whole == by_definition(SMALL[:size])
        for index in range(size):
            path = inclusion(SMALL[:size], index)
            for claimed in range(size + 1):
                assert includes(SMALL[index], claimed, size, path, whole) == (claimed == index)
            for other in {size - 1, size + 1, 2 * size} - {size}:
                # A path for another size can only fit where that tree has the same path to the leaf, and then not its root.
                assert not includes(SMALL[index], index, other, path, root((SMALL * 2)[:other]))


def test_every_small_tree_is_proved_to_continue_every_smaller_one_and_no_other() -> None:
    for second in range(1, len(SMALL) + 1):
        new = root(SMALL[:second])
        assert continues(0, second, EMPTY, new, [])
        for first in range(1, second + 1):
            path = consistency(SMALL[:second], first)
            old = root(SMALL[:first])
            assert continues(first, second, old, new, path)
            forked = root([*SMALL[: first - 1], leaf_hash(b"other")])
            assert not continues(first, second, forked, new, path)
            assert not continues(first, second, old, root([leaf_hash(b"other"), *SMALL[1:second]]), path)


def test_a_path_with_a_step_more_less_or_changed_proves_nothing() -> None:
    chance = random.Random(3)
    for _ in range(300):
        second = chance.randrange(2, 20)
        first, index = chance.randrange(1, second), chance.randrange(second)
        new, old = root(SMALL[:second]), root(SMALL[:first])
        for path, believed in (
            (inclusion(SMALL[:second], index), lambda p: includes(SMALL[index], index, second, p, new)),  # noqa: B023
            (consistency(SMALL[:second], first), lambda p: continues(first, second, old, new, p)),  # noqa: B023
        ):
            assert believed(path)
            assert not believed([*path, chance.choice(SMALL)])
            assert not believed([chance.choice(SMALL), *path])
            if path:
                place = chance.randrange(len(path))
                assert not believed(path[:place] + path[place + 1 :])
                assert not believed([*path[:place], leaf_hash(path[place]), *path[place + 1 :]])


def test_a_leaf_is_never_taken_for_an_inner_node() -> None:
    """Without the two prefixes a leaf that holds two hashes would stand for the subtree of both."""
    pair = HASHES[0] + HASHES[1]
    assert leaf_hash(pair) != node_hash(*HASHES[:2])
    assert sha256(pair).digest() not in (leaf_hash(pair), node_hash(*HASHES[:2]))


def test_what_is_not_in_the_tree_cannot_be_asked_for() -> None:
    for index in (-1, 3):
        with pytest.raises(ValueError, match="no leaf"):
            inclusion(SMALL[:3], index)
    for first in (0, 4):
        with pytest.raises(ValueError, match="does not continue"):
            consistency(SMALL[:3], first)
    assert not continues(4, 3, EMPTY, EMPTY, [])
    assert not continues(0, 3, SMALL[0], root(SMALL[:3]), [])
