"""`accountant ledger`: budgets over time, one file for each group of commands."""

from __future__ import annotations

from accountant.cli.options import Commands

_WHERE = {
    "open": "write.open_",
    "quote": "price.quote",
    "reserve": "write.reserve",
    "commit": "write.commit",
    "cancel": "write.cancel",
    "status": "inspect.status",
    "history": "inspect.history",
    "what-if": "price.what_if",
    "verify": "inspect.verify",
    "export": "inspect.export",
    "checkpoint": "outside.checkpoint",
    "prove": "outside.prove",
    "check-proof": "outside.check_proof",
    "witness": "witness.witness",
    "roles": "roles.roles",
}


command = Commands(
    "ledger",
    {name: f"{__name__}.{place}" for name, place in _WHERE.items()},
    short_help="Keep a budget over time: quote, reserve, commit.",
    help="""Keep a budget over time: what is spent, what is left, may this release go out?

    A LEDGER is a file, or an address such as postgresql://user@host/database. A RELEASE is a TOML or JSON file with the
    [[release]] tables of a plan, '-' for standard input, or JSON itself. What is reserved is set aside for everyone; a
    commitment says that it went out, a cancellation gives it back. A request that is retried with the same --key spends
    once.

    \b
    Examples:
      accountant ledger open survey.ledger --neighbours add-remove --budget "zcdp rho=0.1"
      accountant ledger quote survey.ledger release.toml
      accountant ledger reserve survey.ledger release.toml --key wave-1
      accountant ledger commit survey.ledger 1
      accountant ledger status survey.ledger

    \b
    Exit status:
      0  the question was answered; what was asked fits and is written
      1  a budget would be exceeded; the ledger was tampered with
      2  bad input; nothing is written
    """,
)

__all__ = ["command"]
