"""One of everything that users and authors meet: made from the example plans and from a plan that asks for everything."""

from __future__ import annotations

import inspect
import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Any

import attrs
import numpy as np

import accountant as ac
from accountant.certificate.signing.note import SignatureKind
from accountant.certificate.signing.statement import read_statement
from accountant.engines import engine_at
from accountant.fields import exact
from accountant.ledger.terms import read_terms
from accountant.plugin import (
    BRIDGES,
    CASES,
    COMPOSITION_RULES,
    CONVERSIONS,
    DIVERGENCES,
    RENDERERS,
    REPORTS,
    RISK_PROFILES,
    THEOREMS,
    Between,
    MechanismCase,
    ParameterCase,
    Reader,
    Records,
    SamplingOracle,
)
from accountant.plugin.families import FAMILIES
from accountant.promise.datasets import nearest
from accountant.promise.effect import Effect
from accountant.report import Summary
from accountant.testing.instances import edge_cases

EXAMPLES = Path(__file__).parents[2] / "examples"
DOMAIN = {"name": "all datasets", "attributes": ["vote", "district"]}
EVERYTHING: dict[str, Any] = {
    "title": "A vote & more, <everything> that a plan may ask",
    "specification": {
        "neighbours": "replace-one",
        "invariants": [{"name": "how many", "counts_by": []}],
        "domain": {"name": "people", "attributes": ["vote", "district"]},
    },
    "budget": [{"divergence": "zcdp", "rho": "1"}, {"divergence": "approx", "epsilon": "1", "delta": "1e-9"}],
    "reading": [{"divergence": "fdp", "level": "0.05"}],
    "release": [
        {
            "name": "votes",
            "query": {"kind": "histogram", "attributes": ["vote"]},
            "mechanism": {"kind": "geometric", "scale": "8"},
        },
        {
            "name": "in the north",
            "query": {"kind": "histogram", "attributes": ["vote"]},
            "mechanism": {"kind": "gaussian", "sigma": "20"},
            "scope": {"partition": "district", "part": "north"},
        },
        {"name": "vendor", "mechanism": {"kind": "claim", "divergence": "zcdp", "rho": "0.001"}},
    ],
    "scenario": [{"name": "vote", "attributes": ["vote"]}],
    "risk": [{"kind": "difference", "at_most": "0.2", "neighbours": "replace-one"}],
}
VOTE: dict[str, Any] = {
    "title": "A vote among forty",
    "specification": {"neighbours": "replace-one"},
    "release": [{"name": "votes", "query": {"kind": "histogram"}, "mechanism": {"kind": "geometric", "scale": "8"}}],
    "public": [
        {
            "kind": "known-total",
            "name": "total",
            "records": 40,
            "total": 12,
            "rate": "1/2",
            "budget": [{"divergence": "pure", "epsilon": "1"}, {"divergence": "zcdp", "rho": "1"}],
        }
    ],
}
SAMPLED: dict[str, Any] = {
    "title": "Training",
    "specification": {"neighbours": "add-remove"},
    "budget": [{"divergence": "approx", "epsilon": "3", "delta": "1e-5"}],
    "release": [
        {
            "name": "steps",
            "query": {"kind": "count"},
            "mechanism": {"kind": "gaussian", "sigma": "2"},
            "sampling": {"kind": "poisson", "rate": "0.01"},
            "times": 100,
        }
    ],
}


COUNT: dict[str, Any] = {
    "title": "A count",
    "specification": {"neighbours": "replace-one"},
    "budget": [{"divergence": "zcdp", "rho": "1"}],
    "release": [
        {
            "name": "count",
            "query": {"kind": "histogram", "attributes": ["vote"]},
            "mechanism": {"kind": "gaussian", "sigma": "2"},
        }
    ],
}


