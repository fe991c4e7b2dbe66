"""Laws of bridges: a history means what happened, all of it and nothing else, and whoever wrote it cannot do harm."""

from __future__ import annotations

import base64
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import deepcopy
from importlib.abc import MetaPathFinder
from typing import Any, NoReturn

from accountant.accounting.account import account
from accountant.analysis.beginning import usual_definition, usual_parameter
from accountant.certificate.certify import certify
from accountant.errors import AccountantError, PlanError
from accountant.plan.bridge import Bridge
from accountant.plan.commented import commented
from accountant.plan.history import History, plain_history, read_history
from accountant.plan.plan import Plan
from accountant.plan.reader import read_plan
from accountant.plugin.oracles import BridgeOracle
from accountant.promise.divergence import DIVERGENCES
from accountant.promise.neighbours import NEIGHBOURS
from accountant.registry.registry import Registry
from accountant.testing.counterexamples import broken
from accountant.testing.tampered import changes, found_at, places, put_at
from accountant.values.source import canonical, parse

_EPSILONS = (0, 1, 3)
_MANY = 60


def bridge_has_an_oracle(name: str, oracle: BridgeOracle | None) -> None:
    """A bridge shows what the histories look like that it reads."""
    if oracle is None:
        broken(
            f"nothing says what histories '{name}' reads, so that it cannot be tried",
            remedy=f'yield BridgeOracle("{name}", histories=..., again=..., joined=..., known=...) from '
            "accountant_conformance_cases",
        )


def history_becomes_a_plan(bridge: Bridge, oracle: BridgeOracle, registry: Registry, history: Any) -> None:
    """Read twice, a history is the same plan; written down and read again the plan is that one; and it is certified.

    Between the neighbours that are asked for, or not at all.
    """
    first, second = (_read(bridge, oracle, registry, history) for _ in range(2))
    if first != second:
        _fails(bridge, "read twice, a history must be the same plan with the same remarks", history, plan=first.plan)
    definition = registry.find(DIVERGENCES, usual_definition(registry))
    budget = {"divergence": definition.name, **usual_parameter(definition)}
    plan = read_plan({**first.plan.as_data(), "budget": [budget]}, registry=registry)
    again = read_plan(parse(commented(plan, registry), "toml", "plan"), registry=registry)
    if again != plan:
        _fails(bridge, "written down and read again, the plan must be the same", history, plan=plan)
    certify(plan, registry=registry)
    taken = _require_neighbours(bridge, registry, history)
    if oracle.neighbours is not None and len(taken) > 1:
        _require_no_guess(bridge, registry, history, taken)


def _require_neighbours(bridge: Bridge, registry: Registry, history: Any) -> list[str]:
    """A history is accounted for between the neighbours that are asked for, or refused; those that are not refused."""
    taken = []
    for name in registry[NEIGHBOURS]:
        with suppress(AccountantError):
            found = _between(bridge, registry, history, name)
            if found != name:
                statement = "a history must be accounted for between the neighbours that are asked for, or refused"
                _fails(bridge, statement, history, asked_for=name, plan_is_between=found)
            taken.append(name)
    return taken


def _require_no_guess(bridge: Bridge, registry: Registry, history: Any, taken: list[str]) -> None:
    """What takes several neighbours says none itself, and is refused until somebody does."""
    with suppress(AccountantError):
        _fails(
            bridge,
            "a history that does not say between which neighbours must be refused until somebody says it",
            history,
            guessed=_between(bridge, registry, history, None),
            as_well_taken=", ".join(taken),
        )


def _between(bridge: Bridge, registry: Registry, history: Any, name: str | None) -> str:
    found = read_history(bridge.name, history, neighbours=name, registry=registry)
    return found.plan.specification.neighbours.relation.name


def history_costs_what_happened(
    bridge: Bridge, oracle: BridgeOracle, registry: Registry, first: Any, second: Any, times: int
) -> None:
    """What happened so many times costs what so many repetitions cost, and what happened in turn what both cost."""
    one, other = (_read(bridge, oracle, registry, history) for history in (first, second))
    for often in (times, _MANY):
        repeated = oracle.again(deepcopy(first), often)
        _require_alike(bridge, _read(bridge, oracle, registry, repeated), [(one, often)], repeated, registry)
    both = oracle.joined(deepcopy(first), deepcopy(second))
    _require_alike(bridge, _read(bridge, oracle, registry, both), [(one, 1), (other, 1)], both, registry)


def known_histories_become_known_releases(bridge: Bridge, oracle: BridgeOracle, registry: Registry) -> None:
    """Histories whose releases were worked out by hand become these releases."""
    for history, releases in oracle.known:
        found = _read(bridge, oracle, registry, history)
        named = [{"name": f"release {index}", **release} for index, release in enumerate(releases)]
        wanted = read_plan({**found.plan.as_data(), "release": named}, registry=registry)
        if _happened(found.plan) != _happened(wanted):
            _fails(
                bridge,
                "a known history must become its known releases",
                history,
                releases=_released(found.plan),
                known=_released(wanted),
            )


