"""Processes that write to one ledger at the same time, and die. Run as a program of its own, so that forking is safe.

    python ledger_racer.py race LOCATION NAME PROCESSES
    python ledger_racer.py crash LOCATION NAME TIMES SEED

Prints what was acknowledged, as JSON.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from accountant import BudgetExceeded
from accountant.ledger.store import Transaction
from tests.ledger.cases import Place, claim

PRICE = "0.03"


def forked(work: Callable[[Callable[[Any], None]], None]) -> tuple[int, int]:
    """A child that does some work and says things, one in each line of a pipe."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return child, reader
    os.close(reader)
    try:
        work(lambda said: (os.write(writer, (json.dumps(said) + "\n").encode()), None)[1])
        os._exit(0)
    except BaseException as error:
        os.write(writer, (json.dumps(f"{type(error).__name__}: {error}") + "\n").encode())
        os._exit(1)


def line(reader: int) -> bytes:
    """The next thing that a child says."""
    content = b""
    while not content.endswith(b"\n") and (piece := os.read(reader, 1)):
        content += piece
    return content


def listen(reader: int) -> list[Any]:
    """Everything that a child says until it is gone."""
    with os.fdopen(reader, "rb") as said:
        return [json.loads(text) for text in said]


def race(place: Place, processes: int) -> list[Any]:
    """All reserve and commit until the budget is used up; each says what it got."""
    gate, start = os.pipe()

    def work(say: Callable[[Any], None]) -> None:
        os.close(start)
        with place.open() as ledger:
            say("ready")
            os.read(gate, 1)
            for turn in range(1000):
                try:
                    got = ledger.reserve(claim(PRICE), key=f"{os.getpid()} {turn}", commit=turn % 2 == 0)
                    if got.state == "reserved" and turn % 4 == 1:
                        ledger.cancel(got.number)
                    elif got.state == "reserved":
                        ledger.commit(got.number)
                    if turn % 4 != 1:
                        say(got.number)
                except BudgetExceeded:
                    return

    children = [forked(work) for _ in range(processes)]
    for _, reader in children:
        line(reader)
    os.close(start)  # everyone reads the end of the pipe at once
    found = [said for _, reader in children for said in listen(reader)]
    for child, _ in children:
        os.waitpid(child, 0)
    return found


def crash(place: Place, times: int, seed: int) -> list[Any]:
    """A writer after the other is killed, some of them between an entry and its totals; says what was acknowledged."""
    chance, found = random.Random(seed), []
    for turn in range(times):
        inside = turn % 5 == 0

        def work(say: Callable[[Any], None], inside: bool = inside) -> None:
            with place.open() as ledger:
                if inside:
                    Transaction.put_totals = lambda *_: time.sleep(60)  # type: ignore[method-assign]
                say("ready")
                for _ in range(10_000):
                    say(ledger.reserve(claim("1e-6"), commit=True).number)

        child, reader = forked(work)
        line(reader)
        heard = b""
        for _ in range(0 if inside else chance.randrange(4)):
            heard += line(reader)
        time.sleep(chance.uniform(0.0, 0.02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found += [json.loads(said) for said in heard.splitlines()] + listen(reader)
    return found


if __name__ == "__main__":
    action, location, name, *numbers = sys.argv[1:]
    where = Place(location, name)
    with where.open() as warm:
        warm.quote(claim(PRICE))  # loads everything once, before anything is forked
    result = race(where, int(numbers[0])) if action == "race" else crash(where, int(numbers[0]), int(numbers[1]))
    print(json.dumps(result))
