"""What certificates say of themselves: the verdict first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from accountant.certificate.decisions import reading_words, unkept
from accountant.certificate.layers import layer_words, on_trust, stated, unsaid
from accountant.display.card import Card, CardRows, Folded, Label, Part
from accountant.numbers.interval import Interval
from accountant.promise.cards import BUDGETS, RISKS, derivation_title, verdict_label
from accountant.promise.guarantee import Verdict
from accountant.promise.words import joined
from accountant.release.claim import Claim
from accountant.values.writing import in_words, listed

if TYPE_CHECKING:
    from accountant.certificate.contents import (
        CertifiedBudget,
        CertifiedDistribution,
        CertifiedGuarantee,
        CertifiedRelease,
        Contents,
        Enclosure,
    )

_WORST = (Verdict.REFUTED, Verdict.VACUOUS, Verdict.UNKNOWN, Verdict.IMPLIED)


def contents_card(says: Contents) -> Card:
    """Whether all is kept, each decision, what costs nothing, and derivations for whoever asks."""
    zeros = [release.name for release in says.releases if _costs_nothing(release)]
    facts = (
        *([] if says.verdicts else [("note", "nothing was asked: the plan has no budget and no risk")]),
        *(("not certified", str(decision)) for decision in unkept(says)),
        *([("check", f"{listed(zeros)}: 0 in every budget; is that meant?")] if zeros else []),
        ("neighbours", in_words(says.specification.get("neighbours", ""))),
        *(("note", note) for note in _notes(says)),
        *_answered_for(says),
        ("plan", says.plan_digest),
    )
    return Card(says.title, _label(says), facts, _parts(says))


def _notes(says: Contents) -> Iterator[str]:
    """What a reader could otherwise take to be promised."""
    universe, claimed = says.universe, [release.name for release in says.releases if _rests_on_claims(release.further)]
    if universe is not None and universe.apart is not None:
        yield f"No two neighbours are compared: all others differ in at least {universe.closest.least} units."
    if universe is not None and universe.unprotected:
        named = joined(universe.unprotected)
        yield f"Published exactly: {named}. Nothing is promised between datasets that differ in that."
    if says.insider is not None:
        yield "It holds against those who do not know who was sampled; others may learn more."
    if claimed:
        yield f"What is claimed of {listed(claimed)} is taken on trust."


def _answered_for(says: Contents) -> Iterator[tuple[str, str]]:
    """Who answers for what the numbers stand on."""
    trusted, missing = on_trust(says), unsaid(says)
    supposing = f", if what the plan states of {listed(trusted)} is true" if trusted else ""
    yield "proved", f"the numbers, for releases as the plan describes them{supposing}"
    yield from (("stated", f"{layer_words(layer)}: {text}") for layer, text in stated(says).items())
    if missing:
        yield "nobody said", ", ".join(map(layer_words, missing))


def _rests_on_claims(data: object) -> bool:
    """Whether a claim stands anywhere in what a plan says of a release."""
    if isinstance(data, Mapping):
        return data.get("kind") == Claim.kind or any(map(_rests_on_claims, data.values()))
    return isinstance(data, (list, tuple)) and any(map(_rests_on_claims, data))


def _label(says: Contents) -> Label | None:
    """The worst verdict; none where nothing was asked."""
    worst = next((verdict for verdict in _WORST if verdict in says.verdicts), None)
    return None if worst is None else verdict_label(worst.value, {"implied": "kept", "refuted": "not kept"})


def _parts(says: Contents) -> tuple[Part, ...]:
    rows = (
        *map(_budget, says.budgets),
        *((f"risk {risk.stated.kind}", "", "", verdict_label(risk.verdict.value, RISKS)) for risk in says.risks),
    )
    costs = tuple(f"{release.name}: {_costs(release)}" for release in says.releases)
    plugins = tuple(f"{item.name} of {item.distribution} {item.version}, {item.digest}" for item in says.plugins)
    return (
        *((CardRows(("", "at most", "limit", ""), rows),) if rows else ()),
        *((CardRows(("relative to public information", "at most", ""), _relative(says)),) if says.public else ()),
        Folded(f"what each release costs alone, {len(costs):,}", costs),
        *(_derivation(found) for found in says.guarantees),
        Folded(f"plugins that it rests on, {len(plugins):,}", plugins),
        Folded(f"distributions that were loaded, {len(says.loaded):,}", tuple(map(_loaded, says.loaded))),
    )


def _loaded(item: CertifiedDistribution) -> str:
    return f"{item.distribution} {item.version}: {', '.join(item.plugins)}"


def _budget(budget: CertifiedBudget) -> tuple[str, str, str, Label]:
    return (
        reading_words(budget.guarantee),
        at_most(budget.guarantee.value),
        budget.limit,
        verdict_label(budget.verdict.value, BUDGETS),
    )


def _relative(says: Contents) -> tuple[tuple[str, str, Label], ...]:
    return tuple(
        (
            f"{known.stated.name}: {budget.divergence}",
            "no bound" if budget.guarantee is None else at_most(budget.guarantee.value),
            verdict_label(budget.verdict.value, BUDGETS),
        )
        for known in says.public
        for budget in known.budgets
    )


def _derivation(found: CertifiedGuarantee) -> Folded:
    lines = tuple(
        f"{step.statement}{'' if step.value is None else f' = at most {at_most(step.value)}'}"
        f" [{step.theorem.name}: {step.theorem.key}, {step.theorem.locator}]"
        for step in found.derivation
    )
    return Folded(f"{reading_words(found)}: {derivation_title(len(lines))}", lines)


def _costs(release: CertifiedRelease) -> str:
    return ", ".join(f"{cost.name} {at_most(cost)}" for cost in release.costs or ()) or "not said"


def _costs_nothing(release: CertifiedRelease) -> bool:
    return bool(release.costs) and all(cost.upper == "0" for cost in release.costs or ())


def at_most(value: Enclosure) -> str:
    """The upper end, which is what holds, at the six figures a person can read."""
    return "infinite" if value.upper == "inf" else Interval.of(value.upper).rounded(6)[1]
