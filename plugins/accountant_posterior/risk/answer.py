"""What `accountant recommend` prints with --json, as a JSON Schema."""

from __future__ import annotations

from typing import Any

_TEXT = {"type": "string"}
_MAYBE = {"type": ["string", "null"]}
_NUMBER = {"$ref": "#/$defs/number"}
_ENDS = {"$ref": "#/$defs/interval"}
_TEXTS = {"type": "object", "additionalProperties": _TEXT}


def _table(needed: dict[str, Any], **further: Any) -> dict[str, Any]:
    properties = {**needed, **further}
    return {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}


_RECOMMENDED = _table(
    {
        "adversary": _TEXT,
        "neighbours": _TEXT,
        "epsilon": _ENDS,
        "membership": _MAYBE,
        "disclosure": _MAYBE,
        "theorem": _TEXT,
        "remarks": {"type": "array", "items": _TEXT},
    },
    profile=_TEXT,
    over=_TEXTS,
    approx=_table({"delta": _TEXT, "epsilon": _ENDS}),
    zcdp=_table({"rho": _ENDS}),
    releases=_table({"count": _TEXT}, each=_TEXT, **dict.fromkeys(("basic", "advanced", "optimal", "curve"), _ENDS)),
    count=_table({"deviation": _NUMBER, "unchanged": _NUMBER, "turned": {"type": "array", "items": _NUMBER}}),
)
ANSWER = _table({"recommendations": {"type": "array", "items": _RECOMMENDED}}, plan=_TEXT, profile=_TEXT, parameters=_TEXTS)
