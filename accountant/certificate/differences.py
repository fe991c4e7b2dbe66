"""Differences: every place where two pieces of plain data are not the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from accountant.errors import Fault
from accountant.values.hygiene import shortened


def differences(place: str, stated: object, found: object) -> Iterator[Fault]:
    """Where what is stated is not what was found."""
    if isinstance(stated, Mapping) and isinstance(found, Mapping):
        for key in sorted({*stated, *found}):
            if key not in stated or key not in found:
                yield Fault("missing" if key not in stated else "should not be there", f"{place}.{key}")
            else:
                yield from differences(f"{place}.{key}", stated[key], found[key])
    elif isinstance(stated, list) and isinstance(found, list):
        if len(stated) != len(found):
            yield Fault(f"has {len(stated)} items, recomputed {len(found)}", place)
        for index, (left, right) in enumerate(zip(stated, found, strict=False)):
            yield from differences(f"{place}[{index}]", left, right)
    elif type(stated) is not type(found) or stated != found:
        yield Fault(f"says {_quoted(stated)}, recomputed {_quoted(found)}", place)


def _quoted(value: object) -> str:
    try:
        return shortened(json.dumps(value), 200)
    except RecursionError:
        return "something nested too deep"
