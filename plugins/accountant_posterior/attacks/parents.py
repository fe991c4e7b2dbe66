"""What an attacker believes about the area above the target's: the law of the parent's count given the target area's."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, final

from attrs import field, frozen

from accountant import fields
from accountant.numbers import plain

if TYPE_CHECKING:
    from accountant.loss import Floats


@frozen
class ParentPrior:
    """A prior for the parent's count, given that of the target's area, which it is never below."""

    proper: ClassVar[bool] = True

    @property
    def largest_count(self) -> int | None:
        """The largest count that the parent may have; None where there is none."""
        return None

    @property
    def smallest_count(self) -> int:
        """The smallest count that the parent may have, whatever the area in it holds."""
        return 0

    @property
    def looks_at_expected(self) -> bool:
        """Whether weights depend on what the siblings are expected to hold."""
        return False

    @property
    def words(self) -> str:
        """What is believed, in words."""
        return f"of areas above it believes {self}"

    @final
    def log_weights(self, below: int | Floats, above: Floats, expected: Fraction | Floats) -> Floats:
        """The logs of weights of the parent's counts `above`, given the count `below` of the area in it.

        Definition: the sum of `log_beside` and `log_below`, for counts from the smallest to the largest.
        """
        import numpy as np

        largest = np.inf if self.largest_count is None else self.largest_count
        possible = (above >= self.smallest_count) & (above <= largest)
        return np.where(possible, self.log_beside(above - below, expected) + self.log_below(below), -np.inf)

    def log_beside(self, held: Floats, expected: Fraction | Floats) -> Floats:
        """The part of the log of a weight that depends on what the siblings hold together.

        `expected` is what they hold if each holds on average what the target's area is expected to.

        Guarantee: it is never above zero, and from nothing on it never rises.
        """
        import numpy as np

        return np.where(held >= 0.0, 0.0, -np.inf)

    def steepest(self, expected: Floats) -> Floats:
        """How much `log_beside` falls at most where the siblings hold one more, from nothing on."""
        import numpy as np

        return np.zeros(np.shape(expected))

    def log_below(self, below: int | Floats) -> Floats:
        """The part that depends on the count of the target's area alone."""
        import numpy as np

        return np.zeros(np.shape(below))

    def weight(self, below: int, above: int, expected: Fraction) -> Fraction | None:
        """The same for one count, exactly and not above 1; None where it is not rational."""
        return None


@frozen
class Exchangeable(ParentPrior):
    """What the siblings hold together has the law of largest entropy with a given mean: a geometric one.

    Left out, the mean is that of siblings each of which holds on average what the target's area is expected to hold.
    """

    mean: Fraction | None = field(
        default=None,
        converter=fields.optional_exact,
        validator=fields.above(0),
        metadata=fields.about("what the siblings are expected to hold together"),
    )

    @property
    def looks_at_expected(self) -> bool:
        return self.mean is None

    @property
    def words(self) -> str:
        each = "as many each as the target's area" if self.mean is None else f"{plain(self.mean)} together"
        return f"areas beside it are expected to hold {each}, with a geometric law"

    def log_beside(self, held: Floats, expected: Fraction | Floats) -> Floats:
        import numpy as np

        given = expected if self.mean is None else self.mean
        mean = float(given) if isinstance(given, Fraction) else given
        return np.where(held >= 0.0, held * -np.log1p(1.0 / mean) - np.log1p(mean), -np.inf)

    def steepest(self, expected: Floats) -> Floats:
        import numpy as np

        found: Floats = (
            np.log1p(1.0 / expected) if self.mean is None else np.full(np.shape(expected), math.log1p(1 / self.mean))
        )
        return found

    def weight(self, below: int, above: int, expected: Fraction) -> Fraction:
        mean = expected if self.mean is None else self.mean
        return (mean / (1 + mean)) ** (above - below) / (1 + mean) if above >= below else Fraction(0)


@frozen
class Uniform(ParentPrior):
    """Every count from that of the target's area on is equally likely. This is no probability law: it has infinite mass.

    Given a small parent it favours the hypothesis that the target is not there, since more siblings' counts then fit.
    """

    proper: ClassVar[bool] = False

    @property
    def words(self) -> str:
        return "areas above may hold any number, all alike"

    def weight(self, below: int, above: int, expected: Fraction) -> Fraction:
        return Fraction(int(above >= below))


@frozen
class UniformUpTo(ParentPrior):
    """Every count from that of the target's area up to a largest one is equally likely."""

    largest: int = field(
        converter=fields.whole,
        validator=fields.at_least(0),
        metadata=fields.about("the largest count that the parent may have"),
    )

    @property
    def largest_count(self) -> int | None:
        return self.largest

    @property
    def words(self) -> str:
        return f"the area above may hold any number up to {self.largest:,}, all alike"

    def log_below(self, below: int | Floats) -> Floats:
        import numpy as np

        return -np.log(np.maximum(self.largest - np.asarray(below) + 1.0, 1.0))

    def weight(self, below: int, above: int, expected: Fraction) -> Fraction:
        return Fraction(1, self.largest - below + 1) if below <= above <= self.largest else Fraction(0)


@frozen
class Known(ParentPrior):
    """The parent's count is known, or believed to be known."""

    count: int = field(converter=fields.whole, validator=fields.at_least(0), metadata=fields.about("the parent's count"))

    @property
    def largest_count(self) -> int | None:
        return self.count

    @property
    def smallest_count(self) -> int:
        return self.count

    @property
    def words(self) -> str:
        return f"the area above is believed to hold {self.count:,}"
