"""What was read of a loss once is not read again, and never given for another loss."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from attrs import field, frozen

from accountant import Interval, account, default_registry, load_plan
from accountant.accounting.readings import Readings
from accountant.loss import Cells, Floats, GaussianLoss, PrivacyLoss
from accountant.promise.divergence import DIVERGENCES

APPROX = default_registry()[DIVERGENCES]["approx"]
AT = {"delta": Fraction(1, 10**6)}


@frozen
class Watched(PrivacyLoss):
    """A Gaussian loss that keeps where it was read. Equality looks at its name alone."""

    name: str
    base: GaussianLoss = field(eq=False)
    asked: list[float] = field(factory=list, eq=False, repr=False)

    def reverse(self) -> PrivacyLoss:
        return self

    def window(self, log_tail: float) -> tuple[float, float]:
        return self.base.window(log_tail)

    def cells(self, edges: Floats) -> Cells:
        return self.base.cells(edges)

    def infinite_formula(self) -> Interval:
        return self.base.infinite()

    def delta_formula(self, epsilon: float) -> Interval:
        self.asked.append(epsilon)
        return self.base.delta_formula(epsilon)


def test_a_loss_is_read_once_at_each_place() -> None:
    readings, loss = Readings(), Watched("a", GaussianLoss(1))
    first = readings.measure(APPROX, loss, AT)
    asked = len(loss.asked)
    assert asked > 0
    assert readings.measure(APPROX, loss, AT) is first
    assert readings.measure(APPROX, Watched("a", GaussianLoss(1)), AT) is first
    assert len(loss.asked) == asked
    assert first == APPROX.measure(GaussianLoss(1), AT)
    elsewhere = readings.measure(APPROX, loss, {"delta": Fraction(1, 100)})
    assert elsewhere.upper < first.lower


def test_losses_that_only_seem_equal_are_read_apart() -> None:
    readings, small, large = Readings(), Watched("a", GaussianLoss(1)), Watched("a", GaussianLoss(4))
    assert small == large
    assert readings.measure(APPROX, small, AT) == APPROX.measure(GaussianLoss(1), AT)
    assert readings.measure(APPROX, large, AT) == APPROX.measure(GaussianLoss(4), AT)


def test_definitions_of_one_name_are_read_apart() -> None:
    readings, loss = Readings(), GaussianLoss(1)
    exact = readings.measure(APPROX, loss, AT)

    class Doubled(type(APPROX)):  # type: ignore[misc]
        def measure(self, loss: PrivacyLoss, at: object) -> Interval:
            return super().measure(loss, at).times(2)  # type: ignore[no-any-return]

    doubled = readings.measure(Doubled(), loss, AT)
    assert doubled.lower > exact.upper


def test_an_account_says_the_same_when_it_is_asked_again() -> None:
    plan = load_plan(Path(__file__).parents[2] / "examples" / "survey.toml")
    one = account(plan)
    first = one.measure("approx", delta="1e-6")
    assert one.measure("approx", delta="1e-6") == first == account(plan).measure("approx", delta="1e-6")
