"""Laws of commands: they say how they are used, refuse with a status that says so, and print JSON where they offer it."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import click

from accountant.limits import Limits
from accountant.testing.counterexamples import broken
from accountant.testing.examples import USUAL
from accountant.testing.invoked import BAD_INPUT, Ran, ran

_NOTHING = "no-such-value"
_NUMBER, _MOST_NUMBERS = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?|\d+/\d+"), 3
Run = Callable[..., Ran]
"""A call of the command with these words."""
_ENDS = re.compile(r", | -- |[\s'\"](?:accountant|pytest|pip|python) ")
"""Where an example ends within a line."""
_ERROR = re.compile(r"^\s*error:(?!\s*(?:[-+.\d]|none\b)).*", re.IGNORECASE | re.MULTILINE)
"""An error as command lines tell it; one that is a number is an answer."""
_REFUSING = re.compile(
    r"\b(?:cannot|can't|could not|unable to|failed to) (?:be )?(?:read|open|load|pars|us|understood|understand|convert)\w*"
    r"|\bno such file\b|\bdoes not exist\b|\bis (?:not (?:an? )?|no )(?:valid|number|file|plan)\b",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"\b(?:kept|implied|verified|certified|admissible|compliant|passed|holds|is (?:valid|sound|safe|private))\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:no|not|nothing|none|nobody|never|neither|cannot|un\w+|in(?:valid|admissible)|fail\w*|if|unless|whether)\b|n't\b|\?",
    re.IGNORECASE,
)
"""A line with one of these says no such thing, or leaves it open."""
_COMPLAINING = re.compile(
    r"(?<!\b0 )(?<!\bno )\b(?:error|cannot|could not|can't|invalid|refused?|no such|not found|failed)\b", re.IGNORECASE
)
"""What is said aside, where nothing is answered."""


def command_says_how_it_is_used(command: click.Command, limits: Limits = USUAL.patience) -> None:
    """A command explains itself and every option, with an example, and refuses what it does not know in one line.

    Each of its calls comes to an end within limits.
    """
    name = command.name or ""
    run = partial(ran, command, limits=limits)
    shown = run(["--help"])
    if shown.status != 0:
        broken(f"'accountant {name} --help' must work", printed=shown.end)
    silent = [
        parameter.name
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.hidden and not (parameter.help or "").strip()
    ]
    if silent:
        broken(f"'accountant {name}' must explain its options", unexplained=", ".join(filter(None, silent)))
    if not re.search(rf"accountant {re.escape(name)}\b", (command.help or "") + (command.epilog or "")):
        broken(
            f"'accountant {name} --help' must show an example",
            remedy=f"write a line that starts with 'accountant {name}' into the help text",
        )
    # What is handed to another program has options and values of that program.
    if not any(parameter.type is click.UNPROCESSED for parameter in command.params):
        _require_known_options(command, name)
        _require_unknown_refused(run, name)
        _require_refusal(run, command, name)
        _require_numbers_judged(run, command, name)
    _require_json(run, command, name)


def _examples(command: click.Command, name: str) -> Iterator[str]:
    """What follows the name of the command where its help shows it."""
    shown = (command.help or "") + "\n" + (command.epilog or "")
    for line in re.findall(rf"accountant {re.escape(name)}(?![\w-])([^|;&`)\n]*)", shown):
        yield _ENDS.split(line)[0]


def _require_known_options(command: click.Command, name: str) -> None:
    """An example shows options that there are."""
    known = {word for parameter in command.params for word in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
    for example in _examples(command, name):
        for word in re.findall(r"(?<!\S)--[a-z][\w-]*", example):
            if word not in known and not isinstance(command, click.Group):
                broken(
                    f"'accountant {name} --help' must show an example that works",
                    example=f"accountant {name}{example}",
                    unknown=word,
                    options=", ".join(sorted(known)),
                )


def _require_unknown_refused(run: Run, name: str) -> None:
    refused = run(["--no-such-option"])
    if refused.status != BAD_INPUT or "Traceback" in refused.output:
        broken(
            f"'accountant {name}' must refuse an unknown option with exit code 2",
            exit_code=refused.status,
            printed=refused.end,
        )


def _require_refusal(run: Run, command: click.Command, name: str) -> None:
    """What nobody can have meant is refused in words: an error of Python's own is none."""
    needed = [parameter for parameter in command.params if parameter.required]
    if isinstance(command, click.Group) or not needed:
        return
    words: list[str] = []
    for parameter in needed:
        words += [*parameter.opts[:1], _NOTHING] if isinstance(parameter, click.Option) else [_NOTHING]
    tried, asked = run(words), f"accountant {name} {' '.join(words)}"
    _require_words(name, asked, tried)
    if tried.status and tried.left:
        broken(f"'accountant {name}' must write nothing where it refuses", tried=asked, written=", ".join(tried.left))
    if not tried.status:
        _require_success(name, asked, tried)
        files = [parameter for parameter in needed if isinstance(parameter.type, click.Path | click.File)]
        if not tried.left and (files or _verdict(tried)):
            _require_a_look(run, name, words, tried)


def _require_words(name: str, asked: str, tried: Ran) -> None:
    if tried.fault is not None:
        broken(
            f"'accountant {name}' must refuse what it cannot use in words",
            tried=asked,
            error=tried.fault,
            remedy="give the parameter a type, or raise click.BadParameter",
        )


