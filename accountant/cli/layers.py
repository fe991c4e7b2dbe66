"""Layers on the command line: what is proved, what the curator states, and what nobody has said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from accountant.cli.output import say, visible, wrapped

if TYPE_CHECKING:
    from accountant.certificate.contents import Contents


def say_layers(says: Contents) -> None:
    """Say on whose word a certificate rests, in a line or two each; what is missing stands last, where it is seen."""
    from accountant.certificate.layers import layer_words, on_trust, stated, unsaid
    from accountant.values.hygiene import shortened
    from accountant.values.writing import listed

    trusted = on_trust(says)
    supposing = f", if what the plan states of {listed(trusted)} is true" if trusted else ""
    say(wrapped(visible(f"Proved here: the numbers, for releases as the plan describes them{supposing}.")))
    said = stated(says)
    if said:
        say("Stated by the curator, and not checked:")
        for layer, text in said.items():
            say(wrapped(f"  {layer_words(layer)}: {visible(shortened(text, 300))}", indent=4, first=0))
    missing = unsaid(says)
    if missing:
        head = click.style("NOBODY HAS SAID", fg="yellow", bold=True)
        first, *rest = wrapped(f"NOBODY HAS SAID: {', '.join(map(layer_words, missing))}.").splitlines()
        say(first.replace("NOBODY HAS SAID", head, 1))
        for line in rest:
            say(line)
