"""With --json every command answers in one shape, which `accountant schema output` describes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
from click.testing import CliRunner, Result

from accountant.cli import main
from accountant.cli.answers import output_schema
from accountant.cli.commands import further_commands, own_commands
from accountant.registry.registry import default_registry

pytestmark = pytest.mark.slow

Run = Callable[..., Result]

COUNT = {"kind": "count", "attributes": ["smoking"]}
RELEASE = json.dumps({"name": "more", "query": COUNT, "mechanism": {"kind": "laplace", "scale": "1000"}})
HUGE = json.dumps({"name": "huge", "query": COUNT, "mechanism": {"kind": "laplace", "scale": "1/9"}})
EVENT = json.dumps({"module_name": "dp_accounting.dp_event", "class_name": "NoOpDpEvent"})
SIGNING = ("--key", "SIGNS", "--passphrase-file", "PASSPHRASE")
ANSWERS: dict[str, list[tuple[int, tuple[str, ...]]]] = {
    "certify": [(0, ("PLAN",)), (1, ("EXCEEDED",)), (1, ("VACUOUS",)), (0, ("RICH",))],
    "verify": [
        (0, ("CERTIFICATE", "PLAN")),
        (1, ("CERTIFICATE", "EXCEEDED")),
        (0, ("CERTIFICATE", "PLAN", "--trust", "POLICY")),
        (1, ("CERTIFICATE", "EXCEEDED", "--trust", "POLICY")),
    ],
    "keys new": [(0, ("KEY", "--passphrase-file", "PASSPHRASE"))],
    "keys show": [(0, ("PUBLIC",))],
    "sign": [
        (0, ("CERTIFICATE", "PLAN", "--key", "SIGNS", "--role", "curator", "--passphrase-file", "PASSPHRASE")),
        (1, ("CERTIFICATE", "EXCEEDED", "--key", "SIGNS", "--role", "checker", "--passphrase-file", "PASSPHRASE")),
    ],
    "measure": [
        (0, ("PLAN", "--as", "approx", "--delta", "1e-6", "--precision", "1e-6")),
        (0, ("PLAN", "--as", "pure")),
        (0, ("PLAN", "--as", "zcdp")),
        (1, ("VACUOUS", "--as", "zcdp")),
    ],
    "explain": [(0, ("PLAN", "--as", "fdp", "--level", "0.05"))],
    "scenario": [(0, ("PLAN", "--as", "zcdp", "--about", "smoking")), (0, ("RICH", "--as", "zcdp"))],
    "calibrate": [(0, ("PLAN",))],
    "reallocate": [
        (0, ("PLAN", "--without", "vendor dashboard")),
        (0, ("PLAN", "--minimise", "largest", "--without", "smokers")),
    ],
    "compare": [
        (0, ("--has", "pure epsilon=1", "--implies", "zcdp rho=1")),
        (1, ("--has", "zcdp rho=0.1", "--implies", "approx epsilon=1 delta=1e-6")),
        (1, ("PLAN", "EXCEEDED")),
        (1, ("PLAN", "EXCEEDED", "--output", "BEGUN")),
    ],
    "audit": [(0, ("PLAN", "--samples", "1000"))],
    "attack": [],  # needs people: tests/plugins/posterior/attacks/cells/test_attack_command.py
    "figures": [],  # needs a folder: tests/plugins/posterior/pictures/test_pictures.py
    "infer": [],  # needs released numbers: tests/plugins/posterior/inference/test_infer_command.py
    "study intervals": [],  # takes seconds: tests/plugins/posterior/studies/test_study_intervals.py
    "study beliefs": [],
    "study sources": [],  # needs a folder: tests/plugins/posterior/sources/test_sources.py
    "study counties": [],  # needs a table, as the others do: tests/plugins/pufferfish/studies/test_study_commands.py
    "study tests": [],
    "study clamps": [],
    "study dependence": [],
    "swap plan": [],  # needs records, as the others do: tests/plugins/invariants/test_swap_command.py
    "swap run": [],
    "swap audit": [],
    "individuals": [],  # needs events: tests/plugins/scale/test_command.py
    "report": [(0, ("PLAN", "--audience", "summary", "--format", "text"))],
    "plugins": [(0, ())],
    "plugins new": [(0, ("tombola", "--report", "--into", "FOLDER"))],
    "init": [(0, ("BEGUN",))],
    "bridge": [
        (0, ("opacus", '{"history": [[2, 0.5, 3]]}')),
        (0, ("dp-accounting", EVENT, "--neighbours", "add-remove", "--output", "BEGUN")),
        (1, ("dp-accounting", EVENT.replace("NoOp", "NonPrivate"), "--neighbours", "add-remove")),
    ],
    "diff": [(0, ("PLAN", "PLAN")), (1, ("PLAN", "EXCEEDED")), (0, ("CERTIFICATE", "RICH")), (1, ("PLAN", "VACUOUS"))],
    "schema": [(0, ("output",)), (0, ("plan",))],
    "recommend": [
        (0, ("difference", "at_most=0.05", "--releases", "3", "--distance", "2")),
        (0, ("difference", "adversary=strong", "failure=0.01", "--delta", "1e-6", "--over", "at_most=0.1,0.2")),
        (0, ("RICH",)),
    ],
    "ledger open": [(0, ("NEW", "--from", "TERMS")), (1, ("NEW", "--name", "second", "--from", "SMALL"))],
    "ledger quote": [(0, ("LEDGER", RELEASE)), (1, ("LEDGER", HUGE))],
    "ledger reserve": [(0, ("LEDGER", RELEASE, "--key", "k")), (1, ("LEDGER", HUGE))],
    "ledger commit": [(0, ("LEDGER", "1"))],
    "ledger cancel": [(0, ("LEDGER", "2", "--reason", "none"))],
    "ledger status": [(0, ("LEDGER",)), (0, ("LEDGER", "--as", "zcdp"))],
    "ledger history": [(0, ("LEDGER",))],
    "ledger what-if": [(0, ("LEDGER", RELEASE)), (1, ("LEDGER", HUGE))],
    "ledger verify": [(0, ("LEDGER",)), (0, ("LEDGER", "--checkpoint", "CHECKPOINT", "--log-key", "PUBLIC"))],
    "ledger checkpoint": [(0, ("LEDGER", "--origin", "a", "-o", "SIGNED", *SIGNING))],
    "ledger prove": [
        (0, ("LEDGER", "1", "--checkpoint", "CHECKPOINT", "-o", "EXPORT")),
        (0, ("LEDGER", "--from", "CHECKPOINT", "--to", "CHECKPOINT", "-o", "EXPORT")),
    ],
    "ledger check-proof": [
        (0, ("PROOF", "--log-key", "PUBLIC")),
        (0, ("GROWTH", "--from", "CHECKPOINT", "--log-key", "PUBLIC")),
        (1, ("PROOF", "--log-key", "PUBLIC", "--witness-key", "PUBLIC")),
    ],
    "ledger witness": [
        (0, ("CHECKPOINT", "--log-key", "PUBLIC", "--as", "w", "--seen", "SEEN", "-o", "SIGNED", *SIGNING)),
        (1, ("OTHER", "--log-key", "PUBLIC", "--as", "w", "--seen", "SEEN", "-o", "SIGNED", *SIGNING)),
    ],
    "ledger roles": [],  # needs a server: tests/ledger/test_roles.py
    "ledger export": [(0, ("LEDGER",)), (0, ("LEDGER", "--output", "EXPORT"))],
}
FAULTS = (
    ("certify", "FAULTY"),
    ("certify", "absent.toml"),
    ("certify",),
    ("certfy",),
    ("measure", "PLAN"),
    ("measure", "PLAN", "--as", "aprox"),
    ("compare",),
    ("compare", "PLAN"),
    ("ledger", "status", "absent.ledger"),
    ("ledger", "commit", "LEDGER", "many"),
    ("recommend", "diference"),
    ("plugins", "--nonsense"),
    ("bridge", "opacus", '{"history": [[2, 0.5]]}'),
    ("bridge", "opaque", '{"history": []}'),
    ("bridge", "dp-accounting", EVENT),
    ("verify", "PLAN", "PLAN"),
    ("verify", "CERTIFICATE", "PLAN", "--trust", "FAULTY"),
    ("verify", "CERTIFICATE", "PLAN", "--released", "PLAN"),
    ("keys", "show", "PLAN"),
    ("sign", "CERTIFICATE", "PLAN", "--key", "SIGNS", "--role", "curator"),
)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Plans of all sorts, a certificate and a ledger, by the words that stand for them."""
    folder = tmp_path_factory.mktemp("answers")
    plan = (Path(__file__).parents[2] / "examples" / "survey.toml").read_text(encoding="utf-8")
    zcdp = plan.replace('"approx"\nepsilon = "4"\ndelta = "1e-6"', '"zcdp"\nrho = "0.01"')
    rich = plan.replace('name = "smokers"', 'name = "smokers"\nsampling = { kind = "poisson", rate = "1/3" }')
    rich = rich.replace("invariants =", "# invariants =")
    rich += '\n[[scenario]]\nname = "smoke"\nattributes = ["smoking"]\n[[reading]]\ndivergence = "zcdp"\n'
    rich += (
        '[risk]\nkind = "difference"\nat_most = "0.9"\nadversary = "strong"\nneighbours = "replace-one"\nfailure = "0.01"\n'
    )
    texts = {
        "PLAN": plan,
        "EXCEEDED": plan.replace('epsilon = "4"', 'epsilon = "1"'),
        "VACUOUS": plan.replace('unit = "person"', 'unit = "person"\nattributes = []'),
        "RICH": rich,
        "FAULTY": plan.replace('scale = "2"', 'scale = "-2"').replace("epsilon", "epsilom"),
        "SMALL": zcdp,
        "TERMS": zcdp.partition("[[release]]")[0],
    }
    for word, text in texts.items():
        (folder / f"{word.lower()}.toml").write_text(text, encoding="utf-8")
    found = {word: str(folder / f"{word.lower()}.toml") for word in texts}
    found |= {"CERTIFICATE": str(folder / "c.json"), "LEDGER": str(folder / "l"), "EXPORT": str(folder / "e.json")}
    run = CliRunner().invoke
    assert run(main, ["certify", found["PLAN"], "--output", found["CERTIFICATE"]]).exit_code == 0
    assert run(main, ["ledger", "open", found["LEDGER"], "--from", found["TERMS"]]).exit_code == 0
    found |= {word: str(folder / word.lower()) for word in ("SIGNS", "PASSPHRASE")}
    found |= {"PUBLIC": f"{found['SIGNS']}.pub", "POLICY": str(folder / "policy.toml")}
    Path(found["PASSPHRASE"]).write_text("five words nobody would guess\n", encoding="utf-8")
    made = run(main, ["keys", "new", found["SIGNS"], "--passphrase-file", found["PASSPHRASE"], "--json"])
    key = f'name = "Ada"\npublic = "{json.loads(made.stdout)["public"]}"\nroles = ["curator", "checker"]'
    Path(found["POLICY"]).write_text(f"until = 9999-12-31\n[[key]]\n{key}\n[need]\nchecker = 1\n", encoding="utf-8")
    signing = ["--key", found["SIGNS"], "--role", "checker", "--passphrase-file", found["PASSPHRASE"]]
    assert run(main, ["sign", found["CERTIFICATE"], found["PLAN"], *signing]).exit_code == 0
    for name in ("one", "two", "three"):
        assert run(main, ["ledger", "reserve", found["LEDGER"], RELEASE.replace("more", name)]).exit_code == 0
    # So that each command has something to show, whichever is tried first: the others commit and cancel what is left.
    assert run(main, ["ledger", "commit", found["LEDGER"], "3"]).exit_code == 0
    found |= {word: str(folder / word.lower()) for word in ("CHECKPOINT", "OTHER", "PROOF", "GROWTH")}
    ledger, held, signing = found["LEDGER"], found["CHECKPOINT"], [found.get(word, word) for word in SIGNING]
    for words in (
        ("checkpoint", ledger, "--origin", "a", "-o", held, *signing),
        ("checkpoint", ledger, "--origin", "b", "-o", found["OTHER"], "--key", found["OTHER"] + ".key", *signing[2:]),
        ("prove", ledger, "1", "--checkpoint", held, "-o", found["PROOF"]),
        ("prove", ledger, "--from", held, "--to", held, "-o", found["GROWTH"]),
    ):
        if "b" in words:
            assert run(main, ["keys", "new", found["OTHER"] + ".key", *signing[2:]]).exit_code == 0
        made = run(main, ["ledger", *words])
        assert made.exit_code == 0, made.output
    return found


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    found = json.loads(CliRunner().invoke(main, ["schema", "output"]).stdout)
    jsonschema.Draft202012Validator.check_schema(found)
    return found


