"""Events of dp-accounting: what each becomes, and what is refused."""

from __future__ import annotations

import enum
import json
from pathlib import Path
from typing import Any

import attrs
import pytest

import accountant as ac

MODULE = "dp_accounting.dp_event"


def event(name: str, *values: Any) -> list[Any]:
    return [MODULE, name, *values]


GAUSSIAN, LAPLACE = event("GaussianDpEvent", 2.0), event("LaplaceDpEvent", 4.0)


def plan(history: Any, neighbours: str | None = "add-remove") -> ac.Plan:
    return ac.read_history("dp-accounting", history, neighbours=neighbours).plan


def refused(history: Any, neighbours: str | None = "add-remove") -> str:
    with pytest.raises(ac.PlanError) as caught:
        ac.read_history("dp-accounting", history, neighbours=neighbours)
    return str(caught.value)


def test_repetition_inside_a_sample_is_one_sample() -> None:
    """A sample that is answered on four times costs more than one answer, and less than answers on four samples."""
    once, inside, outside = (
        ac.account(plan(tree)).epsilon(delta="1e-5")
        for tree in (
            event("PoissonSampledDpEvent", 0.1, GAUSSIAN),
            event("PoissonSampledDpEvent", 0.1, event("SelfComposedDpEvent", GAUSSIAN, 4)),
            event("SelfComposedDpEvent", event("PoissonSampledDpEvent", 0.1, GAUSSIAN), 4),
        )
    )
    assert once.upper < outside.lower < inside.lower


def test_events_that_share_a_poisson_sample_are_refused_between_replaced_records() -> None:
    """What a record adds may depend on earlier answers, so that three laws are no longer three points of one line."""
    shared = event("SelfComposedDpEvent", GAUSSIAN, 4)
    assert "share a sample" in refused(event("PoissonSampledDpEvent", 0.1, shared), "replace-one")
    assert plan(event("SampledWithoutReplacementDpEvent", 100, 10, shared), "replace-one")


def test_gaussian_answers_of_different_noise_on_one_sample_add_their_precisions() -> None:
    composed = event(
        "ComposedDpEvent", [event("GaussianDpEvent", 3), event("SelfComposedDpEvent", event("GaussianDpEvent", 4), 2)]
    )
    (release,) = plan(event("PoissonSampledDpEvent", 0.5, composed)).as_data()["release"]
    # 1/9 + 2/16 = 17/72
    assert release["mechanism"] == {"kind": "gaussian", "covariance": [["72/17"]]}


def test_randomised_response_is_the_table_of_its_chances() -> None:
    (release,) = plan(event("RandomizedResponseDpEvent", 0.5, 4), "replace-one").as_data()["release"]
    assert release["mechanism"]["rows"] == [["0.625", "0.125", "0.25"], ["0.125", "0.625", "0.25"]]
    assert "is about 'replace-one' neighbours" in refused(event("RandomizedResponseDpEvent", 0.5, 4))
    assert plan(event("RandomizedResponseDpEvent", 0, 1), "replace-one").releases[0].mechanism.kind == "no-op"


def test_counts_multiply_and_are_never_forgotten() -> None:
    """dp-accounting itself forgets how often randomised response happened."""
    tree = event("SelfComposedDpEvent", event("ComposedDpEvent", [event("RandomizedResponseDpEvent", 0.5, 4)]), 10)
    assert plan(event("SelfComposedDpEvent", tree, 3), "replace-one").releases[0].times == 30


def test_what_promises_nothing_is_unbounded() -> None:
    found = ac.account(plan(event("ComposedDpEvent", [GAUSSIAN, event("NonPrivateDpEvent")])))
    assert found.epsilon(delta="1e-5").upper == float("inf")


@pytest.mark.parametrize(
    ("history", "words"),
    [
        (event("UnsupportedDpEvent"), "nobody knows what it does"),
        (event("TruncatedSubsampledGaussianDpEvent", 10, 0.1, 5, 1.0), "cut at a size"),
        (event("GausianDpEvent", 1), "GausianDpEvent has no counterpart here: what it does is not known"),
        (["os", "system", "true"], "'os' is not of dp_accounting"),
        (["dp_accounting_other.dp_event", "GaussianDpEvent", 1], "is not of dp_accounting"),
        (event("ZCDpEvent", 0.1, 0.2), "must be at most 0, got 0.2 @ xi"),
        (event("GaussianDpEvent", 0), "must be above 0, got 0 @ noise_multiplier"),
        (event("GaussianDpEvent"), "expected noise_multiplier after the name of GaussianDpEvent, got 0 values @ event"),
        (event("GaussianDpEvent", 1, 2), "got 2 values @ event"),
        (event("SelfComposedDpEvent", GAUSSIAN, 0), "must be at least 1, got 0 @ count"),
        (event("SelfComposedDpEvent", GAUSSIAN, 1.5), "expected a whole number"),
        (event("SelfComposedDpEvent", event("SelfComposedDpEvent", GAUSSIAN, 10**15), 10**15), "must be at most"),
        (event("ComposedDpEvent", []), "expected a list of at least one event"),
        (event("PoissonSampledDpEvent", 1.5, GAUSSIAN), "must be at most 1, got 1.5 @ sampling_probability"),
        (event("PoissonSampledDpEvent", 0.5, event("ComposedDpEvent", [GAUSSIAN, LAPLACE])), "@ event.events[1]"),
        (event("PoissonSampledDpEvent", 0.5, event("PoissonSampledDpEvent", 0.5, GAUSSIAN)), "within another sample"),
        (event("SampledWithoutReplacementDpEvent", 100, 10, GAUSSIAN), "is about 'replace-one' neighbours"),
        ({"class_name": "GaussianDpEvent", "noise_multiplier": 1}, "expected an event with module_name"),
        (
            {"module_name": MODULE, "class_name": "GaussianDpEvent", "noise_multiplier": 1, "noise": 2},
            "unknown key 'noise'",
        ),
        ("", "cannot be read"),
    ],
)
def test_what_is_not_understood_is_refused(history: Any, words: str) -> None:
    assert words in refused(history)


