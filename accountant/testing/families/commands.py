"""What is tried of a command."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import click

from accountant.plugin.families import COMMANDS
from accountant.testing import laws
from accountant.testing.trial import Kit, Trial

FAMILY = COMMANDS


def trials(kit: Kit, name: str, command: click.Command) -> Iterator[Trial]:
    """It says how it is used."""
    subject = f"command {name}"
    says = partial(laws.command_says_how_it_is_used, command, kit.depth.patience)
    yield Trial("commands say how they are used", kit.plugin, subject, says, subject)