def _require_success(name: str, asked: str, tried: Ran) -> None:
    """The status 0 says that all went well: then no error is told, and what was asked about is not called of no use."""
    said = [found[0] for found in _ERROR.finditer(tried.output)]
    said += [line for line in tried.output.splitlines() if _NOTHING in line and _REFUSING.search(line)]
    if not re.search(r"\d", tried.stdout):
        said += [line for line in tried.stdout.splitlines() if _REFUSING.search(line)]
    if not tried.stdout.strip():
        said += [line for line in tried.stderr.splitlines() if _COMPLAINING.search(line.replace(_NOTHING, ""))]
    if said:
        broken(
            f"'accountant {name}' must say by its exit status that it could not do what was asked",
            tried=asked,
            printed=tried.end,
            exit_code=0,
            because=f"it says '{said[0].strip()}'",
            remedy="raise click.ClickException or an error of 'accountant' instead of printing it",
            convention="an error begins with 'error:'; where any text may be asked about, type=click.UNPROCESSED says so",
        )


def _require_numbers_judged(run: Run, command: click.Command, name: str) -> None:
    """An example in which a number is 0 or below is answered, or refused by the status; what is no number, in words.

    The example itself raises nothing that nobody was meant to see.
    """
    for words in _split(command, name):
        _require_words(name, f"accountant {name} {' '.join(words)}", run(words))
        places = [place for place, word in enumerate(words) if _NUMBER.fullmatch(word)]
        for place, number in itertools.product(places[:_MOST_NUMBERS], ("0", "-1")):
            asked = [*words[:place], number, *words[place + 1 :]]
            tried = run(asked)
            if not tried.status and tried.fault is None:
                _require_success(name, f"accountant {name} {' '.join(asked)}", tried)
        for place in places[:_MOST_NUMBERS]:
            asked = [*words[:place], _NOTHING, *words[place + 1 :]]
            tried = run(asked)
            _require_words(name, f"accountant {name} {' '.join(asked)}", tried)
            _require_no_answer(name, f"accountant {name} {' '.join(asked)}", tried)


def _require_no_answer(name: str, asked: str, tried: Ran) -> None:
    """Where no number is given, none is made up: what answers in numbers took something for one that is none."""
    said = tried.stdout
    if not tried.status and re.search(r"\d", said) and _NOTHING not in tried.output and not _DENIED.search(said):
        broken(
            f"'accountant {name}' must refuse what is no number",
            tried=asked,
            printed=tried.end,
            exit_code=0,
            remedy="give the parameter a type, or raise click.BadParameter",
            convention="what an example shows as a number is taken for one, unless what is printed shows it again",
        )


def _split(command: click.Command, name: str) -> Iterator[list[str]]:
    """The examples in words; what a shell would not take is left out."""
    for example in _examples(command, name):
        with contextlib.suppress(ValueError):
            yield shlex.split(example)


def _verdict(tried: Ran) -> str | None:
    """What is said to be kept, or to hold, without a condition."""
    lines = (line.strip() for line in tried.stdout.replace(_NOTHING, "").splitlines())
    return next((line for line in lines if _VERDICT.search(line) and not _DENIED.search(line)), None)


def _require_a_look(run: Run, name: str, words: Sequence[str], missing: Ran) -> None:
    """A file may be missing, but not whatever it says: then nobody looked at it. Of one that is not there nothing holds."""
    verdict = _verdict(missing)
    if verdict is not None:
        broken(
            f"'accountant {name}' must not give a verdict on what is not there",
            tried=f"accountant {name} {' '.join(words)}, with no such file",
            printed=verdict,
            exit_code=0,
            remedy="refuse a file that is missing, with click.Path(exists=True); refuse a name that is not known",
            convention="where any text may be judged, type=click.UNPROCESSED says so",
        )
    there = run(words, files={_NOTHING: "planted\nno number\n"})
    if not there.status and there.output == missing.output:
        broken(
            f"'accountant {name}' must look at the file that it is given",
            tried=f"accountant {name} {' '.join(words)}, with no such file and with one that says nothing of use",
            printed_both_times=there.end or "nothing",
            exit_code=0,
            remedy="refuse a file that is missing, with click.Path(exists=True); a name that is no file is a click.STRING",
        )


def _require_json(run: Run, command: click.Command, name: str) -> None:
    """Where an example works with --json, what it prints is JSON: one value, or one on every line."""
    if not any("--json" in option.opts and option.is_flag for option in command.params if isinstance(option, click.Option)):
        return
    for words in _split(command, name):
        asked = [word for word in words if word != "--json"] + ["--json"]
        tried = run(asked)
        if not tried.status and "--help" not in words and not _is_json(tried.stdout):
            broken(
                f"'accountant {name} --json' must print JSON",
                tried=f"accountant {name} {shlex.join(asked)}",
                printed=tried.stdout.strip()[-500:] or "nothing",
            )


def _is_json(text: str) -> bool:
    """Whether a text is one JSON value, or one on every line."""
    for parts in ([text], text.splitlines()):
        with contextlib.suppress(ValueError):
            if [json.loads(part) for part in parts if part.strip()]:
                return True
    return False
