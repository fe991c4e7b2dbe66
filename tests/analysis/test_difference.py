"""Plans side by side: every change is told, and what it costs is enclosed."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings, strategies as st

from accountant import Interval, Plan, Verdict, certify, default_registry, difference, read_plan
from accountant.analysis import difference as difference_module
from accountant.analysis.changes import Change, changes
from accountant.testing.strategies import plans
from accountant.values.source import canonical

REGISTRY = default_registry()


def plan(*releases: tuple[str, str], epsilon: str | None = "4", **specification: Any) -> Plan:
    """Counts with geometric noise, each by its name and scale; pure differential privacy is the budget."""
    return read_plan(
        {
            "title": "counts",
            "specification": {"neighbours": "add-remove", **specification},
            "budget": [] if epsilon is None else [{"divergence": "pure", "epsilon": epsilon}],
            "release": [
                {"name": name, "query": {"kind": "count"}, "mechanism": {"kind": "geometric", "scale": scale}}
                for name, scale in releases
            ],
        }
    )


# What changed ---------------------------------------------------------------------------------------------------------


def patched(before: Mapping[str, Any], made: tuple[Change, ...]) -> Any:
    """Plain data with all changes made, written without looking at how they were found."""
    data = copy.deepcopy(dict(before))
    lists = {part: item for key in data if isinstance(data[key], list) for part, item in _by_part(key, data[key])}
    for change in made:
        key = change.part.split()[0]
        if change.part == key and not isinstance(data.get(key), list) and not change.field:
            _put(data, key, change.after)
        elif not change.field:
            data.setdefault(key, [])
            if change.before is not None:
                data[key].remove(lists[change.part])
            if change.after is not None:
                data[key].append(change.after)
        else:
            table = data[key] if change.part == key and isinstance(data[key], dict) else lists[change.part]
            *path, last = change.field.split(".")
            for step in path:
                table = table[step]
            assert table.get(last) == change.before
            _put(table, last, change.after)
    return {key: value for key, value in data.items() if value != [] or key in ("budget", "release")}


def _by_part(key: str, items: list[Any]) -> list[tuple[str, Any]]:
    if not items or "name" not in items[0]:
        # Budgets by their definition and every value but the last, which is the limit.
        return [(_budget(key, item), item) for item in items]
    return [(f"{key} '{item['name']}'", item) for item in items]


def _budget(key: str, item: Mapping[str, Any]) -> str:
    words = {"approx": ("delta",), "pbdp": ("delta",), "renyi": ("order",), "fdp": ("level",)}.get(item["divergence"], ())
    return f"{key} {item['divergence']}" + "".join(f" at {word} = {item[word]}" for word in words)


def _put(table: dict[str, Any], key: str, value: Any) -> None:
    if value is None:
        del table[key]
    else:
        table[key] = value


def unordered(data: Any) -> Any:
    return {
        key: sorted(value, key=canonical) if isinstance(value, list) and key in ("budget", "release") else value
        for key, value in data.items()
    }


def unlike(first: Plan) -> Plan:
    """The same plan without a second budget of one definition at one place: these are told apart by their number."""
    found = {(item.divergence.name, str(item.at)): item for item in first.specification.budgets}
    return evolve(first, specification=evolve(first.specification, budgets=tuple(found.values())))


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(plans(), plans())
def test_who_makes_all_changes_has_the_second_plan(before: Plan, after: Plan) -> None:
    before, after = unlike(before), unlike(after)
    found = changes(before, after, REGISTRY)
    assert unordered(patched(before.as_data(), found)) == unordered(after.as_data())
    assert not changes(before, before, REGISTRY)


@settings(max_examples=10, deadline=None)
@given(plans())
def test_a_change_that_is_left_out_is_missed(before: Plan) -> None:
    """Planted: without one of the changes the second plan is not what comes out."""
    before = unlike(before)
    after = evolve(before, title=before.title + "!", releases=before.releases[:1])
    found = changes(before, after, REGISTRY)
    assert unordered(patched(before.as_data(), found[1:])) != unordered(after.as_data())


def test_a_changed_parameter_is_told_by_its_release_and_field() -> None:
    (found,) = changes(plan(("a", "2"), ("b", "3")), plan(("b", "4"), ("a", "2")), REGISTRY)
    assert found == Change("release 'b'", "mechanism.scale", "3", "4")
    assert (found.place, found.word) == ("release 'b', mechanism.scale", "changed")


def test_a_release_that_was_only_renamed_is_no_new_one() -> None:
    assert changes(plan(("a", "2")), plan(("b", "2")), REGISTRY) == (Change("release 'a'", "name", "a", "b"),)
    # Of two that are alike it cannot be told which became which.
    words = [change.word for change in changes(plan(("a", "2"), ("b", "2")), plan(("c", "2")), REGISTRY)]
    assert words == ["removed", "removed", "added"]


def test_another_mechanism_is_one_change_and_not_one_for_each_parameter() -> None:
    data = plan(("a", "2")).as_data()
    data["release"][0]["mechanism"] = {"kind": "gaussian", "sigma": "3"}
    (found,) = changes(plan(("a", "2")), read_plan(data), REGISTRY)
    assert (found.field, found.after) == ("mechanism", {"kind": "gaussian", "sigma": "3"})


def test_another_order_changes_no_number_and_is_told() -> None:
    found = difference(plan(("a", "2"), ("b", "3")), plan(("b", "3"), ("a", "2")))
    assert (found.changes, found.reordered) == ((), True)
    assert found.costs[0].growth == Interval.of(0)


# What it costs --------------------------------------------------------------------------------------------------------

SCALES = st.lists(st.fractions(Fraction(1, 4), 20, max_denominator=8), min_size=1, max_size=4)


def told(first: list[Fraction], second: list[Fraction]) -> tuple[Interval | None, Fraction]:
    """By how much epsilon is said to grow, and by how much it does: a count costs one over the scale."""
    before, after = (plan(*((str(index), str(scale)) for index, scale in enumerate(side))) for side in (first, second))
    found = difference(before, after).costs[0].growth
    return found, sum(1 / scale for scale in second) - sum(1 / scale for scale in first)


@settings(max_examples=60, deadline=None)
@given(SCALES, SCALES)
def test_what_a_change_costs_is_enclosed(first: list[Fraction], second: list[Fraction]) -> None:
    growth, truth = told(first, second)
    assert growth is not None
    assert growth.contains(truth)


def test_ends_that_are_subtracted_the_wrong_way_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the lower ends minus each other and the upper ends minus each other."""

    def crossed(before: Any, after: Any, same: bool) -> Interval:
        ends = [getattr(after.guarantee.value, end) - getattr(before.guarantee.value, end) for end in ("lower", "upper")]
        return Interval(min(ends), max(ends))

    monkeypatch.setattr(difference_module, "_growth", crossed)
    truths = [told([Fraction(3)], [Fraction(7, step)]) for step in range(2, 30)]
    assert not all(growth is not None and growth.contains(truth) for growth, truth in truths)


