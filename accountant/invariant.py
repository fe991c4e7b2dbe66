"""Invariant: a statistic that is published exactly."""

from __future__ import annotations

from attrs import field, frozen

from accountant.fields import about, text


@frozen
class Invariant:
    """A statistic published exactly: only datasets that agree on it are compared."""

    name: str = field(converter=text, metadata=about("what is published exactly"))
