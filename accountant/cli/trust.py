"""Trust: what `verify` says of who signed a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accountant.cli.failure import fault_data
from accountant.cli.output import say, visible, wrapped
from accountant.cli.sources import PlanSource

if TYPE_CHECKING:
    from accountant.certificate.signing.files import SignedFiles
    from accountant.certificate.signing.trust import Trust


def trusted(
    certificate: Path, plan: PlanSource, policy: Path | None, signatures: Path | None, released: tuple[Path, ...]
) -> tuple[SignedFiles, Trust] | None:
    """The files and whether they are trusted; None where nobody asked."""
    if policy is None:
        if signatures is not None or released:
            raise click.UsageError("signatures are checked with --trust, which says whose are believed")
        return None
    if plan.path is None:
        raise click.UsageError("with --trust the plan is a file: what is signed are its bytes")
    from accountant.certificate.signing.policy import TrustPolicy
    from accountant.certificate.signing.verification import checked

    return checked(certificate, plan.path, TrustPolicy.load(policy), signatures, released)


def trust_data(found: Trust) -> dict[str, Any]:
    """Who signed, and for what it is refused, as plain data."""
    return {
        "trusted": found.trusted,
        "signers": [
            {"name": item.name, "role": item.role.value, "key": item.key_id, "time": item.time} for item in found.signers
        ],
        "faults": [fault_data(fault) for fault in found.faults],
        "notes": list(found.notes),
    }


def say_refused(found: Trust) -> None:
    """Say why files are not trusted."""
    from accountant.cli.verdicts import conclude, say_status

    many = f"{len(found.faults):,} {'reason' if len(found.faults) == 1 else 'reasons'}"
    conclude("bad", f"refused: not signed as the policy needs, {many}")
    say_status("the signatures are not those that the policy needs; nothing was recomputed")
    for fault in found.faults:
        say(wrapped(visible(str(fault)), indent=4, first=2))
    _say_notes(found)


def say_signers(found: Trust) -> None:
    """Say who signed as what, and what was not counted."""
    for item in found.signers:
        say(wrapped(f"signed as {item.role} by {visible(item.name)}, at {item.time} by their own word", indent=4, first=2))
    _say_notes(found)


def _say_notes(found: Trust) -> None:
    for note in found.notes:
        say(wrapped(f"note: {visible(note)}", indent=4, first=2))
