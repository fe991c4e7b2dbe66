"""Publication: who publishes what a plan describes, when, and whom to ask."""

from __future__ import annotations

import datetime
import re
from typing import Any

from attrs import Attribute, field, frozen

from accountant.display.brief import Brief
from accountant.errors import InvalidValue
from accountant.fields import about, optional_text

_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")
ADDRESS_OF_A_PERSON = re.compile(r"[^\s@:/?#<>\"']+@[^\s@:/?#<>\"']+\.[^\s@:/?#<>\"']+")
"""What may follow `mailto:`, and nothing that starts an address of another kind."""


def _in_the_calendar(_: object, attribute: Attribute[Any], value: str | None) -> None:
    if value is None:
        return
    try:
        known = datetime.date.fromisoformat(value).isoformat() == value
    except ValueError:
        known = False
    if not known:
        raise InvalidValue(f"'{attribute.name}' is a day of the calendar such as \"2026-11-17\", got {value!r}")


def _on_the_web(_: object, attribute: Attribute[Any], value: str | None) -> None:
    # A page links to it: nothing but what fetches a page may stand there.
    if value is not None and not _ADDRESS.fullmatch(value):
        raise InvalidValue(f"'{attribute.name}' is an address that starts with https:// or http://, got {value!r}")


_DATE_SCHEMA = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}


@frozen
class Publication(Brief):
    """Who publishes what a plan describes, when, whom to ask, and where it is found. No number depends on it."""

    publisher: str | None = field(default=None, converter=optional_text, metadata=about("who publishes the statistics"))
    date: str | None = field(
        default=None,
        converter=optional_text,
        validator=_in_the_calendar,
        metadata=about("the day of publication, such as 2026-11-17", _DATE_SCHEMA),
    )
    contact: str | None = field(
        default=None, converter=optional_text, metadata=about("whom to ask: an address, a telephone number or words")
    )
    link: str | None = field(
        default=None,
        converter=optional_text,
        validator=_on_the_web,
        metadata=about("where the publication is found, an address that starts with https://"),
    )

    def __attrs_post_init__(self) -> None:
        if not any((self.publisher, self.date, self.contact, self.link)):
            raise InvalidValue("give at least one of 'publisher', 'date', 'contact' and 'link', or leave the table out")
