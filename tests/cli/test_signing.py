"""Signing from the command line, from key to refusal; no passphrase is ever shown."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from click.testing import CliRunner, Result

from accountant.cli import main
from accountant.cli.commands import sign
from accountant.values.source import canonical

SURVEY = Path(__file__).parents[2] / "examples" / "survey.toml"
PASSPHRASE = "five words nobody would guess"


@frozen
class Desk:
    """A folder with a plan, its certificate, two keys and a policy, where commands are run."""

    folder: Path

    def run(self, *words: str, given: str | None = None, secret: str | None = PASSPHRASE) -> Result:
        """What a command answers, in the folder; the passphrase is in the environment unless it is not."""
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            result = CliRunner().invoke(main, words, input=given, env={"ACCOUNTANT_PASSPHRASE": secret})
        finally:
            os.chdir(before)
        assert PASSPHRASE not in result.output
        assert "Traceback" not in result.output
        return result

    def sign(self, name: str, role: str, *words: str, **options: str | None) -> Result:
        return self.run("sign", "s.certificate.json", "s.toml", "--key", f"{name}.key", "--role", role, *words, **options)

    def verify(self, *words: str) -> Result:
        return self.run("verify", "s.certificate.json", "s.toml", "--trust", "policy.toml", *words)


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = Desk(tmp_path_factory.mktemp("desk"))
    shutil.copy(SURVEY, desk.folder / "s.toml")
    assert desk.run("certify", "s.toml").exit_code == 0
    keys = []
    for name, role in (("ada", "curator"), ("bob", "checker")):
        made = json.loads(desk.run("keys", "new", f"{name}.key", "--json").stdout)
        keys.append(f'[[key]]\nname = "{name}"\npublic = "{made["public"]}"\nroles = ["{role}"]\n')
    policy = f"until = 9999-12-31\n{''.join(keys)}[need]\ncurator = 1\nchecker = 1\n"
    (desk.folder / "policy.toml").write_text(policy, "utf-8")
    return desk


@pytest.fixture
def desk(once: Desk, tmp_path: Path) -> Desk:
    shutil.copytree(once.folder, tmp_path / "desk")
    return Desk(tmp_path / "desk")


def test_from_key_to_refusal(desk: Desk) -> None:
    released = desk.folder / "out.csv"
    released.write_text("1,2\n", "utf-8")
    result = desk.sign("ada", "curator", "--released", "out.csv")
    assert result.exit_code == 0
    assert result.stdout.startswith("signed: as curator, you state that the plan describes what is run\n")
    result = desk.verify()
    assert result.exit_code == 1
    assert result.stdout.startswith("refused: not signed as the policy needs, 1 reason\n")
    assert "signed by 0 of the 1 that must sign as checker" in result.stdout
    assert desk.sign("bob", "checker").exit_code == 0
    result = desk.verify("--released", "out.csv")
    assert result.exit_code == 0
    assert result.stdout.startswith("verified: signed, and the certificate follows from the plan")
    assert "signed as curator by ada" in result.stdout
    assert "signed as checker by bob" in result.stdout
    assert "kept  budget approx epsilon" in result.stdout
    released.write_text("1,3\n", "utf-8")
    result = desk.verify("--released", "out.csv")
    assert result.exit_code == 1
    assert "it is not the file that 'ada' signed" in " ".join(result.stdout.split())


def test_json_says_who_signed_and_why_not(desk: Desk) -> None:
    assert json.loads(desk.sign("ada", "curator", "--json").stdout)["result"] == "PASSED"
    found = json.loads(desk.verify("--json").stdout)
    assert found["verified"] is False
    assert found["trust"]["trusted"] is False
    assert [item["name"] for item in found["trust"]["signers"]] == ["ada"]
    assert [item["place"] for item in found["trust"]["faults"]] == ["trust.need.checker"]


def test_a_checker_who_finds_another_number_signs_nothing(desk: Desk) -> None:
    file = desk.folder / "s.certificate.json"
    data = json.loads(file.read_text("utf-8"))
    data["budgets"][0]["guarantee"]["value"]["upper"] = "0.1"
    file.write_text(canonical(data) + "\n", "utf-8")
    result = desk.sign("bob", "checker")
    assert result.exit_code == 1
    assert result.stdout.startswith("not signed: ")
    assert "exit status 1: the certificate does not follow from the plan" in result.stdout
    assert not (desk.folder / "s.certificate.intoto.jsonl").exists()


def test_an_encrypted_key_needs_its_passphrase(desk: Desk) -> None:
    result = desk.sign("ada", "curator", secret=None)
    assert (result.exit_code, "no passphrase is given" in result.stderr) == (2, True)
    result = desk.sign("ada", "curator", secret="another passphrase altogether")
    assert (result.exit_code, "the passphrase is wrong" in result.stderr) == (2, True)
    assert "altogether" not in result.output
    assert not (desk.folder / "s.certificate.intoto.jsonl").exists()


def test_a_passphrase_comes_from_a_file_or_from_standard_input(desk: Desk) -> None:
    (desk.folder / "pass").write_text(f"{PASSPHRASE}\n", "utf-8")
    assert desk.sign("ada", "curator", "--passphrase-file", "pass", secret=None).exit_code == 0
    assert desk.sign("bob", "checker", "--passphrase-file", "-", secret=None, given=f"{PASSPHRASE}\r\n").exit_code == 0
    result = desk.sign("ada", "checker", "--passphrase-file", "none", secret=None)
    assert (result.exit_code, "the passphrase" in result.stderr) == (2, True)


def test_a_passphrase_is_asked_for_on_a_terminal_and_not_shown(tmp_path: Path) -> None:
    """A terminal of its own: what is typed does not come back."""
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "ACCOUNTANT_PASSPHRASE"}
    command = [sys.executable, "-m", "accountant.cli", "keys", "new", str(tmp_path / "typed.key")]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
    ) as process:
        os.close(theirs)
        seen = b""
        for question in (b"Passphrase: ", b"Repeat for confirmation: "):
            while question not in seen:
                seen += os.read(ours, 1000)
            os.write(ours, PASSPHRASE.encode() + b"\n")
            seen = seen.replace(question, b"asked ")
        while True:
            try:
                more = os.read(ours, 1000)
            except OSError:
                break
            if not more:
                break
            seen += more
    os.close(ours)
    assert process.returncode == 0
    assert b"is a key to sign with" in seen
    assert PASSPHRASE.encode() not in seen
    assert (tmp_path / "typed.pub").exists()


def test_a_new_key_needs_a_passphrase_worth_the_name(desk: Desk) -> None:
    for secret, reason in ((None, "none is given"), ("short", "at least 12 characters"), ("", "at least 12 characters")):
        result = desk.run("keys", "new", "more.key", secret=secret)
        assert (result.exit_code, reason in result.stderr) == (2, True), result.output
    assert not (desk.folder / "more.key").exists()
    result = desk.run("keys", "new", "ada.key")
    assert (result.exit_code, "never overwritten" in result.stderr) == (2, True)


def test_a_public_key_is_shown_as_policies_have_it(desk: Desk) -> None:
    result = desk.run("keys", "show", "ada.pub")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].strip() in (desk.folder / "policy.toml").read_text("utf-8")
    result = desk.run("keys", "show", "ada.key")
    assert (result.exit_code, "this is a private key" in result.stderr) == (2, True)


def test_a_signature_is_added_once_and_only_to_those_of_the_same_files(desk: Desk) -> None:
    signatures = desk.folder / "s.certificate.intoto.jsonl"
    assert desk.sign("ada", "curator").exit_code == 0
    before = signatures.read_bytes()
    result = desk.sign("ada", "curator")
    assert (result.exit_code, "has signed as curator already" in result.stderr) == (2, True)
    (desk.folder / "other.toml").write_text((desk.folder / "s.toml").read_text("utf-8") + "\n# more\n", "utf-8")
    words = ("sign", "s.certificate.json", "other.toml", "--key", "bob.key", "--role", "checker")
    result = desk.run(*words)
    assert (result.exit_code, "it has signatures of another plan" in result.stderr) == (2, True)
    assert signatures.read_bytes() == before
    assert desk.run(*words, "--output", "other.jsonl").exit_code == 0
    signatures.write_bytes(before[:-9])
    result = desk.sign("bob", "checker")
    assert (result.exit_code, "cannot add to s.certificate.intoto.jsonl" in result.stderr) == (2, True)
    assert signatures.read_bytes() == before[:-9]


def test_what_is_asked_without_saying_whom_to_trust_is_refused(desk: Desk) -> None:
    for words in (("--released", "s.toml"), ("--signatures", "s.toml")):
        result = desk.run("verify", "s.certificate.json", "s.toml", *words)
        assert (result.exit_code, "checked with --trust" in result.stderr) == (2, True)
    plan = (desk.folder / "s.toml").read_text("utf-8")
    result = desk.run("verify", "s.certificate.json", "-", "--trust", "policy.toml", given=plan)
    assert (result.exit_code, "the plan is a file" in result.stderr) == (2, True)


def test_files_that_are_not_there_are_named(desk: Desk) -> None:
    result = desk.verify()
    assert (result.exit_code, "s.certificate.intoto.jsonl cannot be read" in result.stderr) == (2, True)
    result = desk.sign("eve", "curator")
    assert (result.exit_code, "eve.key" in result.stderr) == (2, True)
    result = desk.sign("ada", "curator", "--released", "none.csv")
    assert (result.exit_code, "none.csv cannot be read" in result.stderr) == (2, True)


def test_faults_of_a_policy_come_with_their_lines(desk: Desk) -> None:
    file = desk.folder / "policy.toml"
    file.write_text(file.read_text("utf-8").replace("checker = 1", "checker = 0").replace("9999-12-31", "7"), "utf-8")
    result = desk.verify()
    assert result.exit_code == 2
    assert "policy.toml, line 1" in result.stderr
    assert "at least 1, got 0 @ policy.toml, line 12" in result.stderr


def test_without_the_package_that_signs_one_sentence_says_what_to_install(desk: Desk) -> None:
    program = (
        "import sys; sys.modules['cryptography'] = None\n"
        "from accountant.cli import main\n"
        "sys.exit(main(['keys', 'new', 'x.key']))"
    )
    environment = {**os.environ, "ACCOUNTANT_PASSPHRASE": PASSPHRASE}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=desk.folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "pip install 'privacy-accountant[signing]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_nobody_else_adds_a_signature_between_reading_those_of_others_and_writing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def watched(name: str) -> None:
        step = getattr(sign, name)

        def taken(*given: Any) -> Any:
            folder = os.open(desk.folder, os.O_RDONLY)
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                seen.append((name, "open to others"))
            except BlockingIOError:
                seen.append((name, "alone"))
            finally:
                os.close(folder)
            return step(*given)

        monkeypatch.setattr(sign, name, taken)

    watched("_before")
    watched("write_whole")
    assert desk.sign("ada", "curator").exit_code == 0
    # A look at the file before anything is computed, and the one that counts.
    assert seen == [("_before", "open to others"), ("_before", "alone"), ("write_whole", "alone")]