def roots(folder: Path) -> Iterator[object]:
    """What the functions of the users' door give back, and all that plugins register and offer."""
    survey = ac.load_plan(EXAMPLES / "survey.toml")
    everything, vote, sampled = (ac.read_plan(data) for data in (EVERYTHING, VOTE, SAMPLED))
    for file in sorted((EXAMPLES / "census-methods").glob("*.toml")):
        yield ac.load_specification(file)
    yield ac.load_plan(EXAMPLES / "census-2020.toml")
    decided = {**VOTE, "public": [{**VOTE["public"][0], "total": 0}]}
    tables = [{"name": name, "counts_by": [name]} for name in ("vote", "district")]
    apart = {**COUNT, "specification": {"neighbours": "replace-one", "invariants": tables, "domain": DOMAIN}}
    north = {"divergence": "zcdp", "rho": "1", "cohort": {"by": "district", "values": ["north"]}}
    some = {**COUNT, "budget": [*COUNT["budget"], north]}
    for plan in (survey, everything, vote, sampled, *map(ac.read_plan, (decided, apart, some))):
        certificate = ac.certify(plan)
        yield from (certificate, certificate.contents, certificate.account, ac.Certificate.parse(certificate.to_json()))
    yield ac.verify(ac.certify(survey), survey)
    yield ac.verify(ac.certify(survey), sampled)
    yield from _asked(ac.account(survey), ac.account(sampled))
    known = vote.knowledge[0]
    yield known.public.revealed()
    yield [ac.relative(ac.account(vote), known.public, budget) for budget in known.budgets]
    yield everything.risks[0].assess(ac.account(everything))
    yield everything.risks[0].recommend()
    yield ac.audit(sampled, samples=2000)
    yield ac.Auditor(samples=10**6, confidence="0.99")
    yield Summary().build(ac.certify(everything), ac.account(everything))
    yield nearest(sampled.specification.universe)
    yield SamplingOracle("coins", lambda sampling, taken, of: None)
    yield ac.read_plan({**SAMPLED, "release": [{**SAMPLED["release"][0], "query": {"kind": "vector", "shift": ["1"]}}]})
    yield Records(((exact(1),),), all_of_them=True)
    yield ac.calibrate(ac.read_plan(COUNT), tolerance="0.1")
    yield from _shared_out(ac.reallocate(ac.read_plan(COUNT)))
    yield ac.compare(survey.specification.budgets, sampled.specification.budgets)
    yield ac.implies(survey.specification, sampled.specification)
    yield ac.implies(survey.specification, survey.specification)
    yield ac.common_ground(survey.specification, survey.specification)
    yield Effect(survey.specification.neighbours, "household", frozenset({"size"}))
    yield ac.difference(survey, sampled)
    yield ac.difference(ac.read_plan(COUNT), ac.read_plan({**COUNT, "title": "Another count"}))
    yield ac.Publication(publisher="A <statistical> office")
    yield ac.Statements(unit="one <person> is one row", access="four people")
    yield from _trained(ac.dp_sgd(noise_multiplier="1", sample_rate="0.01", steps=100))
    yield from _kept(folder)
    yield from _signed(folder)
    yield _grouped(folder)
    with engine_at("duckdb") as engine:
        yield engine
    yield from _registered(ac.default_registry())


def _asked(*accounts: ac.Account) -> Iterator[object]:
    for account in accounts:
        yield account
        yield account.loss
        yield account.entries[0].loss.cells(np.linspace(-1.0, 1.0, 2000))
        yield account.measure("approx", delta="1e-6")
        yield account.by_formulas("approx", delta="1e-6")
        yield account.curve("approx", places=["1e-9", "1e-6"])


def _shared_out(found: ac.Allocation) -> Iterator[object]:
    yield from (found, *found.allotments)


def _trained(run: ac.Account) -> Iterator[object]:
    yield ac.calibrate(run, epsilon="1", delta="1e-5", tolerance="0.1")
    lens = run.lens("approx")
    yield from (lens, lens.epsilon)


def _kept(folder: Path) -> Iterator[object]:
    terms = {
        "title": "over time",
        "specification": {"neighbours": "replace-one"},
        "budget": [{"divergence": "zcdp", "rho": "1"}],
    }
    with ac.Ledger.create(folder / "some.ledger", read_terms(terms)) as ledger:
        release = {"name": "votes", "query": {"kind": "histogram"}, "mechanism": {"kind": "gaussian", "sigma": "4"}}
        batch = ledger.batch(release)
        yield from (ledger, batch, ledger.quote(batch), ledger.what_if(batch), ledger.reserve(batch), ledger.status())
        yield list(ledger.history())
        signer = ac.PrivateKey.new()
        first = ledger.checkpoint("example.org/some", signer)
        ledger.reserve(ledger.batch({**release, "name": "another"}))
        second = ledger.checkpoint("example.org/some", signer)
        yield from (first, ledger.prove_entry(1, second), ledger.prove_growth(first, second), *SignatureKind)


