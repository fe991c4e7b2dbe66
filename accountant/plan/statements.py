"""Statements: what the numbers of a plan rest on in the world, in the words of those who hold the data."""

from __future__ import annotations

from typing import Any

import attrs
from attrs import field, frozen

from accountant.display.brief import Brief
from accountant.errors import InvalidValue
from accountant.fields import about, optional_text


def _said(what: str) -> Any:
    return field(default=None, converter=optional_text, metadata=about(what))


@frozen
class Statements(Brief):
    """What the curator states and no computation can check, one text for each layer below the numbers.

    The layers are those of NIST SP 800-226, from what is nearest to the numbers down to what everything stands on. No
    number depends on them. What is left out, nobody has said, and certificates and reports say so.
    """

    unit: str | None = _said("what one unit is in the data, and how its records are told from others'")
    contributions: str | None = _said("how what a unit contributes is bounded before anything is computed")
    tuning: str | None = _said("how parameters and queries were chosen, and whether the data were looked at for that")
    implementation: str | None = _said("which software adds the noise, and how its numbers and its randomness are made")
    side_channels: str | None = _said("what else may tell something: running times, failures, logs")
    trust_model: str | None = _said("who is trusted with the data, and where the noise is added")
    access: str | None = _said("who can reach the data and what is computed from them, and how that is guarded")
    collection: str | None = _said("what is exposed while the data are collected and kept")

    def __attrs_post_init__(self) -> None:
        if not self.said:
            known = ", ".join(f"'{member.name}'" for member in attrs.fields(Statements))
            raise InvalidValue(f"give at least one of {known}, or leave the table out")

    @property
    def said(self) -> dict[str, str]:
        """What is stated, by layer."""
        found = {member.name: getattr(self, member.name) for member in attrs.fields(Statements)}
        return {name: text for name, text in found.items() if text is not None}


LAYERS: dict[str, str] = {member.name: member.metadata["about"] for member in attrs.fields(Statements)}
"""What is asked of the curator, by the name of the layer."""
