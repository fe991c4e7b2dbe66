"""What is promised by design as a certificate: against units counted one by one, and with every part of it falsified."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest
from attrs import evolve
from click.testing import CliRunner, Result

import accountant as ac
from accountant.certificate import Sealed, Verification, write_sealed
from accountant.certificate.seal import SEAL, seal_of, text_of
from accountant.cli import main
from accountant_scale.engines.duck import DuckDB
from accountant_scale.individuals.certificate import FORMAT, UnitContents
from accountant_scale.individuals.run import individuals
from tests.plugins.scale.panel import BUDGETS, PLAN, RELEASES, drawn, own_account, write

SIGMAS = {"wave": 10, "another like it": 10, 'it\'s, "quoted"': 4}
GAUSSIAN = ac.Plan.of(
    *(release for release in RELEASES if release.name in SIGMAS), neighbours="add-remove", budgets=BUDGETS
)
FIRST = {"another like it": "wave"}
"""The release that stands for another of its class."""


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDB]:
    with DuckDB(threads=1) as made:
        yield made


def promised(engine: DuckDB, events: Path, plan: ac.Plan = PLAN) -> UnitContents:
    return UnitContents.of(plan, individuals(plan, events, participation="design", engine=engine))


def counted(rows: list[tuple[str, str]]) -> dict[str, Counter[str]]:
    units: dict[str, Counter[str]] = {}
    for unit, release in rows:
        units.setdefault(unit, Counter())[release] += 1
    return units


def by_class(events: Counter[str]) -> frozenset[tuple[str, int]]:
    taken: Counter[str] = Counter()
    for release, times in events.items():
        taken[FIRST.get(release, release)] += times
    return frozenset(taken.items())


@pytest.mark.parametrize("seed", range(3))
def test_units_are_counted_by_what_they_take_part_in_and_charged_for_that(
    engine: DuckDB, tmp_path: Path, seed: int
) -> None:
    rows = drawn(Random(seed), 10)
    units = counted(rows)
    found = promised(engine, write(tmp_path / "e.csv", rows))
    stated = {frozenset((part.release, part.times) for part in item.parts): item for item in found.signatures}
    assert len(stated) == len(found.signatures)
    assert {key: item.units for key, item in stated.items()} == Counter(map(by_class, units.values()))
    assert found.units == len(units)
    beyond, worst = Counter[int](), [0.0, 0.0]
    for events in units.values():
        for index, budget in enumerate(BUDGETS):
            guarantee, verdict = own_account(events).check(budget)
            loss = stated[by_class(events)].losses[index]
            assert float(loss.lower) <= guarantee.value.upper
            assert float(loss.upper) >= guarantee.value.lower
            assert loss.verdict is verdict
            beyond[index] += verdict is not ac.Verdict.IMPLIED
            worst[index] = max(worst[index], guarantee.value.lower)
    for index, spread in enumerate(found.readings[:2]):
        assert spread.beyond == beyond[index]
        assert float(spread.worst.upper) >= worst[index]
        assert float(spread.worst.upper) == pytest.approx(worst[index], rel=1e-4)


def test_losses_in_closed_form_are_stated_exactly(engine: DuckDB, tmp_path: Path) -> None:
    rows = [row for row in drawn(Random(5), 8) if row[1] in SIGMAS]
    found = promised(engine, write(tmp_path / "e.csv", rows), GAUSSIAN)
    largest = Fraction(0)
    for item in found.signatures:
        rho = sum((Fraction(part.times, 2 * SIGMAS[part.release] ** 2) for part in item.parts), Fraction(0))
        assert item.losses[1].exact is not None
        assert Fraction(item.losses[1].exact) == rho
        largest = max(largest, rho)
    worst = found.readings[1].worst
    assert worst.exact is not None
    assert Fraction(worst.exact) == largest


def test_nobody_is_named_in_it(engine: DuckDB, tmp_path: Path) -> None:
    rows = [("Ada Lovelace", "wave"), ("Grace Hopper", "wave"), ("Grace Hopper", "extra")]
    text = promised(engine, write(tmp_path / "e.csv", rows)).to_json()
    assert not {"Ada", "Lovelace", "Grace", "Hopper"} & set(text.replace('"', " ").split())
    assert "e.csv" not in text


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, str]]:
    return [("a", "wave"), ("b", "wave"), ("c", "wave"), ("c", "extra"), *[("d", "another like it")] * 4]


@pytest.fixture(scope="module")
def found(engine: DuckDB, rows: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> UnitContents:
    return promised(engine, write(tmp_path_factory.mktemp("found") / "e.csv", rows))


def verified(found: UnitContents, path: Path, text: str) -> Verification:
    path.write_text(text, encoding="utf-8")
    return found.verifies(Sealed.load(path, FORMAT))


def resealed(data: dict[str, Any]) -> str:
    return text_of({**data, SEAL: seal_of(data)})


def test_what_was_written_follows(found: UnitContents, tmp_path: Path) -> None:
    answer = verified(found, tmp_path / "c.json", found.to_json())
    assert (answer.verdict, answer.differences, answer.better) == (ac.Verdict.IMPLIED, (), ())
    assert answer.equal == sum(len(item.losses) for item in found.signatures) + len(found.readings)


def put(*path: str | int, value: object) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        inside: Any = data
        for key in path[:-1]:
            inside = inside[key]
        assert inside[path[-1]] != value
        inside[path[-1]] = value

    return change


def raised(*path: str | int) -> Callable[[dict[str, Any]], None]:
    """The lower end of an interval raised to its upper one."""

    def change(data: dict[str, Any]) -> None:
        inside: Any = data
        for key in path:
            inside = inside[key]
        put(*path, "lower", value=inside["upper"])(data)

    return change


DIGEST = "sha256:" + "0" * 64
PLANTED = {
    "certificate.units": put("units", value=5),
    "certificate.signatures[0].units": put("signatures", 0, "units", value=1),
    "certificate.signatures[0].parts[0].times": put("signatures", 0, "parts", 0, "times", value=2),
    "certificate.signatures[0].parts[0].release": put("signatures", 0, "parts", 0, "release", value="another like it"),
    "certificate.signatures[0].losses[0].upper": put("signatures", 0, "losses", 0, "upper", value="0.01"),
    "certificate.signatures[0].losses[0].lower": raised("signatures", 0, "losses", 0),
    "certificate.signatures[0].losses[1].exact": put("signatures", 0, "losses", 1, "exact", value="0.004"),
    "certificate.signatures[0].losses[0].verdict": put("signatures", 0, "losses", 0, "verdict", value="refuted"),
    "certificate.readings[0].worst.upper": put("readings", 0, "worst", "upper", value="0.4"),
    "certificate.readings[0].verdict": put("readings", 0, "verdict", value="unknown"),
    "certificate.readings[0].beyond": put("readings", 0, "beyond", value=2),
    "certificate.readings[0].limit": put("readings", 0, "limit", value="0.8"),
    "certificate.readings[2].reading": put("readings", 2, "reading", value="another"),
    "certificate.events.digest": put("events", "digest", value=DIGEST),
    "certificate.events.files": put("events", "files", value=2),
    "certificate.plan_digest": put("plan_digest", value=DIGEST),
    "certificate.title": put("title", value="Another panel"),
    "certificate.stated": put("stated", value="nothing"),
    "certificate.between": put("between", value="whoever"),
    "certificate.conditions": lambda data: data["conditions"].append("if it rains"),
    "certificate.signatures": lambda data: data["signatures"].pop(),
    "certificate.further": lambda data: data.update(further="more"),
}


@pytest.mark.parametrize("place", PLANTED)
def test_whatever_is_falsified_is_refused_with_its_place(found: UnitContents, tmp_path: Path, place: str) -> None:
    data = json.loads(found.to_json())
    PLANTED[place](data)
    for text in (resealed(data), text_of(data)):
        answer = verified(found, tmp_path / "c.json", text)
        assert answer.verdict is ac.Verdict.REFUTED
        assert place in {fault.place for fault in answer.differences}


def test_every_part_of_it_is_falsified_above(found: UnitContents) -> None:
    assert {place.split(".")[1].partition("[")[0] for place in PLANTED} >= {*json.loads(found.to_json())} - {"format", SEAL}


def test_other_bytes_of_the_same_are_refused(found: UnitContents, tmp_path: Path) -> None:
    text = found.to_json()
    for other in (json.dumps(json.loads(text)), text.rstrip(), "\ufeff" + text):
        (fault,) = verified(found, tmp_path / "c.json", other).differences
        assert fault.place == "certificate"
    (fault,) = verified(found, tmp_path / "c.json", text_of({**json.loads(text), SEAL: DIGEST})).differences
    assert fault.place == "certificate.seal"


def test_a_wider_interval_is_shown_unless_a_verdict_does_not_follow_from_it(found: UnitContents, tmp_path: Path) -> None:
    data = json.loads(found.to_json())
    data["readings"][0]["worst"]["upper"] = "0.88"
    answer = verified(found, tmp_path / "c.json", resealed(data))
    assert (answer.verdict, answer.better) == (ac.Verdict.IMPLIED, ("certificate.readings[0].worst",))
    data["readings"][0]["worst"]["upper"] = "0.91"
    (fault,) = verified(found, tmp_path / "c.json", resealed(data)).differences
    assert fault.place == "certificate.readings[0].verdict"
    data = json.loads(found.to_json())
    data["signatures"][0]["losses"][0]["upper"] = "0.91"
    (fault,) = verified(found, tmp_path / "c.json", resealed(data)).differences
    assert fault.place == "certificate.signatures[0].losses[0].verdict"


def test_other_events_of_the_same_counts_are_told_apart_by_their_digest_alone(
    engine: DuckDB, found: UnitContents, rows: list[tuple[str, str]], tmp_path: Path
) -> None:
    renamed = [("nobody" if unit == "a" else unit, release) for unit, release in rows]
    other = promised(engine, write(tmp_path / "e.csv", renamed))
    (fault,) = verified(other, tmp_path / "c.json", found.to_json()).differences
    assert fault.place == "certificate.events.digest"


def test_files_of_events_are_known_by_what_is_in_them_wherever_they_lie(
    engine: DuckDB, rows: list[tuple[str, str]], tmp_path: Path
) -> None:
    found = []
    for folder, names in (("one", ("1.csv", "2.csv")), ("two", ("y.csv", "x.csv"))):
        (tmp_path / folder).mkdir()
        for name, part in zip(names, (rows[:2], rows[2:]), strict=True):
            write(tmp_path / folder / name, part)
        found.append(promised(engine, tmp_path / folder))
    assert found[0] == found[1]
    assert found[0].events.files == 2
    assert found[0].events.digest != promised(engine, write(tmp_path / "e.csv", rows)).events.digest


def test_another_plan_is_refused(engine: DuckDB, found: UnitContents, rows: list[tuple[str, str]], tmp_path: Path) -> None:
    other = promised(engine, write(tmp_path / "e.csv", rows), evolve(PLAN, title="Another panel"))
    places = {fault.place for fault in verified(other, tmp_path / "c.json", found.to_json()).differences}
    assert places == {"certificate.plan_digest", "certificate.title"}


def test_losses_that_depend_on_the_data_are_not_certified(engine: DuckDB, tmp_path: Path) -> None:
    events = write(tmp_path / "e.csv", [("a", "wave")])
    confidential = individuals(PLAN, events, participation="data", engine=engine)
    with pytest.raises(ac.InvalidValue, match="these losses are confidential"):
        UnitContents.of(PLAN, confidential)


def test_events_that_have_changed_since_they_were_counted_are_not_certified(engine: DuckDB, tmp_path: Path) -> None:
    events = write(tmp_path / "e.csv", [("a", "wave")])
    before = individuals(PLAN, events, participation="design", engine=engine)
    write(events, [("a", "wave"), ("b", "wave")])
    with pytest.raises(ac.PlanError, match="changed while it was read"):
        UnitContents.of(PLAN, before)


def test_events_that_are_not_there_any_more_are_not_certified(engine: DuckDB, tmp_path: Path) -> None:
    events = write(tmp_path / "e.csv", [("a", "wave")])
    before = individuals(PLAN, events, participation="design", engine=engine)
    events.unlink()
    with pytest.raises(ac.PlanError, match="there is no file"):
        UnitContents.of(PLAN, before)


def test_what_nobody_could_read_back_is_not_written(found: UnitContents) -> None:
    with pytest.raises(ac.CertificateError, match="larger than 67,108,864 bytes"):
        write_sealed(FORMAT, evolve(found, title="x" * 2**26))


@pytest.fixture
def run(rows: list[tuple[str, str]], tmp_path: Path) -> Callable[..., Result]:
    """The command on a plan in a file and a folder of events."""
    (tmp_path / "plan.json").write_text(json.dumps(PLAN.as_data()), encoding="utf-8")
    (tmp_path / "events").mkdir()
    write(tmp_path / "events" / "e.csv", rows)

    def call(*options: object) -> Result:
        given = ("individuals", tmp_path / "plan.json", tmp_path / "events", "--participation", "design", *options)
        return CliRunner().invoke(main, list(map(str, given)))

    return call


def test_the_command_writes_a_certificate_and_verifies_it(run: Callable[..., Result], tmp_path: Path) -> None:
    target = tmp_path / "units.json"
    result = run("--certificate", target)
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, f"Certificate: {target}")
    result = run("--verify", target)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:2] == [
        "verified: the certificate follows from the plan and the events, digit by digit",
        "KEPT by all 4 units",
    ]
    data = json.loads(target.read_text("utf-8"))
    data["units"] = 3
    target.write_text(resealed(data), encoding="utf-8")
    result = run("--verify", target)
    expected = ["refused: 1 difference", "  says 3, recomputed 4 @ certificate.units"]
    assert (result.exit_code, result.stdout.splitlines()) == (1, expected)


def test_writing_and_verifying_at_once_is_refused(run: Callable[..., Result], tmp_path: Path) -> None:
    target = tmp_path / "units.json"
    run("--certificate", target)
    result = run("--certificate", tmp_path / "more.json", "--verify", target)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "ask for one of both" in result.stderr
    assert not (tmp_path / "more.json").exists()


def test_a_certificate_that_a_budget_is_passed_is_written_and_verified(tmp_path: Path) -> None:
    plan, target = tmp_path / "plan.json", tmp_path / "units.json"
    plan.write_text(json.dumps({**PLAN.as_data(), "budget": [{"divergence": "zcdp", "rho": "0.004"}]}), encoding="utf-8")
    events = write(tmp_path / "e.csv", [("a", "wave"), ("b", "wave")])
    call = ["individuals", str(plan), str(events), "--participation", "design"]
    assert CliRunner().invoke(main, [*call, "--certificate", str(target)]).exit_code == 1
    reading = json.loads(target.read_text("utf-8"))["readings"][0]
    assert (reading["verdict"], reading["beyond"], reading["worst"]["exact"]) == ("refuted", 2, "0.005")
    result = CliRunner().invoke(main, [*call, "--verify", str(target)])
    first, second = result.stdout.splitlines()[:2]
    assert (result.exit_code, first.partition(":")[0]) == (0, "verified")
    assert second.startswith("NOT KEPT by 2 of 2 units: ")


def test_both_answers_of_verify_are_as_described(run: Callable[..., Result], tmp_path: Path) -> None:
    schema = json.loads(CliRunner().invoke(main, ["schema", "output"]).stdout)
    target = tmp_path / "units.json"
    run("--certificate", target)
    written = target.read_text("utf-8")
    for text, status in ((written, 0), (written.replace('"units":4', '"units":3'), 1)):
        target.write_text(text, encoding="utf-8")
        result = run("--verify", target, "--json")
        answer = json.loads(result.stdout)
        jsonschema.Draft202012Validator({"$ref": "#/$defs/individuals", "$defs": schema["$defs"]}).validate(answer)
        assert (result.exit_code, answer["verified"], len(answer["differences"])) == (status, not status, status)


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (("--certificate", "plan.json"), "it is the plan or among the events"),
        (("--certificate", "events/e.csv"), "it is the plan or among the events"),
        (("--certificate", "events/more.csv"), "it is the plan or among the events"),
        (("--certificate", "nowhere/units.json"), "there is no folder"),
        (("--verify", "absent.json"), "cannot be read"),
        (("--verify", "plan.json"), "not a certificate of the format 'accountant-individuals/1'"),
        (("--verify", "events/e.csv"), "cannot be parsed"),
    ],
)
def test_bad_input_is_one_error_and_nothing_is_written(
    run: Callable[..., Result], tmp_path: Path, options: tuple[str, str], wrong: str
) -> None:
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    option, name = options
    result = run(option, tmp_path / name, "--output", tmp_path / "out")
    assert (result.exit_code, result.stdout) == (2, "")
    assert wrong in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_whoever_signs_the_certificate_of_a_plan_signs_that_of_its_units(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    def call(*words: object) -> Result:
        return CliRunner().invoke(
            main, list(map(str, words)), env={"ACCOUNTANT_PASSPHRASE": "five words nobody would guess"}
        )

    plan, key = tmp_path / "plan.json", tmp_path / "ada.key"
    units, whole = tmp_path / "units.json", tmp_path / "plan.certificate.json"
    run("--certificate", units)
    assert call("keys", "new", key).exit_code == 0
    alone = call("sign", units, plan, "--key", key, "--role", "curator")
    assert (alone.exit_code, alone.stdout) == (2, "")
    assert "'accountant-individuals/1', and not of a plan: what wrote it verifies it" in " ".join(alone.stderr.split())
    assert "'--released'" in " ".join(alone.stderr.split())
    call("certify", plan, "--output", whole)
    assert call("sign", whole, plan, "--key", key, "--role", "curator", "--released", units).exit_code == 0
    public = next(line for line in call("keys", "show", tmp_path / "ada.pub").stdout.splitlines() if "public =" in line)
    policy = tmp_path / "policy.toml"
    signer = f'[[key]]\nname = "Ada"\n{public.strip()}\nroles = ["curator"]\n'
    policy.write_text(f"until = 2100-01-01\nneed = {{ curator = 1 }}\n{signer}", encoding="utf-8")
    checked = ("verify", whole, plan, "--trust", policy, "--released", units)
    assert call(*checked).exit_code == 0
    units.write_text(units.read_text("utf-8").replace('"units":4', '"units":3'), encoding="utf-8")
    refused = call(*checked)
    assert refused.exit_code == 1
    assert "it has other bytes @ released 'units.json'" in " ".join(refused.stdout.split())
