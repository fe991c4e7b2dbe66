"""Comparison: whether what is known of a mechanism implies a promise."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from accountant.accounting.account import Account, account
from accountant.accounting.formulas import FormulaValue
from accountant.analysis.cards import guarantee_row
from accountant.display.brief import Rich
from accountant.display.card import Card, CardRows, Folded
from accountant.errors import InvalidValue
from accountant.fields import expect
from accountant.loss import GaussianLoss, compose
from accountant.numbers.exact import plain
from accountant.plan.pieces import several
from accountant.plan.plan import Plan
from accountant.promise.cards import verdict_label
from accountant.promise.divergence import DIVERGENCES
from accountant.promise.guarantee import Guarantee, Verdict
from accountant.promise.neighbours import REPLACE_ONE, Neighbours
from accountant.promise.specification import Budget, Specification
from accountant.registry.registry import Registry, default_registry
from accountant.release.claim import Claim
from accountant.release.release import Release
from accountant.values.writing import at_words

_SENTENCES = {
    Verdict.IMPLIED: "whatever satisfies what is known keeps every budget that is wanted",
    Verdict.REFUTED: "something satisfies what is known and exceeds a budget that is wanted",
    Verdict.UNKNOWN: "whether what is known keeps every budget that is wanted is not settled",
    Verdict.VACUOUS: "no two datasets are compared, so nothing is promised",
}


@frozen
class Comparison(Rich):
    """Whether everything with some parameters keeps each of several budgets.

    `guarantees` hold the best bound on each budget's own value, with its derivation. A refutation has a `witness`: a loss
    that satisfies what is known and exceeds the budget.
    """

    verdict: Verdict
    guarantees: tuple[Guarantee, ...]
    witness: str | None
    published: tuple[FormulaValue, ...]

    def _card(self) -> Card:
        """The verdict, the best bound on each budget, and what exceeds one."""
        rows = CardRows(("what is known gives", "value"), tuple(map(guarantee_row, self.guarantees)))
        lines = tuple(f"{item.conversion} of {item.parameter}: {item.value}" for item in self.published)
        formulas = (Folded("the same by published formulas", lines),) if lines else ()
        facts = () if self.witness is None else (("witness", self.witness),)
        return Card(_SENTENCES[self.verdict], verdict_label(self.verdict.value), facts, (rows, *formulas))


def compare(known: Sequence[Budget], wanted: Sequence[Budget], *, registry: Registry | None = None) -> Comparison:
    """Whether a mechanism that satisfies all of `known` satisfies all of `wanted`, under the same neighbours.

    Several parameters of one definition are a curve. Guarantee: implied holds for every such mechanism, and refuted has
    one that is a counterexample; in between the answer is unknown.
    """
    for budget in (*several(known, "budgets"), *several(wanted, "budgets")):
        expect(Budget, budget, 'give each as Budget.of("approx", epsilon="1", delta="1e-6")')
    if not known or not wanted:
        raise InvalidValue("a comparison needs at least one parameter that is known and one that is wanted")
    if any(budget.cohort is not None for budget in (*known, *wanted)):
        raise InvalidValue(
            "budgets are compared for the same units; leave 'cohort' out, or compare specifications: implies"
        )
    found = registry or default_registry()
    accounts = [claimed(name, known, found) for name in dict.fromkeys(budget.divergence.name for budget in known)]
    guarantees, verdicts, witness = [], [], None
    for budget in wanted:
        checked = [_read(whole, budget) for whole in accounts]
        guarantee, verdict = min(checked, key=lambda pair: pair[0].value.upper)
        # A lower end is attained by something with one definition's parameters, which may not have another's.
        if verdict is Verdict.REFUTED and len(accounts) > 1:
            verdict = Verdict.UNKNOWN
        elif verdict is Verdict.REFUTED and witness is None:
            witness = _witness(accounts[0], budget, guarantee)
        guarantees.append(guarantee)
        verdicts.append(verdict)
    formulas = tuple(
        item
        for budget, guarantee in zip(wanted, guarantees, strict=True)
        for whole in accounts
        for item in whole.by_formulas(budget.divergence.name, guarantee.at)
    )
    return Comparison(worst(verdicts), tuple(guarantees), witness, formulas)


def _read(whole: Account, budget: Budget) -> tuple[Guarantee, Verdict]:
    """What a claim permits in a budget's definition, and whether that is within the budget."""
    guarantee = whole.measure(budget.divergence.name, budget.at)
    return guarantee, Verdict.of(guarantee.value.at_most(budget.limit))


def witness(
    known: Sequence[Budget], wanted: Budget, steps: int, *, registry: Registry | None = None
) -> tuple[str, str, str] | None:
    """A mechanism that keeps what is known after any number of steps, and exceeds a budget between datasets so many apart.

    Its words, the name of the value that it exceeds, and how large that is at least. Gaussian noise is added to how many
    steps there are; anything else is done once for each step, on its own. Either way datasets j steps apart differ by j
    steps of the same mechanism, and the definition's rule for groups covers that.
    """
    if len({budget.divergence.name for budget in known}) != 1:
        return None
    loss = claimed(known[0].divergence.name, known, registry or default_registry()).loss.dominated()
    if isinstance(loss, GaussianLoss):
        value = wanted.divergence.measure(GaussianLoss(loss.mu_squared * steps**2), wanted.at)
        words = str(loss)
    else:
        value = wanted.divergence.measure(compose([(loss, steps)]), wanted.at)
        words = str(loss) if steps == 1 else f"{loss}, {steps} times on its own"
    if value.at_most(wanted.limit) is not False:
        return None
    return words, f"{wanted.divergence.primary.value}{at_words(wanted.at)}", value.rounded(6)[0]


def claimed(name: str, known: Sequence[Budget], registry: Registry) -> Account:
    """The account of a mechanism of which only the parameters of one definition are known."""
    definition, stated = registry.find(DIVERGENCES, name), [item for item in known if item.divergence.name == name]
    if not definition.primary.at:
        # One number has no curve: the smallest says all that several do.
        stated = [min(stated, key=lambda budget: budget.limit)]
    claim = Claim(definition, tuple(budget.parameter for budget in stated))
    specification = Specification(Neighbours(REPLACE_ONE))
    return account(Plan("comparison", specification, (Release("what is known", claim),)), registry=registry)


def _witness(whole: Account, budget: Budget, guarantee: Guarantee) -> str:
    """What exceeds the budget: the mechanism that stands for the claim, if it does so itself, or else some other one."""
    loss = whole.loss.dominated()
    known = budget.divergence.measure(loss, budget.at)
    named = known.at_most(budget.limit) is False
    words, low = (str(loss), known.rounded(6)[0]) if named else (_SOME, guarantee.value.rounded(6)[0])
    return f"{words} has {guarantee.name} at least {low}{guarantee.at_words}, above {plain(budget.limit)}"


_SOME = "some mechanism with these parameters"


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on several promises together."""
    order = (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.VACUOUS, Verdict.IMPLIED)
    return next(verdict for verdict in order if verdict in verdicts)
