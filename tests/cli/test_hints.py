"""A mistake that many make gets one fault, with its file, its line and what to write instead."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from accountant.errors import LedgerError
from accountant.ledger.database import address, named

Run = Callable[..., Result]

PLAN = """title = "hints"
[specification]
neighbours = "add-remove"
[[budget]]
divergence = "zcdp"
rho = "0.25"
[[release]]
name = "steps"
query = { kind = "count" }
mechanism = { kind = "gaussian", sigma = "8" }
sampling = { kind = "poisson", rate = "0.01" }
"""


def faults(run: Run, path: Path, content: str | bytes) -> list[str]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    result = run("certify", path)
    assert (result.exit_code, result.stdout) == (2, "")
    return [line.removeprefix("error: ") for line in result.stderr.splitlines()]


@pytest.mark.parametrize(
    ("right", "wrong", "line", "hint"),
    [
        ('divergence = "zcdp"', 'divergence = "zCDP"', 5, "unknown divergence 'zCDP'; did you mean 'zcdp'?"),
        ('rho = "0.25"', 'rho = "0,25"', 6, "'0,25' is not a finite number; write a decimal point: \"0.25\""),
        ('rho = "0.25"', 'rho = "25%"', 6, "'25%' is not a finite number; write a share of one, such as \"0.25\""),
        ('divergence = "zcdp"', 'divergence = "KL"', 5, "unknown divergence 'KL'; did you mean 'relative-entropy'?"),
        ('divergence = "zcdp"', 'divergence = "tv"', 5, "unknown divergence 'tv'; did you mean 'statistical-distance'?"),
        ('rho = "0.25"', 'rhi = "0.25"', 6, "unknown key 'rhi'; did you mean 'rho'?"),
        ("mechanism =", "mechanizm =", 10, "unknown key 'mechanizm'; did you mean 'mechanism'?"),
        ("query =", "qurey =", 9, "unknown key 'qurey'; did you mean 'query'?"),
        ("[specification]", "[specifcation]", 2, "unknown key 'specifcation'; did you mean 'specification'?"),
        (
            'kind = "gaussian", sigma = "8"',
            'kind = "gaussian", noise_multiplier = "1.1"',
            10,
            "unknown key 'noise_multiplier'; give the noise itself: 'sigma' is the multiplier times how far "
            "the query moves",
        ),
        (
            'kind = "gaussian", sigma = "8"',
            'kind = "geometric", epsilon = "1"',
            10,
            "unknown key 'epsilon'; give the noise, not what it costs: 'scale' is how far the query moves "
            "divided by epsilon",
        ),
        ('rate = "0.01"', 'sample_rate = "0.01"', 11, "unknown key 'sample_rate'; did you mean 'rate'?"),
    ],
)
def test_one_slip_is_one_fault_on_its_line(run: Run, tmp_path: Path, right: str, wrong: str, line: int, hint: str) -> None:
    path = tmp_path / "plan.toml"
    (fault,) = faults(run, path, PLAN.replace(right, wrong))
    said, _, where = fault.partition(" @ ")
    assert said == hint
    assert where.startswith(f"{path}, line {line}")
    owner = "" if line < 4 else ", budget 1" if line < 7 else ", release 'steps'"
    assert where.removeprefix(f"{path}, line {line}").startswith(owner)


def test_two_slips_are_two_faults_and_a_key_that_nobody_meant_is_still_missing(run: Run, tmp_path: Path) -> None:
    content = PLAN.replace('rho = "0.25"', "").replace('sigma = "8"', 'sigmaa = "8"')
    found = faults(run, tmp_path / "plan.toml", content)
    assert ["missing 'rho'" in found[0], "did you mean 'sigma'?" in found[1], len(found)] == [True, True, 2]


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_a_bare_decimal_comma_is_recognised(run: Run, tmp_path: Path, ending: str) -> None:
    content = {"toml": PLAN.replace('"0.25"', "0,25"), "json": '{"budget":\n{"divergence": "zcdp", "rho": 0,25}}'}[ending]
    (fault,) = faults(run, tmp_path / f"plan.{ending}", content)
    assert f"line {6 if ending == 'toml' else 2} may have a decimal comma: write 0.25" in fault


def test_a_list_of_numbers_is_not_taken_for_a_decimal_comma(run: Run, tmp_path: Path) -> None:
    (fault,) = faults(run, tmp_path / "plan.toml", PLAN + "shift = [1,2]\nbroken\n")
    assert "comma" not in fault


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_a_file_in_another_encoding_is_named_as_such(run: Run, tmp_path: Path, encoding: str) -> None:
    content = PLAN.replace("hints", "hänts").encode(encoding)
    (fault,) = faults(run, tmp_path / "plan.toml", content)
    assert "is text in UTF-16; save it as UTF-8" in fault
    (fault,) = faults(run, tmp_path / "plan.toml", PLAN.replace("steps", "stäps").encode("latin-1"))
    assert "is not text in UTF-8: there is a byte in line 8 that cannot be read" in fault


TABLE = """
[[table]]
file = "rows.csv"
name = "{name}"
query = { kind = "count" }
mechanism = { kind = "gaussian", sigma = "{sigma}" }
"""


@pytest.mark.parametrize("mark", [";", "\t"])
def test_columns_that_are_not_separated_by_commas_are_one_fault(run: Run, tmp_path: Path, mark: str) -> None:
    (tmp_path / "rows.csv").write_text(f"name{mark}sigma\na{mark}1,5\nb{mark}2\n", encoding="utf-8")
    (fault,) = faults(run, tmp_path / "plan.toml", PLAN + TABLE)
    assert f"'rows.csv' looks like columns separated by {mark!r}; separate them by commas" in fault


def test_a_missing_table_says_where_it_was_looked_for(run: Run, tmp_path: Path) -> None:
    (fault,) = faults(run, tmp_path / "plan.toml", PLAN + TABLE)
    assert f"there is no file 'rows.csv' in {tmp_path.resolve()}; a path is taken from where the plan lies" in fault
    assert "Errno" not in fault


def test_a_table_in_another_encoding_is_named_as_such(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes("name,sigma\na,1\n".encode("utf-16"))
    (fault,) = faults(run, tmp_path / "plan.toml", PLAN + TABLE)
    assert "'rows.csv' is text in UTF-16; save it as UTF-8" in fault


def test_exchanged_arguments_of_verify_are_recognised(run: Run, survey: Path, certificate: Path) -> None:
    result = run("verify", survey, certificate)
    assert result.exit_code == 2
    assert result.stderr == f"error: {certificate} is the certificate: give it first, and then the plan, {survey}\n"


def test_what_is_no_certificate_is_named_with_its_file(run: Run, survey: Path) -> None:
    result = run("verify", survey, survey)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {survey}: the certificate cannot be parsed")


def test_two_plans_of_one_title_are_told_apart_by_their_files(run: Run, tmp_path: Path) -> None:
    files = [tmp_path / "first.toml", tmp_path / "second.toml"]
    for path, rho in zip(files, ("0.25", "0.5"), strict=True):
        path.write_text(PLAN.replace('"0.25"', f'"{rho}"'), encoding="utf-8")
    result = run("compare", *files)
    assert result.exit_code == 0
    assert f"{files[0]} implies {files[1]}: implied" in result.stdout
    assert f"{files[1]} implies {files[0]}: refuted" in result.stdout
    assert run("compare", *reversed(files)).exit_code == 1
    data = json.loads(run("compare", *files, "--json").stdout)["comparisons"]
    assert [(item["first"], item["second"]) for item in data] == [
        (str(files[0]), str(files[1])),
        (str(files[1]), str(files[0])),
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("measure", "x.toml", "--json"),
        ("certify", "--json"),
        ("certify", "--json", "--nonsense"),
        ("certfy", "--json"),
        ("compare", "--json"),
    ],
)
def test_faults_of_a_call_are_json_where_that_is_asked_for(run: Run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    (fault,) = json.loads(result.stderr)["error"]
    assert fault["message"]


def test_a_fault_of_a_call_begins_as_all_others_do_and_shows_how_to_call(run: Run) -> None:
    for words, said in (
        (("measure", "x.toml"), r"error: Missing option '--as'\."),
        (("certfy",), r"error: unknown command 'certfy'; did you mean 'certify'\?"),
        (("measure", "x.toml", "--as", "approx", "--detla", "1"), r"error: No such option:? '?--detla\b"),
    ):
        result = run(*words)
        assert (result.exit_code, result.stdout) == (2, "")
        first, usage, *_ = result.stderr.splitlines()
        assert re.match(said, first)
        assert usage.startswith("Usage: accountant")


@pytest.mark.parametrize("text", ["zcdp rho=0.1", "zcdp rho = 0.1", "zcdp  rho= 0.1"])
def test_spaces_around_an_equals_sign_do_not_matter(run: Run, tmp_path: Path, text: str) -> None:
    result = run("compare", "--has", text, "--implies", "approx epsilon = 3 delta=1e-6")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "implied")
    assert run("ledger", "open", tmp_path / "l", "--neighbours", "add-remove", "--budget", text).exit_code == 0


def test_an_attribute_that_looks_misspelt_is_refused_although_a_claim_may_depend_on_anything(
    run: Run, survey: Path
) -> None:
    result = run("scenario", survey, "--as", "zcdp", "--about", "Smoking")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: no release depends on 'Smoking'; did you mean 'smoking'? @ --about\n"
    assert run("scenario", survey, "--as", "zcdp", "--about", "smoking").exit_code == 0
    assert run("scenario", survey, "--as", "zcdp", "--about", "income").exit_code == 0  # the claim may depend on it


# Passwords -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("postgresql://me:S3cret@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:S3@cret@host/db", "postgresql://me:***@host/db"),
        ("postgresql://:S3cret@/db?host=/tmp", "postgresql://:***@/db?host=/tmp"),
        (
            "postgresql://host/db?user=me&password=S3cret&sslmode=require",
            "postgresql://host/db?user=me&password=***&sslmode=require",
        ),
        ("postgresql://host/db?sslpassword=S3cret", "postgresql://host/db?sslpassword=***"),
        ("postgresql://me@host:5432/db", "postgresql://me@host:5432/db"),
        ("a:b@c.ledger", "a:b@c.ledger"),
    ],
)
def test_no_password_is_shown(location: str, shown: str) -> None:
    assert named(location) == shown
    try:
        called = address(location)[1]
    except LedgerError as refused:  # an '@' in a password must be written otherwise
        called = str(refused)
    assert "cret" not in called


@pytest.mark.parametrize(
    "location", ["postgresql://me:S3cret@host:port/db", "nonsense://me:S3cret@host/db", "x://:S3cret@"]
)
def test_an_address_that_is_none_does_not_show_its_password(run: Run, location: str) -> None:
    for command in (("open", "--neighbours", "add-remove", "--budget", "zcdp rho=1"), ("status",)):
        result = run("ledger", command[0], location, *command[1:])
        assert result.exit_code == 2
        assert "S3cret" not in result.output + result.stderr


def test_a_ledger_that_is_opened_is_shown_without_its_password(run: Run, tmp_path: Path) -> None:
    location = f"sqlite:///{tmp_path}/x.ledger?password=S3cret"
    result = run("ledger", "open", location, "--neighbours", "add-remove", "--budget", "zcdp rho=1")
    assert "S3cret" not in result.output + result.stderr


def test_a_choice_that_is_missing_is_listed_in_one_line(run: Run) -> None:
    result = run("sign", "some.certificate.json", "some.toml", "--key", "ada.key")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[0] == "error: Missing option '--role'. Choose from: curator, checker"
