"""`accountant keys`: keys to sign with, and what others need to know of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from accountant.cli.options import json_option, passphrase_option
from accountant.cli.output import say, say_json, visible

if TYPE_CHECKING:
    from accountant.certificate.signing.keys import PublicKey


@click.group("keys", no_args_is_help=True, short_help="Make a key to sign with, and show one.")
def command() -> None:
    """Make a key to sign certificates with, and show what others need to know of it.

    \b
    Examples:
      accountant keys new ada.key
      accountant keys show ada.pub
    """


@command.command("new", short_help="Make a key.")
@click.argument("file", type=click.Path(path_type=Path))
@passphrase_option
@json_option
def new(file: Path, passphrase_file: str | None, as_json: bool) -> None:
    """Make an Ed25519 key: the private one in FILE, encrypted with a passphrase, and the public one beside it.

    Who has FILE and the passphrase signs in your name. The public key, in the file whose name ends in .pub, is for
    everybody. Nothing is overwritten.

    \b
    Examples:
      accountant keys new ada.key
      accountant keys new ada.key --passphrase-file /run/secrets/ada
    """
    from accountant.certificate.signing.disk import save_key
    from accountant.certificate.signing.keys import PrivateKey
    from accountant.cli.passphrase import passphrase
    from accountant.errors import SigningError

    key, known = PrivateKey.new(), passphrase(passphrase_file, new=True)
    if known is None:
        raise SigningError("a key is encrypted with a passphrase, and none is given; see 'accountant keys new --help'")
    public = save_key(key, file, known)
    if as_json:
        say_json({"private": str(file), "public_file": str(public), **_data(key.public)})
        return
    say(f"{visible(str(file))} is a key to sign with, encrypted: keep it to yourself.")
    say(f"{visible(str(public))} is what others check your signatures with.")
    _print(key.public)


@command.command("show", short_help="Show a public key as policies have it.")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def show(file: Path, as_json: bool) -> None:
    """Show the public key in FILE as a policy has it, and its id, which is the SHA-256 of the key.

    Compare the id with what the owner tells you by another way than the one by which the file came.

    \b
    Example:
      accountant keys show ada.pub
    """
    from accountant.certificate.signing.disk import load_public_key

    public = load_public_key(file)
    if as_json:
        say_json(_data(public))
    else:
        _print(public)


def _data(public: PublicKey) -> dict[str, str]:
    return {"key": public.key_id, "public": public.text}


def _print(public: PublicKey) -> None:
    say(f'  public = "{public.text}"')
    say(f"  key id   {public.key_id}")
