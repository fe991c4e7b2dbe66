"""Layers: what a promise stands on, each with the word it rests on.

A number is proved; that the plan describes what is run, and all that NIST SP 800-226 puts below the number, is stated by
whoever holds the data, or by nobody. Absent is a standing of its own, so that it cannot be taken for fine.
"""

from __future__ import annotations

from accountant.certificate.contents import CertifiedLayer, Contents
from accountant.plan.plan import Plan
from accountant.plan.statements import LAYERS
from accountant.release.claim import rests_on_claims
from accountant.release.release import Release

PARAMETER = "parameter"
"""The layer that is proved: how much all releases of the plan lose together."""


def layers_of(plan: Plan) -> tuple[CertifiedLayer, ...]:
    """Every layer with its standing, from the numbers down."""
    said = {} if plan.statements is None else plan.statements.said
    on_trust = tuple(release.name for release in plan.releases if taken_on_trust(release))
    return (
        CertifiedLayer(PARAMETER, "proved", on_trust),
        *(CertifiedLayer(name, "stated" if name in said else "not said") for name in LAYERS),
    )


def taken_on_trust(release: Release) -> bool:
    """Whether a plan says of a release what it loses, or how far its query moves, where nothing derives it."""
    return rests_on_claims(release.mechanism) or (release.query is not None and release.query.stated)


def on_trust(says: Contents) -> tuple[str, ...]:
    """The releases that what is proved supposes something of."""
    return tuple(name for layer in says.layers for name in layer.on_trust)


def stated(says: Contents) -> dict[str, str]:
    """What the curator states, by layer."""
    return {} if says.statements is None else says.statements.said


def unsaid(says: Contents) -> tuple[str, ...]:
    """The layers that nobody has said anything of."""
    return tuple(layer.layer for layer in says.layers if layer.standing == "not said")


def layer_words(layer: str) -> str:
    """A layer as it is called in English."""
    return layer.replace("_", " ")
