"""`accountant plugins new`: a distribution of one's own, under any name, that is the one that the laws were put to."""

from __future__ import annotations

import ast
import importlib
import json
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from accountant import Registry
from accountant.cli import scaffold
from accountant.cli.scaffold import distribution_files, kinds, module_name, template_name
from accountant.plugin import BRIDGES, DIVERGENCES, MECHANISMS, REPORTS, RISK_PROFILES
from accountant.testing import trials
from tests.house.doors import doors

Run = Callable[..., Result]
ROOT = Path(__file__).parents[2]
FAMILIES = {
    "mechanism": MECHANISMS,
    "definition": DIVERGENCES,
    "risk-profile": RISK_PROFILES,
    "report": REPORTS,
    "bridge": BRIDGES,
}


def test_there_is_a_template_of_every_kind_that_is_offered(run: Run) -> None:
    assert set(kinds()) == set(FAMILIES)
    assert all(f"  --{kind} " in run("plugins", "new", "--help").stdout for kind in kinds())


@pytest.mark.parametrize("kind", kinds())
def test_under_its_own_name_a_template_is_handed_out_as_it_stands(kind: str) -> None:
    folder = Path(scaffold.__file__).parent / "templates" / kind
    found = distribution_files(kind, template_name(kind))
    kept = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    assert set(found) == {name for name in kept if not name.endswith(".pyc")}
    assert all(kept[name].read_text(encoding="utf-8") == content for name, content in found.items())


@pytest.mark.parametrize("name", ["tombola", "x", "night-bus-2"])
@pytest.mark.parametrize("kind", kinds())
def test_under_another_name_nothing_is_left_of_the_old_one(kind: str, name: str) -> None:
    files = distribution_files(kind, name)
    assert all(template_name(kind) not in (path + content).lower() for path, content in files.items())
    module = module_name(name)
    assert {f"{module}/__init__.py", f"{module}/py.typed", "pyproject.toml", "README.md", "plan.toml"} <= set(files)
    for path, content in files.items():
        if path.endswith(".py"):
            ast.parse(content)
            assert all(len(line) <= 124 + 2 * len(name) for line in content.splitlines())
    project = tomllib.loads(files["pyproject.toml"])
    assert project["project"]["entry-points"]["accountant"] == {name: module}
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [module]
    tomllib.loads(files["plan.toml"])


@pytest.mark.parametrize("kind", kinds())
def test_a_template_sees_doors_only(kind: str) -> None:
    open_doors = {*doors(ROOT / "accountant"), module_name(template_name(kind))}
    for path, content in distribution_files(kind, template_name(kind)).items():
        for node in ast.walk(ast.parse(content)) if path.endswith(".py") else ():
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            seen = [node.module or ""] if isinstance(node, ast.ImportFrom) else names
            assert {name for name in seen if name.startswith("accountant")} <= open_doors


@pytest.fixture
def begun(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Registry]]:
    """The registry with a distribution that was just begun, as if it were being developed."""

    def begin(kind: str, change: tuple[str, str] = ("", "")) -> Registry:
        assert run("plugins", "new", "tombola", f"--{kind}", "--into", tmp_path).exit_code == 0
        folder, module = tmp_path / "accountant-tombola", "accountant_tombola"
        path = folder / module / "__init__.py"
        code = path.read_text(encoding="utf-8")
        assert change[0] in code
        path.write_text(code.replace(*change) if change[0] else code, encoding="utf-8")
        monkeypatch.syspath_prepend(folder)
        return Registry.load(extra=[importlib.import_module(module)])

    yield begin
    sys.modules.pop("accountant_tombola", None)


@pytest.mark.parametrize("kind", kinds())
def test_what_is_begun_registers_one_thing_of_its_kind(begun: Callable[..., Registry], kind: str) -> None:
    assert "tombola" in begun(kind)[FAMILIES[kind]]


# An error in the code of each template, and the law that notices. Of the definition it is a pair that has the parameter and
# is no worst case: others that have it tell more.
PLANTED = [
    ("mechanism", "1 / self.grip", "1 / ((1 + self.grip) / 2)", "exact pairs never beat the claim"),
    (
        "definition",
        "[(1 - lead, 1 - lead), (lead, 0), (0, lead)]",
        "[((1 + lead) / 2, (1 - lead) / 2), ((1 - lead) / 2, (1 + lead) / 2)]",
        "worst case dominates",
    ),
    ("definition", "size * parameter.lead", "parameter.lead", "groups keep what they cost"),
    (
        "risk-profile",
        "Recommendation(log_of(self.factor)",
        "Recommendation(log_of(2 * self.factor)",
        "recommendations are admissible",
    ),
    ("risk-profile", "admitted = log_of(self.factor)", "admitted = log_of(9 * self.factor)", "assessments are admissible"),
    ("bridge", '"times": self.runs', '"times": 1', "histories cost what happened"),
    ("bridge", "fields.plain(self.epsilon)", "fields.plain(self.epsilon / 2)", "known histories become known releases"),
    ("report", "math.ceil(100 * right)", "math.floor(99 * right)", "reports are never false"),
]


@pytest.mark.parametrize(("kind", "code", "error", "law"), PLANTED, ids=[f"{kind}-{law}" for kind, _, _, law in PLANTED])
def test_an_error_in_what_was_begun_is_noticed(
    begun: Callable[..., Registry], kind: str, code: str, error: str, law: str
) -> None:
    registry = begun(kind, change=(code, error))
    tried = [trial for trial in trials("accountant_tombola", registry=registry) if trial.law == law]
    assert tried
    with pytest.raises(AssertionError):
        [trial() for trial in tried]  # type: ignore[func-returns-value]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Night Bus", "small letters"),
        ("../bus", "small letters"),
        ("-bus", ""),
        ("noise", "plugin 'noise'"),
        ("laplace", "plugin 'noise'"),
        ("shift", "a class 'Shift'"),
        ("mechanism", "a class 'Mechanism'"),
    ],
)
def test_a_name_that_cannot_be_had_is_refused(run: Run, tmp_path: Path, name: str, why: str) -> None:
    result = run("plugins", "new", name, "--mechanism", "--into", tmp_path)
    assert result.exit_code == 2
    assert why in result.stderr
    assert not list(tmp_path.iterdir())


def test_nothing_that_is_there_is_replaced(run: Run, tmp_path: Path) -> None:
    (tmp_path / "accountant-tombola").mkdir()
    result = run("plugins", "new", "tombola", "--report", "--into", tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "it is there already" in result.stderr
    assert not list((tmp_path / "accountant-tombola").iterdir())


def test_it_must_be_said_what_to_begin(run: Run, tmp_path: Path) -> None:
    assert "--bridge, --definition, --mechanism, --report, --risk-profile" in run("plugins", "new", "tombola").stderr


def test_json_says_what_was_written(run: Run, tmp_path: Path) -> None:
    data = json.loads(run("plugins", "new", "tombola", "--report", "--into", tmp_path, "--json").stdout)
    folder = Path(data["directory"])
    assert data["files"] == sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert [line.split()[0] for line in data["next"]] == ["pip", "pytest", "accountant"]


def test_the_list_of_plugins_is_what_it_was(run: Run) -> None:
    assert run("plugins").stdout.startswith("builtin (privacy-accountant ")
    assert json.loads(run("plugins", "--json", "--disable", "noise").stdout)["plugins"][0]["name"] == "builtin"