def check(data: object, name: str, schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}).validate(data)


def asked(words: tuple[str, ...], places: dict[str, str], folder: Path) -> list[str]:
    new = {
        "NEW": str(folder / "new.ledger"),
        "BEGUN": str(folder / "begun.toml"),
        "KEY": str(folder / "new.key"),
        "SIGNED": str(folder / "signed.checkpoint"),
        "SEEN": str(folder / "seen"),
        "FOLDER": str(folder),
    }
    return [places.get(word, new.get(word, word)) for word in words]


def commands() -> Iterator[str]:
    for name in (*own_commands(), *further_commands(default_registry())):
        command = main.get_command(click.Context(main), name)
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield name
        if isinstance(command, click.Group):
            yield from (f"{name} {inner}" for inner in command.list_commands(click.Context(command)))


def test_every_command_is_described_and_tried() -> None:
    described = output_schema(further_commands(default_registry()))["$defs"]
    assert set(commands()) == set(ANSWERS)
    assert all(described[name.replace(" ", "-")] for name in ANSWERS)


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_is_as_described(name: str, places: dict[str, str], schema: dict[str, Any], tmp_path: Path) -> None:
    for status, words in ANSWERS[name]:
        result = CliRunner().invoke(main, [*name.split(), *asked(words, places, tmp_path), "--json"])
        assert result.exit_code == status, result.output
        texts = result.stdout.splitlines() if name == "ledger history" else [result.stdout]
        for text in texts:
            check(json.loads(text), name.replace(" ", "-"), schema)
        for line in result.stderr.splitlines():
            check(json.loads(line), "warnings", schema)


