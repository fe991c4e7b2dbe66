"""The program kept warm: started once, it answers every call in a process of its own that has nothing left to load.

What it answers is what the installed command answers; only what Python and numpy take to start is saved.
"""

from __future__ import annotations

import atexit
import json
import os
import shlex
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

_SHELL = frozenset("|&;<>$*?`~\n")
_LONGEST = 120
_HUSHED = " > /dev/null"


def answers(line: str) -> bool:
    """Whether a line calls the program and asks nothing of a shell, but perhaps to drop what is printed."""
    return line.startswith("accountant ") and not _SHELL & set(line.removesuffix(_HUSHED))


def run(line: str, place: Path, environment: dict[str, str]) -> tuple[str, int]:
    """What a call prints in a directory, both streams together unless one is dropped, and its exit code."""
    server, printed = _server(), place / ".printed"
    asked = {
        "args": shlex.split(line.removesuffix(_HUSHED))[1:],
        "place": str(place),
        "environment": environment,
        "printed": str(printed),
        "hushed": line.endswith(_HUSHED),
    }
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(asked) + "\n")
    server.stdin.flush()
    code = int(server.stdout.readline())
    output = printed.read_text("utf-8")
    printed.unlink()
    return output, code


@cache
def _server() -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    server = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    atexit.register(server.communicate)  # it ends when nobody can ask any more, and is waited for
    return server


def _answer(asked: dict[str, Any]) -> None:
    """Call the program in a process of its own, and say its exit code."""
    child = os.fork()
    if child:
        status = os.waitpid(child, 0)[1]
        print(os.waitstatus_to_exitcode(status), flush=True)
        return
    signal.alarm(_LONGEST)
    target = os.open(asked["printed"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(target, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY) if asked["hushed"] else target, 1)
    os.chdir(asked["place"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    code = 3
    try:
        main(asked["args"])
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    import alembic.command  # noqa: F401
    import jinja2  # noqa: F401
    import numpy  # noqa: F401
    import rich.table  # noqa: F401
    import scipy.special  # noqa: F401

    import accountant.certificate.certify
    import accountant.ledger.ledger
    import accountant.loss.engine.composition  # noqa: F401
    from accountant.cli import main
    from accountant.cli.commands import own_commands
    from accountant.registry.registry import default_registry

    default_registry()
    for name in own_commands():
        __import__(f"accountant.cli.commands.{name}")
    for request in sys.stdin:
        _answer(json.loads(request))
