"""Laws of neighbour policies: which datasets are neighbours, and how far steps lead, against all small datasets."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

from accountant.finite.domain import moves
from accountant.plugin.oracles import PolicyOracle
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE, Policy, Relation
from accountant.testing.counterexamples import broken
from accountant.values.writing import in_words, kind_data

Dataset = tuple[Any, ...]
Steps = dict[Dataset, list[Dataset]]
"""The neighbours of every dataset that has some."""
_MOST = 80


def policy_has_an_oracle(kind: str, oracle: PolicyOracle | None) -> None:
    """A policy says in a function of its own which datasets are neighbours."""
    if oracle is None:
        broken(
            f"nothing says which datasets are '{kind}' neighbours, so the policy cannot be tried",
            remedy=f'yield PolicyOracle("{kind}", related=lambda policy, first, second: ..., '
            "datasets=lambda policy: [...], instances=lambda: ...) from accountant_conformance_cases",
        )


def policies_join_neighbours(oracle: PolicyOracle, policy: Policy) -> None:
    """Datasets are joined exactly where they are related, and differ then by no more than what moves and attributes say."""
    if policy.differing is not None and not policy.edits:
        broken(
            f"'{policy.kind}' names attributes in which neighbours differ, so that it edits records",
            policy=in_words(kind_data(policy)),
            differing=", ".join(sorted(policy.differing)) or "none",
            look_at="'edits', which is True for such policies",
        )
    joined, datasets = moves(Relation.of(policy)), _datasets(oracle, policy)
    some = False
    for left, right in itertools.combinations(datasets, 2):
        related = oracle.related(policy, left, right) or oracle.related(policy, right, left)
        if joined(left, right) != joined(right, left):
            broken(
                f"'{policy.kind}' must join two datasets whichever of them is named first",
                **_shown(policy, left, right),
                look_at="'joins'",
            )
        if joined(left, right) != related:
            broken(
                f"'{policy.kind}' must join neighbours and nobody else",
                **_shown(policy, left, right),
                related="yes" if related else "no",
                look_at="'joins'",
            )
        if related and (fault := _beyond(policy, left, right)):
            broken(f"'{policy.kind}' says less than its neighbours differ by: {fault}", **_shown(policy, left, right))
        some = some or related
    if not some:
        broken(f"no two of the datasets listed are '{policy.kind}' neighbours", policy=in_words(kind_data(policy)))


def policies_lead_as_far_as_they_say(oracle: PolicyOracle, policy: Policy, other: Policy) -> None:
    """Neighbours of one relation are no more steps of another apart than a policy says, and records reach what steps do."""
    own, datasets = Relation.of(policy), _datasets(oracle, policy)
    near = _neighbours(own, datasets)
    _require_reached(policy, near)
    for relation in dict.fromkeys((ADD_REMOVE, REPLACE_ONE, Relation.of(other))):
        inside, around = policy.steps_in(relation), policy.steps_for(relation)
        if inside is None and around is None:
            continue
        far = _neighbours(relation, datasets)
        _led(policy, own, relation, inside, near, far, "steps_in")
        _led(policy, relation, own, around, far, near, "steps_for")


def _neighbours(relation: Relation, datasets: list[Dataset]) -> Steps:
    joined, found = moves(relation), Steps()
    for left, right in itertools.combinations(datasets, 2):
        if joined(left, right) or joined(right, left):
            found.setdefault(left, []).append(right)
            found.setdefault(right, []).append(left)
    return found


def _led(policy: Policy, asked: Relation, by: Relation, said: int | None, pairs: Steps, steps: Steps, where: str) -> None:
    for left, right in () if said is None else [(here, there) for here in pairs for there in pairs[here]]:
        if _within(policy, left, right) and right not in _reached(left, said or 0, steps):
            broken(
                f"neighbours by '{asked.name}' are farther apart by '{by.name}' than '{policy.kind}' says",
                **_shown(policy, left, right),
                steps_that_are_said=str(said),
                look_at=f"'{where}'",
            )


def _require_reached(policy: Policy, steps: Steps) -> None:
    """A record that some steps turn into another reaches it in so many."""
    for start in (dataset for dataset in steps if len(dataset) == 1):
        for most in (1, 2, 3):
            for (after,) in (end for end in _reached(start, most, steps) - {start} if len(end) == 1):
                before, left = (None if record is None else dict(record) for record in (start[0], after))
                if not policy.reaches(before, left, most):
                    broken(
                        f"'{policy.kind}' must say of a record what steps may make of it",
                        **_shown(policy, start, (after,)),
                        steps_that_lead_there=most,
                        look_at="'reaches'",
                    )


def _reached(start: Dataset, most: int, steps: Steps) -> set[Dataset]:
    """All that so many steps lead to."""
    found, edge = {start}, {start}
    for _ in range(most):
        edge = {other for here in edge for other in steps.get(here, ())} - found
        found |= edge
    return found


def _within(policy: Policy, left: Dataset, right: Dataset) -> bool:
    """Whether two datasets differ only in what the policy is about: of others it is not asked."""
    return policy.differing is None or _edited(left, right, policy.differing)


def _beyond(policy: Policy, left: Dataset, right: Dataset) -> str | None:
    """In what neighbours differ more than is said, in words."""
    gone, come = (sum(record is not None for record in side) for side in _apart(left, right))
    own = Relation.of(policy)
    # Fewer that come, or fewer that go, move less; fewer of those that change places may move more.
    fewer = any(min(move) == 0 and come <= move[0] and gone <= move[1] for move in own.moves)
    if (come, gone) not in own.moves and not fewer:
        return f"{come} records appear and {gone} disappear, look at 'moves'"
    if own.public_size and len(left) != len(right):
        return "they have not equally many records, look at 'public_size'"
    if policy.differing is not None and not _edited(left, right, policy.differing):
        return "they differ in other attributes, look at 'differing'"
    return None


def _edited(left: Dataset, right: Dataset, allowed: frozenset[str]) -> bool:
    """Whether records can be matched so that they differ in some attributes only."""
    if None in left or None in right or len(left) != len(right):
        return False
    kept = [sorted(_without(record, allowed) for record in side) for side in (left, right)]
    return kept[0] == kept[1]


def _without(record: Any, allowed: frozenset[str]) -> str:
    return repr(sorted(pair for pair in record if pair[0] not in allowed))


def _apart(left: Dataset, right: Dataset) -> Iterator[list[Any]]:
    before, after = Counter(left), Counter(right)
    yield list((before - after).elements())
    yield list((after - before).elements())


def _datasets(oracle: PolicyOracle, policy: Policy) -> list[Dataset]:
    return list(itertools.islice(oracle.datasets(policy), _MOST))


def _shown(policy: Policy, left: Dataset, right: Dataset) -> dict[str, str]:
    one, other = (str([None if record is None else dict(record) for record in side]) for side in (left, right))
    return {"neighbours": in_words(kind_data(policy)), "first": one, "second": other}
