"""What the reports say: the right numbers, in the words of their readers, of one adversary at a time."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import mpmath
import pytest

import accountant
from accountant.plugin import RENDERERS, REPORTS
from accountant.report import Aside, Block, Callout, Document, KeyFigures, Section, Table
from accountant_posterior import reports

PLAN: dict[str, Any] = {
    "title": "Two tables",
    "specification": {"neighbours": "replace-one", "invariants": [{"name": "number of people", "counts_by": []}]},
    "budget": [{"divergence": "zcdp", "rho": "0.5"}, {"divergence": "approx", "epsilon": "4", "delta": "1e-6"}],
    "release": [
        {
            "name": "race by block",
            "query": {"kind": "histogram", "attributes": ["race", "block"]},
            "mechanism": {"kind": "discrete-gaussian", "variance": "4"},
        },
        {
            "name": "age",
            "query": {"kind": "histogram", "attributes": ["age"]},
            "mechanism": {"kind": "discrete-gaussian", "variance": "16"},
        },
    ],
    "scenario": [{"name": "R", "attributes": ["race"]}, {"name": "A", "attributes": ["age"]}],
}
AUDIENCES = tuple(report.name for report in reports.REPORTS)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("reports")]


def built(plan: dict[str, Any], audience: str) -> Document:
    registry = accountant.default_registry()
    read = accountant.read_plan(plan)
    report = registry[REPORTS][audience]
    return report.build(accountant.certify(read), accountant.account(read))


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    return {audience: built(PLAN, audience) for audience in AUDIENCES}


def walked(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Section | Aside | Callout):
            yield from walked(block.blocks)


def text_of(document: Document) -> str:
    return " ".join(accountant.default_registry()[RENDERERS]["text"].render(document).split())


def difference_law(variance: int) -> list[Any]:
    """The law of the difference of two cells with discrete Gaussian noise, from -160 to 160; neighbours move it by 2."""
    weights = [mpmath.exp(-mpmath.mpf(k * k) / (2 * variance)) for k in range(-80, 81)]
    law = [weight / sum(weights) for weight in weights]
    places = range(161)
    return [sum(law[k] * law[k - shift] for k in places if k - shift in places) for shift in range(-160, 161)]


def right_guesses(variance: int) -> int:
    """Of 100, by enumeration: where the difference is 2 or more, the moved one is likelier; a tie at 1 is no help."""
    law = difference_law(variance)
    return math.ceil(100 * (1 + law[160] + law[161]) / 2)


def best_power(variance: int, level: Any) -> Any:
    """By enumeration: the largest differences first, and the last one by a coin."""
    law, power = difference_law(variance), mpmath.mpf(0)
    for place in range(320, 1, -1):
        if law[place] >= level:
            return power + level / law[place] * law[place - 2]
        level, power = level - law[place], power + law[place - 2]
    return power


def test_the_public_reads_natural_frequencies(documents: dict[str, Document]) -> None:
    said = text_of(documents["public"])
    assert right_guesses(4) == 64
    assert (
        f"About Jessie’s race, the best possible guess is right for at most {right_guesses(4)} of 100 people. "
        "A coin is right for 50."
    ) in said
    assert f"About Jessie’s age, the best possible guess is right for at most {right_guesses(16)} of 100 people." in said
    assert "number of people" in said
    (cards,) = [block for block in documents["public"].blocks if isinstance(block, KeyFigures)]
    assert [card.value for card in cards.figures] == [
        "66 of 100",
        f"{right_guesses(4)} of 100",
        f"{right_guesses(16)} of 100",
    ]


def test_the_public_needs_no_greek(documents: dict[str, Document]) -> None:
    document = documents["public"]
    body = text_of(Document(document.title, document.blocks, document.subtitle))
    jargon = (
        r"\b(rho|epsilon|delta|sigma|zcdp|differential|posterior|prior|mechanism|neighbour\w*|hypothes\w*)\b|[α-ωΑ-Ω]|\^"
    )
    assert re.findall(jargon, body, re.IGNORECASE) == []
    assert "rho of at most 0.3125" in text_of(document)


def test_policy_reads_numbers_with_what_they_assume(documents: dict[str, Document]) -> None:
    said = text_of(documents["policy"])
    for words in (
        "Largest power of any test",
        "chance of failure 1 in 100",
        "What all this assumes",
        "Budgets of the plan",
    ):
        assert words in said
    tables = {block.title: block for block in walked(documents["policy"].blocks) if isinstance(block, Table)}
    label, *powers = tables["Largest power of any test"].rows[1]
    assert label == "race (R)"
    for said_power, level in zip(powers, ("0.01", "0.05", "0.1"), strict=True):
        truth = 100 * best_power(4, mpmath.mpf(level))
        assert truth <= float(said_power.rstrip("%")) <= truth * 1.001 + 0.1


def test_a_simulated_attack_stands_apart(documents: dict[str, Document]) -> None:
    simulated = [
        block for block in walked(documents["policy"].blocks) if isinstance(block, Callout) and block.tone == "simulation"
    ]
    assert len(simulated) == 1
    outside = [
        block for block in walked(documents["policy"].blocks) if isinstance(block, Callout) and block.tone == "guarantee"
    ]
    assert outside
    assert not any(
        isinstance(block, Callout) and block.tone == "simulation" for block in walked(documents["public"].blocks)
    )
    assert "Another attacker may learn more: nothing here is a bound." in text_of(documents["policy"])


def test_technical_readers_find_theorems_and_digests(documents: dict[str, Document]) -> None:
    said = text_of(documents["technical"])
    for words in ("best-guess-is-total-variation", "product-pair", "canonne2020discrete", "sha256:", "accountant verify"):
        assert words in said
    certificate = accountant.certify(accountant.read_plan(PLAN))
    for budget in certificate.data["budgets"]:
        assert budget["guarantee"]["value"]["upper"] in said


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize(
    ("specification", "release", "words"),
    [
        (
            {"neighbours": "add-remove"},
            {"mechanism": {"kind": "gaussian", "sigma": "1"}},
            {"public": "whether Jessie is in the data"},
        ),
        (
            {"neighbours": "replace-one", "unit": "household"},
            {"mechanism": {"kind": "non-private"}},
            {"public": "There is no limit", "policy": "Some releases have no finite cost"},
        ),
        (
            {"neighbours": "replace-one", "group": 3},
            {"mechanism": {"kind": "gaussian", "sigma": "9"}},
            {"public": "a group of up to 3 people", "policy": "up to 3 at once"},
        ),
        (
            {"neighbours": "add-remove"},
            {"mechanism": {"kind": "claim", "divergence": "approx", "epsilon": "1", "delta": "0.01"}},
            {"policy": "Claims were taken on trust: first and second."},
        ),
    ],
    ids=["add-remove", "no limit", "group", "claim"],
)
def test_every_kind_of_plan_has_reports(
    audience: str, specification: dict[str, Any], release: dict[str, Any], words: dict[str, str]
) -> None:
    query = {} if release["mechanism"]["kind"] == "claim" else {"query": {"kind": "count"}}
    plan = {
        "title": "a plan",
        "specification": specification,
        "budget": [{"divergence": "approx", "epsilon": "1", "delta": "1e-6"}],
        "release": [{"name": name, **query, **release} for name in ("first", "second")],
    }
    assert words.get(audience, "a plan") in text_of(built(plan, audience))


@pytest.mark.parametrize("audience", AUDIENCES)
def test_a_limit_that_is_exceeded_is_said_first(audience: str) -> None:
    plan = {
        "title": "too much",
        "specification": {"neighbours": "add-remove"},
        "budget": [{"divergence": "zcdp", "rho": "0.1"}],
        "release": [{"name": "a", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "1"}}],
    }
    (warning,) = [block for block in built(plan, audience).blocks if isinstance(block, Callout)]
    assert (warning.tone, warning.title) == ("warning", "A limit is exceeded")


def test_a_risk_profile_is_answered_for_the_attacker_it_names() -> None:
    plan = {
        "title": "tolerable",
        "specification": {"neighbours": "add-remove"},
        "risk": [{"kind": "constant", "ratio": "3"}],
        "release": [{"name": "a", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "2"}}],
    }
    (section,) = [
        block
        for block in built(plan, "policy").blocks
        if isinstance(block, Section) and block.title == "Is the risk tolerable?"
    ]
    (callout,) = [block for block in section.blocks if isinstance(block, Callout)]
    assert (callout.tone, callout.title) == ("guarantee", "Profile 'constant', independent attacker: kept")
    assert "risk-profile" in text_of(built(plan, "technical"))


def test_who_was_sampled_is_said_to_be_hidden() -> None:
    release = {
        "name": "a",
        "query": {"kind": "count"},
        "mechanism": {"kind": "laplace", "scale": "1"},
        "sampling": {"kind": "poisson", "rate": "1/10"},
    }
    plan: dict[str, Any] = {
        "title": "a sample",
        "specification": {"neighbours": "add-remove"},
        "budget": [{"divergence": "pure", "epsilon": "1"}],
        "release": [release],
    }
    words = "but not who was picked when chance chose whom to ask"
    assert words in text_of(built(plan, "public"))
    plan["specification"]["attacker"] = "insider"
    assert words not in text_of(built(plan, "public"))


PUBLIC = {
    "specification": {"neighbours": "replace-one"},
    "budget": [{"divergence": "pure", "epsilon": "1/2"}],
    "release": [{"name": "votes", "query": {"kind": "histogram"}, "mechanism": {"kind": "geometric", "scale": "8"}}],
    "public": [
        {
            "kind": "known-total",
            "name": "total",
            "records": 40,
            "total": 12,
            "rate": "1/2",
            "budget": [{"divergence": "pure", "epsilon": "1"}],
        },
        {"kind": "independent", "name": "weather", "budget": [{"divergence": "pure", "epsilon": "1"}]},
    ],
}


@pytest.mark.parametrize(
    ("audience", "words"),
    [
        ("public", ["What is known anyway?", "total: 12 of 40 said yes", "50% before these facts, of 30% with them"]),
        ("policy", ["Beside public facts", "2 units", "| pure: epsilon | 0.5 | kept |", "| 50% | 30% |", "not protected"]),
        ("technical", ["Beside public facts", "coupled-mixtures", "known-total"]),
    ],
)
def test_what_is_public_anyway_is_said_apart(audience: str, words: list[str]) -> None:
    plan = accountant.read_plan(PUBLIC)
    registry = accountant.default_registry()
    document = registry[REPORTS][audience].build(accountant.certify(plan), accountant.account(plan))
    text = registry[RENDERERS]["markdown"].render(document)
    for phrase in words:
        assert phrase in text
