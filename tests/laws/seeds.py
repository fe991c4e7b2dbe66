"""Whether a correct plugin ever raises an alarm: `python -m tests.laws.seeds --level 1 --seeds 1-100` tries and prints.

A law that draws nothing is the same for every seed, and is tried with the first one only.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from attrs import field, frozen

from accountant.testing import Depth, Trial, trials
from tests.laws import honest


@frozen
class Watched(Depth):
    """A depth that notes whether its seed was asked for: a law that never asks draws nothing."""

    asked: list[bool] = field(factory=list, eq=False)

    def __getattribute__(self, name: str) -> Any:
        if name == "seed":
            object.__getattribute__(self, "asked").append(True)
        return object.__getattribute__(self, name)


def alarms(plugin: str, level: int, seed: int, fixed: set[str]) -> list[str]:
    """What is said of a correct plugin with one seed; laws that draw nothing are noted as `fixed`, and left out."""
    depth, found = Watched(level, seed), []
    for trial in trials(f"{honest.__name__}.{plugin}", registry=honest.registry(), depth=depth):
        if str(trial) in fixed:
            continue
        depth.asked.clear()
        said = complaint(trial)
        if said is not None:
            found.append(f"{trial}: {said}")
        elif not depth.asked:
            fixed.add(str(trial))
    return found


def complaint(trial: Trial) -> str | None:
    """What a law says of what it is tried on, None if it holds."""
    try:
        trial()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def main() -> None:
    """Try every correct plugin with a range of seeds; what was done stands in the file, and is not done again."""
    parser = argparse.ArgumentParser(prog="python -m tests.laws.seeds", description=__doc__)
    parser.add_argument("--level", type=int, default=1, help="the depth")
    parser.add_argument("--seeds", default="1-100", help="from which seed to which, such as 1-100")
    parser.add_argument("--store", type=Path, help="a file to which every seed is written, and which says what is done")
    options = parser.parse_args()
    first, _, last = options.seeds.partition("-")
    done = _done(options.store)
    fixed: dict[str, set[str]] = {}
    for seed in range(int(first), int(last or first) + 1):
        for name in honest.modules():
            if (name, options.level, seed) in done:
                continue
            begun = time.process_time()
            found = alarms(name, options.level, seed, fixed.setdefault(name, set()))
            seconds = round(time.process_time() - begun, 2)
            row = {"plugin": name, "level": options.level, "seed": seed, "alarms": found, "seconds": seconds}
            if options.store:
                with options.store.open("a") as file:
                    file.write(json.dumps(row) + "\n")
            if found:
                print("\n".join(found), flush=True)
        print(f"level {options.level}, seed {seed} is done", flush=True)


def _done(store: Path | None) -> set[tuple[str, int, int]]:
    if store is None or not store.exists():
        return set()
    rows = [json.loads(line) for line in store.read_text().splitlines()]
    return {(row["plugin"], row["level"], row["seed"]) for row in rows}


if __name__ == "__main__":
    main()
