"""Binary trees: the sums over all blocks of a stream of answers, each with Gaussian noise."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from attrs import field, frozen

from accountant import Theorem, fields
from accountant_streams.forest import enclosed
from accountant_streams.stream import ASSUMPTIONS, Ends, Stream

TREE = Theorem(
    "tree-stream-loss",
    "The sums over all blocks of 2^h steps from a multiple of 2^h on, with Gaussian noise of standard deviation sigma, "
    "have a Gaussian loss with mu at most |d| S/sigma, d the shift of one step in the L2 norm and S^2 the largest sum over "
    "blocks of the squared number of steps of a participation pattern in the block.",
    "accountant",
    "explanation/streams",
    ASSUMPTIONS,
    "proved-here",
)


@frozen
class Tree(Stream):
    """The sums over all blocks of a binary tree above a stream of answers, each with Gaussian noise.

    Definition: a block is 2^h consecutive steps, h = 0, 1, 2, ..., that begin at a multiple of 2^h (counted from 0) and end
    among the leaves. Every block's sum gets independent N(0, sigma^2) in every coordinate.
    """

    kind: ClassVar[str] = "tree"
    theorem: ClassVar[Theorem] = TREE

    leaves: int = field(
        converter=fields.whole,
        validator=[fields.at_least(1), fields.at_most(2**40)],
        metadata=fields.about("the number of steps, which need not be a power of two"),
    )

    def sensitivity_squared(self) -> Ends:
        return _sensitivity_squared(self.leaves, self.participations, self.separation)


@lru_cache(maxsize=16)
def _sensitivity_squared(leaves: int, participations: int, separation: int) -> Ends:
    """Both ends for a tree. Calibration asks for the same tree again and again."""
    below, above = enclosed(leaves, participations, separation)
    return Ends(Fraction(below), Fraction(above))
