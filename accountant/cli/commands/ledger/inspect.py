"""`accountant ledger status`, `history`, `verify`, `export`: what stands in a ledger."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from accountant.cli.commands.ledger.common import ledger_options, opened, show_lines
from accountant.cli.commands.ledger.files import FILE, checkpoint_in, keys_in, keys_options
from accountant.cli.failure import ExitStatus, fault_data
from accountant.cli.options import Registered, completed, registry_of, word_options
from accountant.cli.output import say, say_json, visible, working, write_whole
from accountant.cli.verdicts import conclude, say_status

if TYPE_CHECKING:
    from accountant.ledger import Ledger, Posting


@click.command(
    "status", cls=Registered.kind("divergence", word_options), short_help="Say what is spent, reserved and left."
)
@ledger_options
@click.option(
    "--as",
    "divergence",
    metavar="NAME",
    shell_complete=completed("definition_names"),
    help="Say instead what is promised in this definition.",
)
def status(
    ledger: str,
    name: str,
    divergence: str | None,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
    **words: str | None,
) -> None:
    """Say what is spent, reserved and left of each budget, and which reservations are open.

    With --as, say what is promised in another definition, and why. A fully adaptive ledger then speaks of all that it
    will ever let out; a fixed plan of what is committed.

    \b
    Examples:
      accountant ledger status survey.ledger
      accountant ledger status survey.ledger --as approx --delta 1e-6
    """
    with opened(ledger, name, registry_of(disabled, allowed)) as found:
        if divergence is not None:
            _promise(found, divergence, words, as_json)
            return
        if any(words.values()):
            raise click.UsageError("a reading word needs a definition: give --as")
        result = found.status()
    if as_json:
        say_json(result.as_data())
        return
    say(f"{visible(result.title)} ({result.adaptivity}, {result.entries:,} entries)")
    show_lines(result.lines, asked=False)
    for item in result.open:
        say(f"open: {item.number} {visible(', '.join(item.names))}")
    say(f"head: {result.head}")


def _promise(ledger: Ledger, divergence: str, words: dict[str, str | None], as_json: bool) -> None:
    from accountant.certificate.data import write
    from accountant.certificate.findings import certified

    guarantee = ledger.measure(divergence, {word: value for word, value in words.items() if value is not None})
    if as_json:
        say_json(write(certified(guarantee)))
        return
    whole = "all that it will ever let out" if ledger.terms.adaptivity == "fully-adaptive" else "what is committed"
    say(f"{guarantee.divergence}: {guarantee.name} = {guarantee.value}{guarantee.at_words}, for {whole}")
    for number, step in enumerate(guarantee.derivation, start=1):
        theorem = step.theorem
        marked = "CLAIMED, " if theorem.assurance == "claimed" else ""
        say(f"  {number}. {visible(step.statement)} ({marked}{theorem.name}: {theorem.key}, {theorem.locator})")


@click.command("history", short_help="List the entries.")
@ledger_options
@click.option("--first", type=int, default=0, metavar="NUMBER", help="Begin with this entry.")
@click.option("--last", type=int, metavar="NUMBER", help="End with this entry.")
def history(
    ledger: str,
    name: str,
    first: int,
    last: int | None,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> None:
    """List the entries in order. With --json one on each line, in full.

    \b
    Examples:
      accountant ledger history survey.ledger
      accountant ledger history survey.ledger --first 100 --json
    """
    with opened(ledger, name, registry_of(disabled, allowed)) as found:
        for entry in found.history(first, last):
            if as_json:
                say_json(entry.as_data(), indent=None)
            else:
                say(visible(_summary(entry)))


def _summary(entry: Posting) -> str:
    if entry.kind == "reserved":
        about = ", ".join(release["name"] for release in entry.data["releases"])
        about += "" if entry.key is None else f" (key {entry.key})"
    elif entry.kind == "opened":
        about = entry.data["title"]
    else:
        about = f"{entry.settles}" + (f" ({entry.data['reason']})" if "reason" in entry.data else "")
    return f"{entry.number} {entry.moment} {entry.kind} {about}"


@click.command("verify", short_help="Check every entry and every total.")
@ledger_options
@click.option("--head", metavar="DIGEST", help="A head noted earlier, which must still be part of the chain.")
@click.option(
    "--checkpoint", "checkpoints", multiple=True, type=FILE, metavar="FILE", help="One that was made earlier; repeatable."
)
@keys_options(needed=False)
def verify(
    ledger: str,
    name: str,
    head: str | None,
    checkpoints: tuple[Path, ...],
    log_key: Path | None,
    witness_keys: tuple[Path, ...],
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> int:
    """Check the chain of entries, what each was charged, the totals, and that the database still refuses changes.

    Someone who may rewrite the whole database can also rewrite every digest, so that it fits again. Whoever holds a
    checkpoint finds that, for all entries that it speaks of; give any number of them, in any order, and the key that they
    are signed with. A head that `status` showed does the same for the entries up to it, if you noted it elsewhere.

    \b
    Examples:
      accountant ledger verify survey.ledger
      accountant ledger verify survey.ledger --checkpoint monday.checkpoint --log-key survey.pub
      accountant ledger verify survey.ledger --head 5f1d...

    \b
    Exit status:
      0  nothing is wrong
      1  tampered with or damaged; every fault is listed with its place
      2  the ledger cannot be read
    """
    if bool(checkpoints) != (log_key is not None):
        raise click.UsageError(
            "checkpoints are checked with the key that they are signed with: give --checkpoint and --log-key"
        )
    held, keys = [checkpoint_in(path) for path in checkpoints], None if log_key is None else keys_in(log_key, witness_keys)
    with opened(ledger, name, registry_of(disabled, allowed)) as found, working("checking every entry"):
        faults = found.verify(head=head, checkpoints=held, keys=keys)
    if as_json:
        say_json({"verified": not faults, "faults": [fault_data(fault) for fault in faults]})
    elif faults:
        conclude("bad", f"refused: {len(faults):,} {'fault' if len(faults) == 1 else 'faults'}")
        say_status("the ledger was tampered with or damaged")
        for fault in faults:
            say(f"  {visible(str(fault))}")
    else:
        conclude("good", "verified: every entry follows from the one before, and the totals from the entries")
        for checkpoint in held:
            cosigned = () if keys is None else keys.cosigned(checkpoint)
            by = "".join(f", cosigned by {visible(who)} at {moment}" for who, moment in cosigned)
            say(f"  the first {checkpoint.size:,} entries are those of {visible(checkpoint.place)}{by}")
    return ExitStatus.EXCEEDED if faults else ExitStatus.KEPT


@click.command("export", short_help="Write a plan that certifies to the same account.")
@ledger_options
@click.option("--reserved", is_flag=True, help="Include what is reserved.")
@click.option("--output", "-o", type=click.Path(path_type=Path), metavar="FILE", help="Write to a file that ends in .json.")
def export(
    ledger: str,
    name: str,
    reserved: bool,
    output: Path | None,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> None:
    """Write what is committed as a plan in JSON, with the ledger's specification and budgets.

    The plan is read as a fixed one: its certificate speaks of releases that were not chosen after seeing outputs.

    \b
    Example:
      accountant ledger export survey.ledger --output survey.json && accountant certify survey.json
    """
    from accountant.errors import AccountantError
    from accountant.values.source import canonical

    if output is not None and output.suffix.lower() != ".json":
        raise AccountantError(f"cannot write {output}: an exported plan is JSON, so the name must end in .json")
    with opened(ledger, name, registry_of(disabled, allowed)) as found:
        plan = found.plan(reserved=reserved)
    if output is None:
        say_json(plan.as_data(), indent=None if as_json else 2)
        return
    write_whole(output, canonical(plan.as_data()) + "\n")
    if as_json:
        say_json({"plan": str(output), "digest": plan.digest})
    else:
        say(f"Plan: {visible(str(output))}")