def test_the_verdict_of_both_plans_is_the_worst_of_what_they_decide() -> None:
    found = difference(plan(("a", "2"), epsilon="1"), plan(("a", "1/2"), epsilon="1"))
    assert found.verdicts == (Verdict.IMPLIED, Verdict.REFUTED)
    assert not found.kept
    assert difference(plan(("a", "1/2"), epsilon="1"), plan(("a", "2"), epsilon="1")).kept


BUDGETS = [
    {"divergence": "pure", "epsilon": "1/2"},
    {"divergence": "pure", "epsilon": "3"},
    {"divergence": "zcdp", "rho": "1/8"},
    {"divergence": "approx", "epsilon": "1/2", "delta": "1/10"},
]
CLAIM = {"name": "claimed", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "1/10"}}
EXACT = {"invariants": [{"name": "total", "counts_by": []}]}


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["1/3", "1", "2", "9"]), min_size=1, max_size=3),
    st.lists(st.sampled_from(BUDGETS), min_size=1, max_size=3),
    st.booleans(),
    st.sampled_from([{}, EXACT, {"neighbours": "replace-one"}, {"neighbours": "replace-one", "attributes": []}]),
)
def test_a_plan_is_kept_exactly_where_its_certificate_holds(
    scales: list[str], budgets: list[Any], claims: bool, promised: dict[str, Any]
) -> None:
    data = plan(*((str(index), scale) for index, scale in enumerate(scales)), **promised).as_data()
    whole = read_plan({**data, "budget": budgets, "release": [*data["release"], *([CLAIM] if claims else [])]})
    found = difference(plan(("a", "2")), whole)
    assert found.kept == certify(whole).kept
    assert found.verdicts[0] is Verdict.IMPLIED


