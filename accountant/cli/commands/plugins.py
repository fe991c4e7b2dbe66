"""`accountant plugins`: what is installed, by whom, and what it adds; and a new one to begin with."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from accountant.cli.options import json_option, plugin_options, registry_of
from accountant.cli.output import say, say_json, visible, write_whole


@click.group("plugins", invoke_without_command=True, short_help="List what is installed, or begin a plugin.")
@json_option
@plugin_options
@click.pass_context
def command(context: click.Context, as_json: bool, disabled: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    """List the plugins: distribution, version, digest of the installed files, what each registers, and which laws it is
    said to have passed. 'accountant plugins new' begins one of your own.

    \b
    Examples:
      accountant plugins
      accountant plugins --json
      accountant plugins --disable noise
      accountant plugins new night-bus --mechanism
    """
    if context.invoked_subcommand is None:
        _list(as_json, disabled, allowed)


def _list(as_json: bool, disabled: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    registry = registry_of(disabled, allowed)
    found = list(registry.plugins.values())
    badges = {name: registry.badge(name) for name in registry.plugins}
    laws = {name: None if badge is None else str(badge) for name, badge in badges.items()}
    if as_json:
        listed = [
            {
                "name": plugin.name,
                "distribution": plugin.distribution,
                "version": plugin.version,
                "digest": plugin.digest,
                "registers": {family: list(names) for family, names in plugin.registers.items()},
                "laws": laws[plugin.name],
            }
            for plugin in found
        ]
        say_json({"plugins": listed})
        return
    for plugin in found:
        say(f"{plugin.name} ({plugin.distribution} {plugin.version})")
        say(f"  {'digest:':<19}{plugin.digest}")
        if laws[plugin.name]:
            say(f"  {'passed:':<19}{laws[plugin.name]}, as its author states")
        for family, names in plugin.registers.items():
            if family != "theorems":
                say(f"  {family.replace('_', ' ') + ':':<19}{', '.join(names)}")
        if "theorems" in plugin.registers:
            say(f"  {'theorems:':<19}{len(plugin.registers['theorems'])}")


class _New(click.Command):
    """A command with an option for every kind that there is a template of."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        from accountant.cli.scaffold import kinds

        named = [
            click.Option([f"--{kind}", "kind"], flag_value=kind, help=f"Begin a {kind.replace('-', ' ')}.")
            for kind in kinds()
        ]
        argument, *others = super().get_params(ctx)
        return [argument, *named, *others]


@command.command("new", cls=_New, short_help="Begin a plugin of your own.")
@click.argument("name")
@click.option("--into", default=".", metavar="DIRECTORY", type=click.Path(path_type=Path), help="Where to put it; here.")
@json_option
def new(name: str, into: Path, as_json: bool, kind: str | None = None) -> None:
    """Begin a distribution of your own in the directory accountant-NAME: a plugin that works and passes the laws.

    It is ready to be installed, tested and changed: the code with its reasons, a plan, tests that put it to the laws, and
    what builds it.

    \b
    Examples:
      accountant plugins new night-bus --mechanism
      accountant plugins new regret --definition --into ~/work
    """
    from accountant.cli.scaffold import checked_name, distribution_files, kinds
    from accountant.errors import AccountantError

    if kind is None:
        raise click.UsageError(f"say what to begin: {', '.join(f'--{word}' for word in kinds())}")
    _check_free(checked_name(name))
    folder = into / f"accountant-{name}"
    if folder.exists():
        raise AccountantError(f"cannot write {folder}: it is there already; give another name, or move it away")
    files = distribution_files(kind, name)
    _write(folder, files)
    named = [shlex.quote(str(item)) for item in (f"{folder}[test]", folder, folder / "plan.toml")]
    following = [f"pip install -e {named[0]}", f"pytest {named[1]}", f"accountant certify {named[2]}"]
    if as_json:
        say_json({"directory": str(folder), "files": sorted(files), "next": following})
        return
    say(f"{visible(str(folder))} is a {kind.replace('-', ' ')} that works. It has")
    for path in sorted(files):
        say(f"  {path}")
    say("Next:")
    for line in following:
        say(f"  {visible(line)}")


def _check_free(name: str) -> None:
    """Refuse a name that something installed has, which would keep both from being admitted together."""
    import importlib.util

    from accountant.cli.scaffold import module_name
    from accountant.errors import InvalidValue
    from accountant.plugin.families import FAMILIES

    registry = registry_of((), ())
    taken: dict[str, Any] = {item: registry.owner(family, item) for family in FAMILIES for item in registry[family]}
    owner = registry.plugins.get(name) or taken.get(name)
    if owner is not None:
        raise InvalidValue(f"'{name}' is a name that {owner} has; give another one")
    if importlib.util.find_spec(module_name(name)) is not None:
        raise InvalidValue(f"a package '{module_name(name)}' is installed; give another name")


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Write a directory with all its files, or nothing."""
    import shutil

    from accountant.errors import AccountantError

    draft = folder.with_name(f".{folder.name}.{os.getpid()}.draft")
    try:
        for path, content in files.items():
            (draft / path).parent.mkdir(parents=True, exist_ok=True)
            write_whole(draft / path, content)
        draft.rename(folder)
    except OSError as error:
        raise AccountantError(f"cannot write {folder}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