def test_every_fault_is_told_at_once_with_its_place() -> None:
    told = refused(
        event("ComposedDpEvent", [event("GaussianDpEvent", -1), event("NoSuchDpEvent"), event("LaplaceDpEvent", "x")])
    )
    assert [line.rpartition(" @ ")[2] for line in told.splitlines()] == [
        "events[0].noise_multiplier",
        "events[1]",
        "events[2].noise_multiplier",
    ]


def test_very_many_different_noises_on_one_sample_are_refused_soon() -> None:
    many = [event("GaussianDpEvent", 1 + index / 100_003) for index in range(5_000)]
    assert "too many different multipliers" in refused(event("PoissonSampledDpEvent", 0.5, event("ComposedDpEvent", many)))


def test_neighbours_must_be_said_somewhere() -> None:
    assert "events do not say between which datasets" in refused(GAUSSIAN, None)
    told = {"neighboring_relation": "REPLACE_ONE", "ledger": GAUSSIAN}
    assert plan(told, None).specification.neighbours.relation.name == "replace-one"
    assert "which is 'replace-one', and 'add-remove' is asked for" in refused(told)
    unknown = {"neighboring_relation": "REPLACE_MANY", "ledger": GAUSSIAN}
    assert "expected one of ADD_OR_REMOVE_ONE, REPLACE_ONE, REPLACE_SPECIAL, got 'REPLACE_MANY'" in refused(unknown, None)
    with pytest.raises(ac.UnknownName, match="did you mean 'add-remove'"):
        ac.read_history("dp-accounting", GAUSSIAN, neighbours="add-remov")


def test_a_record_that_is_zeroed_out_moves_a_sum_by_its_norm_once_and_is_sampled_by_its_own_coin() -> None:
    sampled = event("PoissonSampledDpEvent", 0.25, GAUSSIAN)
    for history in (GAUSSIAN, sampled):
        told = plan({"neighboring_relation": "REPLACE_SPECIAL", "ledger": history}, None)
        assert told.specification.neighbours.relation.name == "zero-out"
        # Who is not there adds nothing: the loss is the one between datasets with and without a record.
        losses = [ac.account(read).measure("approx", delta="1e-6").value for read in (told, plan(history))]
        assert (losses[0].lower, losses[0].upper) == (losses[1].lower, losses[1].upper)
    fixed = event("SampledWithoutReplacementDpEvent", 100, 10, GAUSSIAN)
    assert "is about 'replace-one' neighbours" in refused(
        {"neighboring_relation": "REPLACE_SPECIAL", "ledger": fixed}, None
    )


def test_remarks_say_how_far_replaced_records_move_and_what_is_trusted() -> None:
    told = ac.read_history("dp-accounting", GAUSSIAN, neighbours="replace-one").remarks
    assert any("twice the norm" in remark for remark in told)
    assert not any(
        "twice" in remark for remark in ac.read_history("dp-accounting", GAUSSIAN, neighbours="add-remove").remarks
    )
    stated = ac.read_history("dp-accounting", event("ZCDpEvent", 0.1, 0), neighbours="add-remove").remarks
    assert any("taken on trust" in remark for remark in stated)


# Live objects: classes of the same names and fields, which no test imports from the library.


@attrs.frozen
class GaussianDpEvent:
    noise_multiplier: float


@attrs.frozen
class SelfComposedDpEvent:
    event: Any
    count: int


class Relation(enum.Enum):
    ADD_OR_REMOVE_ONE = 1


class Composing:
    neighboring_relation = Relation.ADD_OR_REMOVE_ONE
    ledger = SelfComposedDpEvent(GaussianDpEvent(0.1), 3)


@pytest.fixture(autouse=True)
def _of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    for cls in (GaussianDpEvent, SelfComposedDpEvent):
        monkeypatch.setattr(cls, "__module__", MODULE)


def test_live_objects_are_read_by_their_fields_and_floats_as_they_are_written() -> None:
    (release,) = plan(Composing(), None).as_data()["release"]
    assert (release["mechanism"]["sigma"], release["times"]) == ("0.1", 3)
    assert plan(Composing.ledger).as_data()["release"][0]["mechanism"] == release["mechanism"]


def test_live_objects_that_are_nested_very_deep_are_refused_in_words() -> None:
    tree: Any = GaussianDpEvent(1.0)
    for _ in range(5_000):
        tree = SelfComposedDpEvent(tree, 1)
    assert "nested more than" in refused(tree)


def test_a_file_is_read_and_its_faults_name_it(tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps({"module_name": MODULE, "class_name": "LaplaceDpEvent", "noise_multiplier": 0}, indent=1))
    assert f"{path}:4: must be above 0, got 0 @ noise_multiplier" in refused(path)
