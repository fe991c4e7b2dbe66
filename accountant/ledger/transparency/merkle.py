"""Merkle: the hash tree of RFC 6962 over a list that only grows, and proofs about it.

Reference: RFC 6962, section 2.1; how proofs are checked is RFC 9162, sections 2.1.3.2 and 2.1.4.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

from attrs import define, field

EMPTY = sha256().digest()
"""The root of a tree without leaves."""
SIZE = len(EMPTY)
"""How many bytes a hash has."""


def leaf_hash(content: bytes) -> bytes:
    """The hash of a leaf. Guarantee: no leaf has the hash of an inner node, since they begin differently."""
    return sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees side by side."""
    return sha256(b"\x01" + left + right).digest()


@define
class Frontier:
    """A tree that grows by one leaf at a time, as the roots of its full subtrees, from the largest on.

    It has as many hashes as its size has binary ones, however many leaves there are.
    """

    size: int = 0
    _full: list[bytes] = field(factory=list)

    def add(self, leaf: bytes) -> None:
        """Put the hash of a leaf at the end."""
        self._full.append(leaf)
        ends = self.size
        while ends & 1:
            right = self._full.pop()
            self._full.append(node_hash(self._full.pop(), right))
            ends >>= 1
        self.size += 1

    @property
    def root(self) -> bytes:
        """The root of the tree of all leaves so far."""
        if not self._full:
            return EMPTY
        whole = self._full[-1]
        for left in reversed(self._full[:-1]):
            whole = node_hash(left, whole)
        return whole


def root(leaves: Iterable[bytes]) -> bytes:
    """The root of the tree of these hashes of leaves."""
    tree = Frontier()
    for leaf in leaves:
        tree.add(leaf)
    return tree.root


def inclusion(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The hashes beside the way from one leaf to the root, from the leaf on."""
    if not 0 <= index < len(leaves):
        raise ValueError(f"there is no leaf {index} in a tree of {len(leaves)}")
    if len(leaves) == 1:
        return []
    split = _split(len(leaves))
    if index < split:
        return [*inclusion(leaves[:split], index), root(leaves[split:])]
    return [*inclusion(leaves[split:], index - split), root(leaves[:split])]


def consistency(leaves: Sequence[bytes], first: int) -> list[bytes]:
    """Hashes from which both the root of all leaves and that of the first few follow."""
    if not 0 < first <= len(leaves):
        raise ValueError(f"a tree of {len(leaves)} leaves does not continue one of {first}")
    return _subproof(leaves, first, whole=True)


def _subproof(leaves: Sequence[bytes], first: int, *, whole: bool) -> list[bytes]:
    if first == len(leaves):
        return [] if whole else [root(leaves)]
    split = _split(len(leaves))
    if first <= split:
        return [*_subproof(leaves[:split], first, whole=whole), root(leaves[split:])]
    return [*_subproof(leaves[split:], first - split, whole=False), root(leaves[:split])]


def _split(size: int) -> int:
    """The largest power of two below a size."""
    return 1 << (size - 1).bit_length() - 1


def includes(leaf: bytes, index: int, size: int, path: Sequence[bytes], whole: bytes) -> bool:
    """Whether a path shows that a leaf stands at an index of the tree with this size and root."""
    if not 0 <= index < size:
        return False
    found, place, last = leaf, index, size - 1
    for beside in path:
        if last == 0:
            return False
        if place & 1 or place == last:
            found = node_hash(beside, found)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            found = node_hash(found, beside)
        place, last = place >> 1, last >> 1
    return last == 0 and found == whole


def continues(first: int, second: int, old: bytes, new: bytes, path: Sequence[bytes]) -> bool:
    """Whether a path shows that the tree with one size and root begins with all of the tree with the other.

    Everything continues the empty tree, and that needs no path.
    """
    if not 0 <= first <= second:
        return False
    if first == second:
        return not path and old == new
    if first == 0:
        return not path and old == EMPTY
    # A first tree that is full is a node of the second, so the path begins with it though it is not written.
    steps = [old, *path] if first & (first - 1) == 0 else list(path)
    if not steps:
        return False
    place, last = first - 1, second - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    before = after = steps[0]
    for beside in steps[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            before, after = node_hash(beside, before), node_hash(beside, after)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            after = node_hash(after, beside)
        place, last = place >> 1, last >> 1
    return last == 0 and before == old and after == new
