"""The command line: one file for each command, each loaded only when it is asked for."""

from __future__ import annotations

from accountant.cli.program import Program

main = Program(
    name="accountant",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Say what a set of data releases promises, prove it with two-sided numbers, and explain it in words.

    \b
    Examples:
      accountant certify survey.toml
      accountant verify survey.certificate.json survey.toml
      accountant measure survey.toml --as approx --delta 1e-6
      accountant explain survey.toml --as zcdp
      accountant calibrate survey.toml

    \b
    Exit status:
      0  every budget is kept; the question was answered
      1  a budget is exceeded, unknown or vacuous; a certificate is refused; an audit refutes the account
      2  bad input: every fault is named with its place, and nothing is written
      3  a defect of this program or of a plugin

    Faults go to standard error, one on each line, starting with 'error: '. With --json they are one line of JSON there:
    {"error": [{"message": "...", "place": "..."}]}. What may not be meant is said there too, starting with 'warning: ', and
    changes no exit status.
    """,
)

__all__ = ["main"]
