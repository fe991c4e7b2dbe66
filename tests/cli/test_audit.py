"""`accountant audit` as it is typed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest
from attrs import frozen
from click.testing import Result

from accountant import Registry, Theorem, audit, load_plan
from accountant.numbers.exact import exact
from accountant.plugin import hookimpl
from accountant_noise import Laplace

Run = Callable[..., Result]
QUICK = ("--samples", "20000")
PLANTED = Theorem("half-noise", "It holds because a test says so.", "accountant", "tests", assurance="claimed")


@frozen
class HalfNoise(Laplace):
    """Planted: drawn at half the scale."""

    kind: ClassVar[str] = "half-noise"
    theorem: ClassVar[Theorem] = PLANTED

    def simulate(self, answers: Any, generator: np.random.Generator) -> Any:
        return answers + generator.laplace(scale=float(self.scale) / 2, size=answers.shape)


@pytest.fixture
def with_half_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program with a plugin whose mechanism draws half the noise it accounts for."""
    module = ModuleType("half_noise")
    offers: dict[str, tuple[object, ...]] = {"accountant_mechanisms": (HalfNoise,), "accountant_theorems": (PLANTED,)}
    for name, items in offers.items():
        setattr(module, name, hookimpl(lambda items=items: items, specname=name))
    registry = Registry.load(extra=[module])
    monkeypatch.setattr("accountant.registry.registry.default_registry", lambda: registry)


def half(survey: Path) -> Path:
    text = survey.read_text(encoding="utf-8").replace('"laplace", scale = "2"', '"half-noise", scale = "2"')
    survey.write_text(text, encoding="utf-8")
    return survey


def test_every_release_has_a_verdict_and_a_reason(run: Run, survey: Path) -> None:
    result = run("audit", survey, *QUICK)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "consistent: no audit of 2 releases refutes the account; nothing is proved"
    assert lines[1] == "Each release run once, at delta = 1e-6; all bounds hold together with confidence 0.999"
    assert [line for line in lines[2:] if not line.startswith(" ")] == [
        "age by sex: consistent",
        "smokers: consistent",
        "vendor dashboard: not audited",
    ]
    assert lines[-1] == "  remark:  only a claim is known of it, and nothing to run"
    assert "  account: epsilon = 0.499997 to 0.499998" in lines


def test_the_json_is_what_python_says(run: Run, survey: Path) -> None:
    told = json.loads(
        run("audit", survey, *QUICK, "--delta", "0.01", "--confidence", "0.99", "--seed", "5", "--json").stdout
    )
    assert {key: told[key] for key in ("delta", "samples", "confidence", "seed")} == {
        "delta": "0.01",
        "samples": 20000,
        "confidence": "0.99",
        "seed": 5,
    }
    items = audit(load_plan(survey), delta="0.01", samples=20000, confidence="0.99", seed=5)
    assert [entry["release"] for entry in told["audits"]] == [item.release.name for item in items]
    assert [entry["verdict"] for entry in told["audits"]] == ["consistent", "consistent", "not audited"]
    for entry, item in zip(told["audits"][:2], items[:2], strict=True):
        assert item.found is not None
        assert item.claimed is not None
        assert item.found.epsilon - 1e-5 <= float(entry["found"]["epsilon"]) <= item.found.epsilon
        assert entry["found"]["seen"] == list(item.found.seen)
        assert (entry["found"]["runs"], entry["found"]["event"]) == (20000, item.found.event)
        assert exact(entry["claimed"]["lower"]) <= exact(item.claimed.lower) <= exact(item.claimed.upper)
        assert exact(item.claimed.upper) <= exact(entry["claimed"]["upper"])
    assert "found" not in told["audits"][2]


def test_equal_commands_print_equal_bytes_and_seeds_matter(run: Run, survey: Path) -> None:
    first, again, other = (run("audit", survey, *QUICK, "--seed", seed).stdout for seed in ("3", "3", "4"))
    assert first == again != other


def test_named_releases_are_audited_alone(run: Run, survey: Path) -> None:
    told = json.loads(run("audit", survey, *QUICK, "--release", "smokers", "--json").stdout)
    assert [entry["release"] for entry in told["audits"]] == ["smokers"]


@pytest.mark.usefixtures("with_half_noise")
def test_a_mechanism_with_half_its_noise_is_refuted_and_the_exit_code_says_so(run: Run, survey: Path) -> None:
    result = run("audit", half(survey), *QUICK)
    assert (result.exit_code, result.stderr) == (1, "")
    assert "age by sex: consistent\n" in result.stdout
    assert "smokers: refuted\n" in result.stdout
    told = run("audit", survey, *QUICK, "--json")
    assert told.exit_code == 1
    refuted = json.loads(told.stdout)["audits"][1]
    assert refuted["verdict"] == "refuted"
    assert float(refuted["found"]["epsilon"]) > 0.8 > 0.5 >= float(refuted["claimed"]["upper"])
    assert run("audit", survey, *QUICK, "--release", "age by sex").exit_code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--delta", "1"), "must be below 1, got 1 @ --delta"),
        (("--delta", "-0.1"), "must be at least 0, got -0.1 @ --delta"),
        (("--delta", "small"), "'small' is not a finite number"),
        (("--samples", "10"), "must be at least 1000, got 10 @ --samples"),
        (("--samples", "1e12"), "must be at most 1000000000, got 1000000000000 @ --samples"),
        (("--samples", "1000.5"), "expected a whole number, got 1000.5 @ --samples"),
        (("--confidence", "1"), "must be below 1, got 1 @ --confidence"),
        (("--confidence", "0.1"), "must be at least 0.5, got 0.1 @ --confidence"),
        (("--seed", "-1"), "must be at least 0, got -1 @ --seed"),
        (("--release", "smoker"), "no release is called 'smoker'; did you mean 'smokers'? @ release"),
    ],
    ids=lambda item: " ".join(item) if isinstance(item, tuple) else None,
)
def test_bad_input_is_one_clear_error(run: Run, survey: Path, options: tuple[str, ...], words: str) -> None:
    result = run("audit", survey, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    assert words in line
    told = run("audit", survey, *options, "--json")
    assert (told.exit_code, told.stdout) == (2, "")
    (fault,) = json.loads(told.stderr)["error"]
    assert fault["message"] in line


def test_faults_of_options_and_of_the_plan_come_together(run: Run, survey: Path) -> None:
    survey.write_text(survey.read_text(encoding="utf-8").replace('"laplace"', '"laplce"'), encoding="utf-8")
    result = run("audit", survey, "--delta", "2", "--seed", "x")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 3)
