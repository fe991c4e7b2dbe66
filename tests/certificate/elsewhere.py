"""Certificates as somebody else might have written them: with other ends, sealed anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from accountant import Certificate
from accountant.certificate.contents import Enclosure
from accountant.certificate.findings import DIGITS
from accountant.certificate.seal import SEAL, seal_of

Path = tuple[Any, ...]
LAPLACE: dict[str, Any] = {
    "title": "Seven counts and one",
    "specification": {"neighbours": "add-remove"},
    "budget": [{"divergence": "approx", "epsilon": "5", "delta": "1e-6"}],
    "release": [
        {"name": "a", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "2.3"}, "times": 7},
        {"name": "b", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "4.1"}},
    ],
}
"""A plan whose numbers come from a grid: what is found depends on how precisely it is asked for."""


def intervals(data: Any, path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every certified interval of a certificate, by its place; what has a kind is a part of the plan."""
    if isinstance(data, dict):
        if {"lower", "upper"} <= data.keys() and "kind" not in data:
            yield path, data
        for key, item in data.items():
            yield from intervals(item, (*path, key))
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from intervals(item, (*path, index))


def at(data: Any, path: Path) -> Any:
    """What stands at a place."""
    for key in path:
        data = data[key]
    return data


def sealed(data: dict[str, Any]) -> Certificate:
    """A certificate that says this and is sealed."""
    return Certificate({**data, SEAL: seal_of(data)})


def copied(certificate: Certificate) -> dict[str, Any]:
    """What a certificate says, to be changed."""
    data: dict[str, Any] = json.loads(certificate.to_json())
    return data


def rewritten(certificate: Certificate, edit: Callable[[dict[str, Any]], None]) -> Certificate:
    """The certificate after an edit of each interval that is not known exactly, sealed."""
    data = copied(certificate)
    for _, interval in list(intervals(data)):
        if "exact" not in interval:
            edit(interval)
    return sealed(data)


def moved(text: str, relative: str, *, up: bool) -> str:
    """An end a little farther up or down, spelt as certificates spell it."""
    if text in ("inf", "0"):
        return text
    number = Decimal(text)
    context = Context(prec=DIGITS, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return spelt(context.create_decimal(number * (1 + Decimal(relative) * (1 if up else -1))))


def spelt(number: Decimal) -> str:
    """A decimal of few figures as certificates write it."""
    from accountant.numbers.interval import Interval

    return Interval.of(str(number)).rounded(DIGITS)[1]


def wider(interval: dict[str, Any], relative: str) -> None:
    """Both ends moved outward."""
    interval["lower"] = moved(interval["lower"], relative, up=False)
    interval["upper"] = moved(interval["upper"], relative, up=True)


def narrower(interval: dict[str, Any], relative: str) -> None:
    """Both ends moved inward."""
    interval["lower"] = moved(interval["lower"], relative, up=True)
    interval["upper"] = moved(interval["upper"], relative, up=False)


def digits(text: str, *, down: bool) -> Iterator[str]:
    """A written number with one of its digits one smaller, or one larger, and nothing else changed."""
    head, mark, exponent = text.partition("e")
    for place, digit in enumerate(head):
        if digit.isdigit() and digit != ("0" if down else "9"):
            yield head[:place] + str(int(digit) + (-1 if down else 1)) + head[place + 1 :] + mark + exponent


def enclosures(value: object) -> Iterator[Enclosure]:
    """Every certified interval in what a certificate says as values."""
    import attrs

    if isinstance(value, Enclosure):
        yield value
    if isinstance(value, tuple):
        for item in value:
            yield from enclosures(item)
    elif attrs.has(type(value)):
        for member in attrs.fields(type(value)):
            yield from enclosures(getattr(value, member.name))
