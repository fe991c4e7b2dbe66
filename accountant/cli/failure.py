"""The one funnel that every error of the command line goes through."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any

import click
from attrs import define

from accountant.cli.output import say, visible, warn
from accountant.errors import AccountantError, Fault, PlanError, PluginFailure


class ExitStatus(IntEnum):
    """Exit statuses."""

    KEPT = 0
    EXCEEDED = 1
    BAD_INPUT = 2
    DEFECT = 3
    INTERRUPTED = 130
    PIPE_CLOSED = 141


@define
class Settings:
    """How errors are to be shown, known as soon as the options are parsed."""

    json: bool = False
    debug: bool = False


class PipeClosed(Exception):
    """Whoever read our output has stopped reading."""


def guarded(action: Callable[[], Any], settings: Settings) -> int:
    """The exit status of an action, with every error shown as a message."""
    # Names and paths may hold characters that the terminal's encoding lacks: show a question mark, do not fail.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    try:
        status = action()
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    except (PipeClosed, BrokenPipeError):
        _silence()
        return ExitStatus.PIPE_CLOSED
    except (click.exceptions.Abort, KeyboardInterrupt):
        _tell("interrupted", settings)
        return ExitStatus.INTERRUPTED
    except click.ClickException as error:
        _show(error, settings)
        return ExitStatus.BAD_INPUT
    except PluginFailure as error:
        _explain(error, settings)
        return ExitStatus.DEFECT
    except AccountantError as error:
        _explain(error, settings)
        return ExitStatus.BAD_INPUT
    except BaseException as error:  # also who asks to leave the program: only its end is an answer
        _apologise(error, settings)
        return ExitStatus.DEFECT
    return status if isinstance(status, int) else ExitStatus.KEPT


def caution(warnings: Iterable[Fault]) -> None:
    """Show what may not be meant on standard error, as faults are shown."""
    found = list(warnings)
    context = click.get_current_context(silent=True)
    if not found:
        return
    if context is not None and context.ensure_object(Settings).json:
        say(json.dumps({"warning": [fault_data(fault) for fault in found]}), err=True)
        return
    from accountant.values.places import told

    for fault in found:
        say(click.style("warning:", fg="yellow", bold=True) + " " + visible(told(fault)), err=True)


def fault_data(fault: Fault) -> dict[str, str | int]:
    """A fault as plain data: what is wrong, its place for a program, and where known name, file and line."""
    more = {"name": fault.name, "file": fault.file, "line": fault.line}
    return {
        "message": fault.message,
        "place": fault.place,
        **{key: value for key, value in more.items() if value is not None},
    }


def _show(error: click.ClickException, settings: Settings) -> None:
    """A fault of how the program was called."""
    context: click.Context | None = getattr(error, "ctx", None)
    message = " ".join(error.format_message().split())  # a choice that is missing is listed over several lines
    if settings.json:
        place = None if context is None else context.command_path
        say(json.dumps({"error": [{"message": message, "place": place}]}), err=True)
        return
    # A group that is called without anything shows its help; click before 8.2 has no name for that.
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return
    warn(message)
    if context is not None:
        say(context.get_usage(), err=True)
        say(f"Try '{context.command_path} --help' for help.", err=True)


def _explain(error: AccountantError, settings: Settings) -> None:
    from accountant.values.places import told

    known = error.faults if isinstance(error, PlanError) else None
    lines = str(error).splitlines() if known is None else [told(fault) for fault in known]
    if settings.json:
        entries = (
            [{"message": line, "place": None} for line in lines]
            if known is None
            else [fault_data(fault) for fault in known]
        )
        say(json.dumps({"error": entries}), err=True)
        return
    for line in lines:
        warn(line)


def _apologise(error: BaseException, settings: Settings) -> None:
    if settings.debug:
        import traceback

        say(visible("".join(traceback.format_exception(error)), keep="\n"), err=True)
    from accountant.registry.blame import culprit

    plugin = culprit(error)
    whose = "the program or of a plugin" if plugin is None else str(plugin)
    _tell(
        f"this is a defect of {whose}, not of your input: {type(error).__name__}: {error}; "
        "please report it" + ("" if settings.debug else " with what 'accountant --debug' shows"),
        settings,
    )


def _tell(message: str, settings: Settings) -> None:
    """Show a fault that has no place."""
    if settings.json:
        say(json.dumps({"error": [{"message": message, "place": None}]}), err=True)
    else:
        warn(message)


def _silence() -> None:
    """Send what is still buffered nowhere, so that the interpreter does not complain on its way out."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