@pytest.mark.parametrize("words", FAULTS, ids=" ".join)
def test_every_fault_is_as_described(
    words: tuple[str, ...], places: dict[str, str], schema: dict[str, Any], tmp_path: Path
) -> None:
    result = CliRunner().invoke(main, [*asked(words, places, tmp_path), "--json"])
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    check(json.loads(line), "faults", schema)


def test_a_defect_is_told_in_the_same_shape(
    places: dict[str, str], schema: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fall(*_: object, **__: object) -> None:
        raise RuntimeError("the sky fell")

    monkeypatch.setattr("accountant.certificate.certify.certify", fall)
    result = CliRunner().invoke(main, ["certify", places["PLAN"], "--json"])
    assert (result.exit_code, result.stdout) == (3, "")
    check(json.loads(result.stderr), "faults", schema)
    assert "the sky fell" in result.stderr


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("measure", lambda data: data["value"].update(upper=2.5)),
        ("measure", lambda data: data["value"].update(upper="a lot")),
        ("measure", lambda data: data.update(further=1)),
        ("explain", lambda data: data.pop("between")),
        ("certify", lambda data: data["budgets"][0].update(verdict="kept")),
        ("certify", lambda data: data["releases"][0]["costs"][0].update(lower=None)),
    ],
)
def test_another_shape_is_noticed(
    name: str, change: Callable[[Any], object], places: dict[str, str], schema: dict[str, Any]
) -> None:
    options = () if name == "certify" else ("--as", "zcdp")
    data = json.loads(CliRunner().invoke(main, [name, places["PLAN"], *options, "--json"]).stdout)
    check(data, name, schema)
    change(data)
    with pytest.raises(jsonschema.ValidationError):
        check(data, name, schema)


def test_where_faults_stand_is_said_for_programs_and_for_people(places: dict[str, str]) -> None:
    result = CliRunner().invoke(main, ["certify", places["FAULTY"], "--json"])
    faults = json.loads(result.stderr)["error"]
    assert {fault["file"] for fault in faults} == {places["FAULTY"]}
    assert [(fault["place"], fault.get("name")) for fault in faults] == [
        ("budget[0]", None),
        ("release[1].mechanism.scale", "smokers"),
    ]
    lines = Path(places["FAULTY"]).read_text(encoding="utf-8").splitlines()
    assert "epsilom" in lines[faults[0]["line"] - 1]
    assert 'scale = "-2"' in lines[faults[1]["line"] - 1]
