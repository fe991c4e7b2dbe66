"""Bad data and bad words to `attack`, `swap`, `infer` and `study`: one clear error each, and nothing is written."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from accountant.cli import main

FILES: dict[str, str | bytes] = {
    "people.csv": "block,tract,race\n" + "".join(f"b{k % 4},t{k % 4 // 2},{'wb'[k % 3 == 0]}\n" for k in range(20)),
    "empty.csv": "",
    "head.csv": "block,tract,race\n",
    "blank.csv": "block,tract,race\nb1,t1,\n,t1,w\n",
    "ragged.csv": "block,tract,race\nb1,t1\nb2,t1,w,x\n",
    "wide.csv": "block,tract,race\nb1,t1,w\n".encode("utf-16"),
    "twin.csv": "block,block,race\nb1,t1,w\n",
    "bytes.csv": b"\x00\xff\xfe\x00block",
    "latin.csv": "block,tract,race\nb\xe9,t1,w\n".encode("latin1"),
    "no.parquet": "no parquet",
    "negative.csv": "block,tract,race,n\nb1,t1,w,-3\nb2,t1,w,2\n",
    "broken.csv": "block,tract,race,n\nb1,t1,w,1.5\n",
    "huge.csv": "block,tract,race,n\nb1,t1,w,99999999999999999999999\n",
    "nan.csv": "block,tract,race,n\nb1,t1,w,nan\n",
    "twice.csv": "block,tract,race,n\nb1,t1,w,1\nb1,t1,w,2\n",
    "nobody.csv": "block,tract,race,n\nb1,t1,w,0\n",
    "homes.csv": "region,block,tenure\n" + "".join(f"r{k % 2},b{k},{'or'[k % 3 == 0]}\n" for k in range(12)),
    "unknown.csv": "region,block,tenure\nr1,,o\nr1,b,o\n",
    "alone.csv": "region,block,tenure\nr1,b,o\nr2,c,o\n",
    "alike.csv": "region,block,tenure\nr1,b,o\nr1,b,o\n",
    "again.csv": "release,value\nm,30\nm,31\nv,4\n",
    "half.csv": "release\nm\n",
    "gap.csv": "release,value\nm,\nv,4\n",
    "deaths.csv": "month,county,cases,deaths\n1,a,3,5\n",
    "cases.csv": "month,county,cases,deaths\n1,a,-3,0\n2,a,3,0\n",
    "short.csv": "month,county,cases\n1,a,3\n",
}


def lists() -> bytes:
    """A Parquet file whose cells are lists."""
    file = io.BytesIO()
    parquet.write_table(pyarrow.table({"block": ["b1"], "tract": ["t1"], "race": [["w"]]}), file)
    return file.getvalue()


FILES["lists.parquet"] = lists()


def plan(*releases: dict[str, Any]) -> str:
    return json.dumps(
        {"title": "t", "specification": {"unit": "person", "neighbours": "replace-one"}, "release": [*releases]}
    )


def moment(name: str, kind: str, scale: int) -> dict[str, Any]:
    query = {"kind": kind, "attributes": ["x"], "lower": 0, "upper": 100, "size": 40}
    return {"name": name, "query": query, "mechanism": {"kind": "laplace", "scale": scale}}


TABLE = plan(
    {
        "name": "h",
        "query": {"kind": "histogram", "attributes": ["block", "race"]},
        "mechanism": {"kind": "discrete-gaussian", "variance": "5"},
    }
)
MOMENTS = plan(moment("m", "mean", 10), moment("v", "variance", 1000))
RELEASED = '{"m": 30, "v": 400}'
GRID: dict[str, Any] = {"count": 30, "epsilon": "0.1", "law": "normal:0.1,0.04", "datasets": 2}


def attacked(data: str = "people.csv", *words: str, places: str = "block") -> tuple[str, ...]:
    return ("attack", TABLE, data, "--places", places, *words, "--output", "out")


def swapped(records: str, rate: str = "0.1", swap: str = "tenure", stratify: str = "region") -> tuple[str, ...]:
    words = ("--stratify", stratify, "--swap", swap, "--rate", rate, "--version", "permute", "--output", "plan.toml")
    return ("swap", "plan", records, *words)


def inferred(observed: str = RELEASED, *words: str) -> tuple[str, ...]:
    return ("infer", MOMENTS, observed, *words, "--output", "out")


def studied(kind: str, **grid: Any) -> tuple[str, ...]:
    return ("study", kind, json.dumps({"grid": grid}), "--output", "out", "--jobs", "1")


def cases() -> Iterator[tuple[tuple[str, ...], str]]:
    """What is asked, and a word of the error."""
    unreadable = ("empty.csv", "ragged.csv", "bytes.csv", "latin.csv", "no.parquet")
    yield from ((attacked(name), "cannot be read") for name in unreadable)
    yield attacked("head.csv"), "no rows"
    yield attacked("blank.csv"), "nothing in 'race'"
    yield attacked("twin.csv"), "2 columns 'block'"
    yield attacked("absent.csv"), "no such file"
    yield attacked("."), "it is a folder; name a .csv or a .parquet file"
    for name in ("latin.csv", "wide.csv"):
        yield attacked(name), "not UTF-8, so save it as that"
        yield swapped(name), "not UTF-8, so save it as that"
    yield attacked("lists.parquet"), "column 'race' is of list"
    yield attacked(places="nowhere"), "nowhere"
    yield attacked(places=""), "every place once"
    yield attacked(places="block,block"), "every place once"
    for name, told in (("negative", "-3"), ("broken", "1.5"), ("huge", "999"), ("nan", "nan"), ("twice", "another row")):
        yield attacked(f"{name}.csv", "--counts", "n"), told
    yield attacked("nobody.csv", "--counts", "n"), "nobody to attack"
    yield attacked("people.csv", "--counts", "race"), "whole number"
    for prior, told in (("0", "strictly between"), ("1", "strictly"), ("nan", "nan"), ("1e-350", "as good as certain")):
        yield attacked("people.csv", "--prior", prior), told
    yield attacked("people.csv", "--missing", "-1"), "at least 0"
    yield attacked("people.csv", "--missing", "99999999"), "at most 1000"
    yield attacked("people.csv", "--missing", "1", "--share", "2"), "at most 1"
    yield attacked("people.csv", "--missing", "1", "--share", "a/b"), "a/b"
    yield attacked("people.csv", "--parents", "known:x"), "'x'"
    yield attacked("people.csv", "--of", "nothing"), "no histogram"
    yield attacked("people.csv", "--engine", "warp://x"), "no engine"
    for name in ("empty.csv", "twin.csv", "bytes.csv", "latin.csv", "no.parquet", "absent.csv"):
        yield swapped(name), "cannot read the records"
    yield swapped("head.csv"), "no records"
    yield swapped("unknown.csv"), "without a value"
    yield swapped("alone.csv"), "one record"
    yield swapped("alike.csv"), "nothing can be swapped"
    yield swapped("ragged.csv"), "2 cells"
    for rate, told in (
        ("2", "0 to 1"),
        ("-0.1", "0 to 1"),
        ("x", "'x'"),
        ("tenure", "a column"),
        ("0", "nothing is promised"),
    ):
        yield swapped("homes.csv", rate=rate), told
    yield swapped("homes.csv", rate="1e-9999"), "out of range"
    yield swapped("homes.csv", swap="nope"), "nope"
    yield swapped("homes.csv", stratify="nope"), "nope"
    for observed, told in (
        ('{"m": 30}', "one variance"),
        ('{"m": 30, "v": "x"}', "'x'"),
        ('{"m": "nan", "v": 4}', "nan"),
        ('{"m": 1e300, "v": 4}', "same unit"),
        ('{"m": [1, 2], "v": 4}', "got 2"),
        ('{"m": 30, "v": 400, "z": 1}', "no release of this name"),
        ("{}", "no released numbers"),
        ('{"m": 30, "m": 31, "v": 4}', "given twice"),
        ('{"m": 30, "v": 400', "cannot be parsed"),
        ("absent.toml", "cannot be read"),
        ("again.csv", "given twice"),
        ("half.csv", "release and value"),
        ("gap.csv", "''"),
    ):
        yield inferred(observed), told
    yield inferred(RELEASED, "--prior", "flat:1"), "infinite mass"
    yield inferred(RELEASED, "--prior", "beta:1,1"), "none were released"
    yield inferred(RELEASED, "--prior", "conjugate:1"), "--prior is"
    yield inferred(RELEASED, "--level", "1"), "between 0 and 1"
    yield inferred(RELEASED, "--public", '{"m": {"value": 3}}'), "a value and an error"
    yield inferred(RELEASED, "--public", '{"m": {"value": 3, "error": 0}}'), "above 0"
    yield inferred(RELEASED, "--size", "5"), "leave it out"
    wide = plan(moment("m", "mean", 10**300), moment("v", "variance", 10**300))
    yield ("infer", wide, RELEASED, "--output", "out"), "leaves nothing to be learned"
    yield ("infer", TABLE, '{"h": 3}', "--output", "out"), "histogram"
    for key, value, told in (
        ("count", 0, "from 4"),
        ("count", 1.5, "1.5"),
        ("count", [], "no values"),
        ("epsilon", "-1", "above 0"),
        ("epsilon", "nan", "nan"),
        ("epsilon", "1000", "too small"),
        ("law", "cauchy:1", "a law is"),
        ("law", "normal:0.1,-1", "above 0"),
        ("law", "normal:5,0.01", "outside the bounds"),
        ("model", "odd", "odd"),
        ("prior", "beta:1,1", "mean and variance"),
        ("datasets", 0, "from 2"),
        ("level", "1", "between 0 and 1"),
        ("upper", "-1", "above the smallest"),
        ("extra", 1, "unknown key"),
    ):
        yield studied("intervals", **{**GRID, key: value}), told
    yield studied("intervals"), "is missing"
    yield ("study", "intervals", '{"grid": 3}', "--output", "out"), "expected a table"
    yield ("study", "intervals", '{"seed": -1, "grid": {}}', "--output", "out"), "not negative"
    for name, told in (("deaths", "more than 3 cases"), ("cases", "at least 0"), ("short", "no column deaths")):
        yield ("study", "counties", f"{name}.csv", "--output", "out"), told
    yield ("study", "counties", "bytes.csv", "--output", "out"), "cannot read"
    yield studied("tests", people=0, noise="geometric:2", alternative="0.7"), "from 1"
    yield studied("tests", people=20, noise="gauss:2", alternative="0.7"), "noise is"
    yield studied("tests", people=20, noise="geometric:2", alternative="0.3"), "above the null"
    yield studied("clamps", people=3, epsilon="1", null="0.5 0.6", alternative="0.1 0.9"), "sum to 1"
    yield studied("clamps", people=10**9, epsilon="1", null="0.5 0.5", alternative="0.1 0.9"), "from 1 to 200"


@pytest.mark.parametrize("command", ["attack", "swap", "infer", "study"])
def test_bad_data_is_one_error_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    tried = 0
    for words, told in cases():
        if words[0] != command:
            continue
        result = CliRunner().invoke(main, list(words))
        assert result.exit_code == 2, (words, result.output)
        assert result.stderr.startswith("error: "), words
        assert told in result.stderr, (words, result.stderr)
        assert {path.name for path in tmp_path.iterdir()} == set(FILES), words
        tried += 1
    assert tried >= 12
