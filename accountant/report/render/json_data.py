"""Documents as JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import attrs

from accountant.report import Document, Statement


def render(document: Document) -> str:
    """The document as text."""
    return json.dumps(_data(document), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _data(value: Any) -> Any:
    if isinstance(value, Statement):
        return value.as_data()
    if attrs.has(type(value)):
        members = {member.name: _data(getattr(value, member.name)) for member in attrs.fields(type(value))}
        return {"kind": type(value).__name__.lower(), **members}
    if isinstance(value, dict):
        return {name: _data(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_data(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value