def _signed(folder: Path) -> Iterator[object]:
    """A certificate of a curator and a checker, with a released file and without one that was promised."""
    plan, certificate, released = folder / "count.json", folder / "count.certificate.json", folder / "count.csv"
    plan.write_text(json.dumps(COUNT), "utf-8")
    certificate.write_text(ac.certify(plan).to_json(), "utf-8")
    released.write_text("12\n", "utf-8")
    keys = {name: ac.PrivateKey.new() for name in ("curator", "checker")}
    made = [ac.sign(certificate, plan, signer=key, role=name, released=[released]) for name, key in keys.items()]
    signatures = folder / "count.certificate.intoto.jsonl"
    signatures.write_text("".join(f"{envelope.to_json()}\n" for envelope in made), "utf-8")
    listed = [{"name": name, "public": key.public.text, "roles": [name]} for name, key in keys.items()]
    policy = ac.TrustPolicy.read({"until": date.max, "key": listed, "need": {"curator": 1, "checker": 1}})
    yield from (made, policy, list(keys.values()), read_statement(made[0].payload))
    yield ac.verify_signed(certificate, plan, policy)
    released.write_text("13\n", "utf-8")
    yield ac.verify_signed(certificate, plan, policy, released=[released])


def _grouped(folder: Path) -> object:
    """A certificate of a plan whose table was grouped."""
    (folder / "rows.csv").write_text("sigma\n8\n8\n", "utf-8")
    mechanism = {"kind": "gaussian", "sigma": "{sigma}"}
    table = {"file": "rows.csv", "grouped": True, "name": "some", "query": {"kind": "count"}, "mechanism": mechanism}
    (folder / "grouped.json").write_text(json.dumps({**COUNT, "release": [], "table": [table]}), "utf-8")
    certificate = ac.certify(folder / "grouped.json")
    return certificate, certificate.contents, certificate.account


def _registered(registry: ac.Registry) -> Iterator[object]:
    yield registry
    yield [registry.badge(name) for name in registry.plugins]
    yield ac.Badge("noise", "1", "sha256:0", "1", 1, {f"law {number}": 1 for number in range(100)})
    yield FAMILIES
    for family in (THEOREMS, DIVERGENCES, CONVERSIONS, COMPOSITION_RULES, BRIDGES, REPORTS, RENDERERS):
        yield registry[family]
    training = [[1.1, 0.01, 6000], [1.5, 0.02, 2000]]
    yield (registry[BRIDGES]["opacus"].read(training, None), ac.read_history("opacus", training))
    yield [edge_cases(cls, registry, 2) for cls in registry[RISK_PROFILES].values()]
    for case in registry.offered(CASES).values():
        yield case
        if isinstance(case, MechanismCase):
            yield (case.mechanism.added_noise(), case.mechanism.loss(case.shift))
        elif isinstance(case, ParameterCase):
            definition = registry.find(DIVERGENCES, case.divergence)
            yield definition.worst_case(case.parameter)
            yield [definition.quantity(dict.fromkeys(reading.at, exact("1/2"))) for reading in definition.readings]
    yield [ac.ZeroOut(), ac.Metric("age")]
    yield Reader()
    yield Between(lambda relation: None)  # type: ignore[arg-type, return-value]
    yield from ac.Verdict


def walked(values: Iterable[object], most: int = 100) -> dict[type[Any], list[object]]:
    """All values that are reached from some, by public fields and properties. Of very many of a class some are opened."""
    found: dict[type[Any], list[object]] = {}
    seen: dict[int, object] = {}  # values are kept, so that no two have one identity
    pending = deque(values)  # nearest first, since some properties lead on and on
    while pending:
        value = pending.popleft()
        if isinstance(value, Mapping) and not attrs.has(type(value)):
            pending.extend(value.values())
        elif isinstance(value, (tuple, list, frozenset)):
            pending.extend(value)
        elif type(value).__module__.startswith("accountant") and id(value) not in seen:
            seen[id(value)] = value
            kept = found.setdefault(type(value), [])
            kept.append(value)
            if len(kept) <= most:
                pending.extend(_inside(value))
    return found


def _inside(value: object) -> Iterator[object]:
    if isinstance(value, Enum):
        return
    members = [member.name for member in attrs.fields(type(value))] if attrs.has(type(value)) else []  # type: ignore[arg-type]
    computed = [name for name, _ in inspect.getmembers_static(type(value), _is_property)]
    for name in dict.fromkeys([*members, *computed, *vars(type(value)).get("__annotations__", ())]):
        if not name.startswith("_"):
            try:
                yield getattr(value, name)
            except (ac.AccountantError, AttributeError, LookupError):
                continue


def _is_property(item: object) -> bool:
    return isinstance(item, property)