def nothing_in_a_history_is_overlooked(bridge: Bridge, oracle: BridgeOracle, registry: Registry, history: Any) -> None:
    """What is added to a history is refused, and so is what is left out, unless it says nothing; every number counts."""
    data = plain_history(history)
    happened = _happened(_read(bridge, oracle, registry, data).plan)
    for statement, changed, same in changes(data):
        try:
            found = read_history(bridge.name, changed, neighbours=oracle.neighbours, registry=registry)
        except PlanError as error:
            _require_words(bridge, error, changed)
            continue
        except Exception:
            continue
        if same is None or (_happened(found.plan) == happened) != same:
            _fails(bridge, statement, changed, releases=_released(found.plan))


def hostile_histories_are_refused_in_words(
    bridge: Bridge, oracle: BridgeOracle, registry: Registry, history: Any, value: Any
) -> None:
    """Whatever stands anywhere in a history, it is read or refused in our words, which say the place."""
    data = plain_history(history)
    for path in places(data):
        hostile = put_at(data, path, value)
        try:
            read_history(bridge.name, hostile, neighbours=oracle.neighbours, registry=registry)
        except PlanError as error:
            _require_words(bridge, error, hostile)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            _fails(bridge, "what cannot be read must be a PlanError with every fault and its place", hostile, raised=said)


def histories_run_nothing(bridge: Bridge, oracle: BridgeOracle, registry: Registry, history: Any) -> None:
    """Nothing that a history names is imported, evaluated or unpickled."""
    data = plain_history(history)
    for path in places(data):
        if isinstance(found_at(data, path), (Mapping, list)):
            continue
        for text in _BAITS:
            with _watching() as asked, suppress(Exception):
                read_history(bridge.name, put_at(data, path, text), neighbours=oracle.neighbours, registry=registry)
            if asked:
                _fails(bridge, "nothing that a history names may be imported or run", put_at(data, path, text))


# How histories are read and compared -----------------------------------------------------------------------------------


def _read(bridge: Bridge, oracle: BridgeOracle, registry: Registry, history: Any) -> History:
    try:
        return read_history(bridge.name, deepcopy(history), neighbours=oracle.neighbours, registry=registry)
    except AccountantError as error:
        _fails(bridge, "a history of its own oracle must be read", history, error=error)


def _require_words(bridge: Bridge, error: PlanError, history: Any) -> None:
    if not error.faults or not all(fault.place and fault.message for fault in error.faults):
        _fails(bridge, "a fault must say what is wrong and where", history, error=error)


def _require_alike(
    bridge: Bridge, found: History, parts: list[tuple[History, int]], history: Any, registry: Registry
) -> None:
    """A history costs what its parts cost, each so many times: it has their releases, or loses as much as these."""
    together: Counter[str] = Counter()
    for part, often in parts:
        together.update({what: times * often for what, times in _happened(part.plan).items()})
    if _happened(found.plan) == together:
        return
    costs = account(found.plan, registry=registry)
    first, *others = (account(part.plan, registry=registry) * often for part, often in parts)
    added = sum(others, first)
    for epsilon in _EPSILONS:
        one, other = costs.loss.delta(epsilon), added.loss.delta(epsilon)
        if one.upper < other.lower or other.upper < one.lower:
            _fails(
                bridge,
                "a history must cost what happened",
                history,
                at_epsilon=epsilon,
                delta_of_the_plan=one,
                delta_of_what_happened=other,
                releases=_released(found.plan),
            )


def _happened(plan: Plan) -> Counter[str]:
    """How often each release happened, whatever it is called."""
    found: Counter[str] = Counter()
    for release in plan.as_data()["release"]:
        what = {key: value for key, value in release.items() if key not in ("name", "times")}
        found[canonical(what)] += release.get("times", 1)
    return found


def _released(plan: Plan) -> str:
    return "; ".join(f"{often} times {what}" for what, often in _happened(plan).items())


def _fails(bridge: Bridge, statement: str, history: Any, **facts: object) -> NoReturn:
    shown = {name: fact.as_data()["release"] if isinstance(fact, Plan) else fact for name, fact in facts.items()}
    broken(f"'{bridge.name}': {statement}", history=_shown(history), **shown, look_at="'read'")


def _shown(history: Any) -> str:
    return canonical(_as_text(plain_history(history))) if _is_plain(history) else repr(history)[:300]


def _is_plain(history: Any) -> bool:
    try:
        plain_history(history)
    except AccountantError:
        return False
    return True


def _as_text(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    return value if isinstance(value, (str, int)) else str(value)


# What is run ----------------------------------------------------------------------------------------------------------

_BAIT = "accountant_bait"
_BAITS = (
    _BAIT,
    f"{_BAIT}.events",
    f"__import__('{_BAIT}')",
    base64.b64encode(f"c{_BAIT}\nThing\n.".encode()).decode(),
)
"""Texts whose module is asked for if one is imported, evaluated or unpickled."""


class _Watch(MetaPathFinder):
    """Notes who asks for the bait, and has it not."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] == _BAIT:
            self.asked.append(name)


@contextmanager
def _watching() -> Iterator[list[str]]:
    watch = _Watch()
    sys.meta_path.insert(0, watch)
    try:
        yield watch.asked
    finally:
        sys.meta_path.remove(watch)
