"""Evidence: why a promise relative to public information holds, which decides whether it adds up with others."""

from __future__ import annotations

from fractions import Fraction

from attrs import field, frozen

from accountant import InvalidValue
from accountant.fields import exact
from accountant_pufferfish.promises.independence import Independence
from accountant_pufferfish.promises.richness import is_rich
from accountant_pufferfish.setting.metric import Metric
from accountant_pufferfish.setting.setting import Setting


@frozen
class Evidence:
    """Why a promise holds. `compose` knows which kinds add up."""


@frozen
class Pointwise(Evidence):
    """Log likelihood ratios are at most a rate times the distance of any two datasets that public information allows.

    The promise is the rate times `radius`, which is at least the distance of order infinity under any two secrets.
    """

    metric: Metric
    radius: Fraction = field(converter=exact)

    def __str__(self) -> str:
        return f"pointwise, in {self.metric}, up to a distance of {self.radius}"


@frozen
class Ballwise(Evidence):
    """Log likelihood ratios are at most epsilon for any two datasets no farther apart than `radius`.

    The radius is at least the distance of order infinity under any two secrets: what Wasserstein mechanisms give.
    """

    metric: Metric
    radius: Fraction = field(converter=exact)

    def __str__(self) -> str:
        return f"for datasets within {self.radius} in {self.metric}"


@frozen
class SecretIndependent(Evidence):
    """One of several releases whose outputs are independent of each other once the secret is known."""

    jointly: Independence = field(repr=False)
    members: frozenset[int]

    def __str__(self) -> str:
        return f"independent given any secret: {len(self.members)} of {len(self.jointly.mechanisms)} releases"


@frozen
class RichScenarios(Evidence):
    """For any two datasets that a pair of secrets tells apart, some scenario considers just these two.

    Guarantee: cannot be made for a setting that is not so.
    """

    setting: Setting = field(repr=False)

    def __attrs_post_init__(self) -> None:
        if not is_rich(self.setting):
            raise InvalidValue(
                f"'{self.setting.scenarios}' do not consider every two datasets that the secrets tell apart by themselves"
            )

    def __str__(self) -> str:
        return "scenarios so rich that the promise holds for any two datasets that the secrets tell apart"


@frozen
class MixtureOnly(Evidence):
    """Only the output laws averaged over the data were compared. Such numbers do not add up, not even exact ones."""

    def __str__(self) -> str:
        return "compared as mixtures only"


@frozen
class LowerOnly(Evidence):
    """Some scenarios were gone through, so that nothing is promised: the truth can only be larger."""

    def __str__(self) -> str:
        return "a lower bound from some of the scenarios"