def test_of_two_that_are_called_the_same_the_worse_is_told() -> None:
    assert difference_module._worst_of([("a", Verdict.REFUTED), ("a", Verdict.IMPLIED)]) == {"a": Verdict.REFUTED}
    assert difference_module._worst_of([("a", Verdict.IMPLIED), ("a", Verdict.REFUTED)]) == {"a": Verdict.REFUTED}


def test_a_risk_that_is_not_tolerated_is_not_kept() -> None:
    risks = [{"kind": "constant", "ratio": ratio} for ratio in ("9", "1.01")]
    before, after = (read_plan({**plan(("a", "2")).as_data(), "risk": [risk]}) for risk in risks)
    found = difference(before, after)
    assert found.verdicts[0] is Verdict.IMPLIED
    assert not found.kept
    assert not certify(after).kept


def test_a_plan_without_a_budget_keeps_nothing() -> None:
    found = difference(plan(("a", "2")), plan(("a", "2"), epsilon=None))
    assert (found.verdicts, found.kept) == ((Verdict.IMPLIED, None), False)
    assert found.costs[0].after is not None
    assert found.costs[0].after.verdict is None


def test_a_budget_of_either_plan_is_read_in_both() -> None:
    before, after = plan(("a", "2")), plan(("a", "2"))
    data = {**after.as_data(), "budget": [{"divergence": "zcdp", "rho": "1"}]}
    found = difference(before, read_plan(data))
    assert [cost.reading for cost in found.costs] == ["pure epsilon", "zcdp rho"]
    assert all(cost.before is not None and cost.after is not None for cost in found.costs)


@pytest.mark.parametrize(
    "other",
    [
        {"neighbours": "replace-one"},
        {"unit": "household"},
        {"group": 2},
        {"invariants": [{"name": "total", "counts_by": []}]},
        {"domain": "adults"},
        {"attacker": "insider"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_numbers_of_different_specifications_are_never_subtracted(other: dict[str, Any]) -> None:
    found = difference(plan(("a", "2")), plan(("a", "2"), **other))
    assert not found.comparable
    assert [change.field for change in found.incomparable] == list(other)
    assert found.promises is not None
    assert all(cost.growth is None and cost.before is not None and cost.after is not None for cost in found.costs)


def test_twice_the_neighbours_cost_what_implication_says() -> None:
    """Add-remove at epsilon 4 implies replace-one at 8, and not at 7."""
    wide, narrow = (plan(("a", "2"), epsilon=epsilon, neighbours="replace-one") for epsilon in ("8", "7"))
    for after, verdict in ((wide, Verdict.IMPLIED), (narrow, Verdict.REFUTED)):
        found = difference(plan(("a", "2")), after)
        assert found.promises is not None
        assert found.promises[0].verdict is verdict


def test_what_compares_nothing_has_no_difference() -> None:
    """Everything that differs between neighbours is published exactly: there are no two datasets to compare."""
    fixed = {"neighbours": "replace-one", "attributes": ["age"], "invariants": [{"name": "ages", "counts_by": ["age"]}]}
    domain = {"domain": {"name": "all datasets", "attributes": ["age"]}}
    data = [
        {
            "specification": {**fixed, **domain},
            "budget": [{"divergence": "pure", "epsilon": "4"}],
            "release": [
                {
                    "name": "a",
                    "query": {"kind": "count", "attributes": ["age"]},
                    "mechanism": {"kind": "geometric", "scale": scale},
                }
            ],
        }
        for scale in ("2", "3")
    ]
    found = difference(*map(read_plan, data))
    assert found.verdicts == (Verdict.VACUOUS, Verdict.VACUOUS)
    assert found.costs[0].growth is None
    assert not found.kept
