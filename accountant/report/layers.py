"""Layers: on whose word a report rests: what is proved, what those who hold the data state, what nobody has said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant.report.document import Block, Callout, Definitions, Paragraph, Section
from accountant.report.messages import in_a_row, say

if TYPE_CHECKING:
    from accountant.certificate.certificate import Certificate


def standing(certificate: Certificate) -> Section:
    """Every layer that the numbers stand on, by who answers for it; what nobody has said is set apart, to be seen."""
    from accountant.certificate.layers import on_trust, stated, unsaid

    says = certificate.contents
    trusted = [f"'{name}'" for name in on_trust(says)]
    proved = say("standing.supposing", names=in_a_row(trusted)) if trusted else say("standing.proved")
    blocks: list[Block] = [Paragraph(proved)]
    said = stated(says)
    if said:
        entries = tuple((say(f"standing.layers.{layer}"), text) for layer, text in said.items())
        blocks += [Paragraph(say("standing.stated")), Definitions(entries)]
    missing = [say(f"standing.layers.{layer}") for layer in unsaid(says)]
    if missing:
        words = say("standing.missing", layers="; ".join(missing))
        blocks.append(Callout("warning", say("standing.unsaid"), (Paragraph(words),)))
    return Section(say("standing.title"), tuple(blocks))
