"""Answer: what the commands say, as plain data and as lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from accountant import Interval
from accountant.numbers import plain
from accountant_invariants.swap.audit import Audited
from accountant_invariants.swap.design import Design, Swapped

_DIGITS = 10
_SHOWN = 6

CONFIDENTIAL = (
    "Who moved, how many and which cells changed is for those who hold the records: no budget covers it. What may be "
    "published is the swapped file, with the plan and its certificate."
)
SEEDED = "the randomness is that of a seed, so that whoever knows it undoes the swapping: for tests, never for publication"


def shown(value: Interval) -> str:
    """A number at the six figures that a person can read, from both ends."""
    low, high = value.rounded(_SHOWN)
    if not value.lower and value.upper:
        return f"at most {high}"
    return low if low == high else f"{low} to {high}"


def headline(design: Design) -> str:
    """The budget: for each record, and for two that exchange their values."""
    return f"epsilon = {shown(design.epsilon)} for each record, {shown(design.pair)} for two that exchange their values"


def design_lines(design: Design) -> Iterator[tuple[str, str]]:
    """What the budget depends on, and what it is silent about."""
    mechanism, sizes = design.mechanism, design.strata.sizes
    single, alike = int((sizes == 1).sum()), int((design.alike & (sizes > 1)).sum())
    yield "records", f"{design.microdata.size:,} in {_strata(len(sizes))}, the largest of {int(sizes.max()):,}"
    yield (
        "exactly",
        f"{' and '.join(known.name for known in mechanism.publishes())}, and with them the size of every stratum",
    )
    if single:
        yield "alone", f"{_strata(single)} of one record, which is published as it is"
    if alike:
        yield "alike", f"{_strata(alike)} whose records agree on what is swapped or on the rest: nothing in them can change"
    if repeated := int((design.repeated & (sizes > 1)).sum()):
        used = "the numbers make use of that" if mechanism.rarest is not None else "the numbers hold there too"
        yield "repeated", f"in {_strata(repeated)} values come more than once; {used}, and less may be lost"
    yield "between", "datasets that agree on what is published exactly; those differ in two records at least"


def _strata(count: int) -> str:
    return "1 stratum" if count == 1 else f"{count:,} strata"


def design_data(design: Design) -> dict[str, Any]:
    """The same as plain data."""
    mechanism, sizes = design.mechanism, design.strata.sizes
    return {
        "records": design.microdata.size,
        "strata": len(sizes),
        "largest": int(sizes.max()),
        "alone": int((sizes == 1).sum()),
        "alike": int((design.alike & (sizes > 1)).sum()),
        "repeated": int((design.repeated & (sizes > 1)).sum()),
        "rate": plain(mechanism.rate),
        "version": mechanism.version,
        "exactly": [known.name for known in mechanism.publishes()],
        "epsilon": {"record": _ends(design.epsilon), "pair": _ends(design.pair)},
    }


def run_data(swapped: Swapped) -> dict[str, Any]:
    """What swapping did."""
    return {
        **design_data(swapped.design),
        "moved": swapped.moved,
        "different": int(swapped.changed.sum()),
        "randomness": "system" if swapped.seed is None else "seed",
        **({} if swapped.seed is None else {"seed": swapped.seed}),
    }


def audit_data(found: Audited) -> dict[str, Any]:
    """What an audit found."""
    return {
        "verdict": found.verdict,
        "checks": [
            {
                "check": check.name,
                "verdict": check.verdict,
                "found": check.found,
                **({} if check.chance is None else {"chance": Interval.of(check.chance).rounded(_SHOWN)[1]}),
            }
            for check in found.checks
        ],
    }


def _ends(value: Interval) -> dict[str, str]:
    lower, upper = value.rounded(_DIGITS)
    return {"lower": lower, "upper": upper}


_TEXT, _WHOLE, _NUMBER = {"type": "string"}, {"type": "integer", "minimum": 0}, {"$ref": "#/$defs/number"}
_DESIGN = {
    **dict.fromkeys(("records", "strata", "largest", "alone", "alike", "repeated"), _WHOLE),
    "rate": _NUMBER,
    "version": {"enum": ["permute", "derange"]},
    "exactly": {"type": "array", "items": _TEXT},
    "epsilon": {
        "type": "object",
        "properties": {"record": {"$ref": "#/$defs/interval"}, "pair": {"$ref": "#/$defs/interval"}},
        "required": ["record", "pair"],
        "additionalProperties": False,
    },
}


def _table(needed: dict[str, Any], **further: Any) -> dict[str, Any]:
    properties = {**needed, **further}
    return {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}


def plan_schema() -> dict[str, Any]:
    """What `swap plan` prints with --json."""
    return _table({**_DESIGN, "plan": _TEXT}, kept={"type": "boolean"})


def run_schema() -> dict[str, Any]:
    """What `swap run` prints with --json."""
    ran = {"moved": _WHOLE, "different": _WHOLE, "randomness": {"enum": ["system", "seed"]}, "swapped": _TEXT}
    return _table({**_DESIGN, **ran}, seed=_WHOLE, picture=_TEXT)


def audit_schema() -> dict[str, Any]:
    """What `swap audit` prints with --json."""
    verdicts = {"enum": ["holds", "refuted", "consistent", "not decided"]}
    check = _table({"check": _TEXT, "verdict": verdicts, "found": _TEXT}, chance=_NUMBER)
    overall = {"enum": ["consistent", "not decided", "refuted"]}
    return _table({"verdict": overall, "checks": {"type": "array", "items": check}})
