"""What dp-accounting 0.6.0, Opacus 1.6.0 and OpenDP 0.16.0 really wrote is read, and costs no more than they say.

`peers.json` holds what these libraries wrote and said; the sweep installs them and asks again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import accountant as ac

ROOT = Path(__file__).parents[3]
STORED = json.loads(Path(__file__).with_name("peers.json").read_text(encoding="utf-8"))
PACKAGES = ("dp-accounting==0.6.0", "opacus==1.6.0", "opendp==0.16.0", "absl-py", "deprecated", "dm-tree", "wrapt")

SMALLER = {
    ("ten randomised responses", "pld"): "PLDAccountant forgets how often randomised response happened",
    ("Gaussian, replaced", "rdp"): "RdpAccountant takes a sum to move by the norm where a record is replaced, not by twice",
    ("a fixed size", "rdp"): "the same, on a sample of a fixed size",
}
"""Where a peer says less than what holds, and why."""

TIGHT = {"pld": 1e-4, "prv": 5e-3}
"""How far above the truth accountants are that compose distributions, relatively; others are only bounds."""


def check(found: dict[str, Any]) -> None:
    """What peers said is not below our lower end, nor far above the upper one where they are tight."""
    smaller = set()
    for bridge in ("dp-accounting", "opacus"):
        for case in found[bridge]:
            read = ac.read_history(bridge, case["history"], neighbours=case.get("neighbours"))
            ours = ac.account(read.plan).epsilon(delta=str(found["delta"]))
            for accountant, theirs in case["says"].items():
                if theirs < ours.lower:
                    smaller.add((case["name"], accountant))
                elif accountant in TIGHT:
                    assert theirs <= ours.upper * (1 + TIGHT[accountant]), (case["name"], accountant)
    assert smaller == set(SMALLER)
    for case in found["opendp"]:
        account = ac.account(ac.read_history("opendp", case["history"]).plan)
        for definition, theirs in case["says"].items():
            ours = account.measure(definition).value
            # Maps are rounded up; that of discrete Gaussian noise is the bound for the continuous one.
            assert ours.lower <= theirs <= ours.upper * (1 + 1e-3), case["name"]


def test_what_peers_wrote_costs_no_more_than_they_say() -> None:
    check(STORED)


@pytest.mark.parametrize(("bridge", "count"), [("dp-accounting", 13), ("opacus", 2), ("opendp", 8)])
def test_there_is_something_of_each(bridge: str, count: int) -> None:
    assert len(STORED[bridge]) == count


@pytest.mark.sweep
def test_the_peers_still_write_and_say_so(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(tmp_path), *PACKAGES]
    subprocess.run(pip, check=True, capture_output=True)
    asked = [sys.executable, "-m", "tests.plugins.bridges.peers"]
    done = subprocess.run(
        asked, check=True, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(tmp_path)}
    )
    found = json.loads(done.stdout)
    for bridge in ("dp-accounting", "opacus", "opendp"):
        assert [case["history"] for case in found[bridge]] == [case["history"] for case in STORED[bridge]]
    check(found)
