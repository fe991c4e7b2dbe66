"""Nothing that is printed or written acts on a terminal or is read in another order than it was written."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
from attrs import frozen
from click.testing import Result
from hypothesis import given, strategies as st

from accountant import PlanError, PluginError, PrivacyLoss, Registry, Theorem, read_plan
from accountant.cli import main, output
from accountant.plugin import Mechanism, Shift, hookimpl
from accountant.report import Document, Paragraph, Section, Table
from accountant.report.kinds import HtmlRenderer, JsonRenderer, MarkdownRenderer, TextRenderer
from accountant.values.hygiene import DIRECTIONS, harmless
from tests.registry.installing import PLUGIN, installed

Run = Callable[..., Result]
ESCAPE, TURNED, ISOLATED, SECOND = "\x1b[2J", "\u202e", "\u2066", "\x9b31m"
HOSTILE = f"a{ESCAPE}b{TURNED}c{ISOLATED}d{SECOND}e\u2028f"


def acts(text: str) -> bool:
    return any(character in text for character in ("\x1b", "\x9b", "\u2028", *DIRECTIONS))


@given(st.text())
def test_a_harmless_text_has_nothing_that_acts_and_a_plain_one_stays_as_it_is(text: str) -> None:
    found = harmless(text)
    assert not acts(found)
    assert found == text or not text.isprintable() or acts(text)
    assert harmless(found) == found


@given(st.text())
def test_json_says_the_same_when_it_is_harmless(text: str) -> None:
    assert json.loads(harmless(json.dumps(text, ensure_ascii=False))) == text


@pytest.mark.parametrize("renderer", [HtmlRenderer(), JsonRenderer(), MarkdownRenderer(), TextRenderer()])
def test_a_document_is_harmless_in_every_form(renderer: Any) -> None:
    document = Document(HOSTILE, (Section(HOSTILE, (Paragraph(HOSTILE),)), Table(HOSTILE, (HOSTILE,), ((HOSTILE,),))))
    written = renderer.render(document)
    assert "\\u202e" in written
    assert not acts(written)


@pytest.mark.parametrize("word", [ESCAPE, *sorted(DIRECTIONS)])
def test_a_plan_whose_names_turn_or_act_is_refused(word: str) -> None:
    release = {"name": f"wages{word}x", "query": {"kind": "count"}, "mechanism": {"kind": "laplace", "scale": "1"}}
    with pytest.raises(PlanError, match=r"the text contains a (control character|character that turns)"):
        read_plan({"specification": {"neighbours": "add-remove"}, "release": [release]})


def test_what_is_said_keeps_its_colours_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    output.say(f"\x1b[31mred\x1b[0m {HOSTILE}\x1b[8mhidden", err=True)
    said = capsys.readouterr().err
    assert not acts(said)
    assert "red" in said


def test_json_on_the_terminal_is_harmless(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    output.say_json({HOSTILE: HOSTILE})
    said = capfdbinary.readouterr().out.decode()
    assert not acts(said)
    assert json.loads(said) == {HOSTILE: HOSTILE}


@pytest.mark.parametrize("words", [("evil\x1b[2J", "1.0"), ("evil", "1\u202e0"), ("evil", "1.0")])
def test_a_distribution_whose_names_act_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, words: tuple[str, str]
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    folder = installed(tmp_path, "evil", {"evil.py": PLUGIN.format(name="evil")}, record=False)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {words[0]}\nVersion: {words[1]}\n", "utf-8")
    if words == ("evil", "1.0"):
        assert "evil" in Registry.load().plugins
        del sys.modules["evil"]
        return
    with pytest.raises(PluginError, match="is called by a name that contains") as refused:
        Registry.load()
    assert not acts(str(refused.value))


@frozen
class Quiet(Mechanism):
    kind: ClassVar[str] = "quiet"
    theorem: ClassVar[Theorem] = Theorem("quiet", f"It {ESCAPE} holds.", "accountant", "tests", assurance="claimed")

    def loss(self, shift: Shift) -> PrivacyLoss:
        raise NotImplementedError


def test_a_theorem_whose_text_acts_is_refused() -> None:
    module = ModuleType("quiet")

    @hookimpl
    def accountant_mechanisms() -> Iterator[type[Mechanism]]:
        yield Quiet

    module.accountant_mechanisms = accountant_mechanisms  # type: ignore[attr-defined]
    with pytest.raises(PluginError, match="a theorem whose text contains a control character"):
        Registry.load(extra=[module])


@pytest.mark.parametrize(
    "words",
    [
        ("nosuch", "--json"),
        ("--nope", "--json"),
        ("measure", "--json", "x", "--nope"),
        ("plugins", "new", "x", "--nokind", "--json"),
        ("measure", "x", "--json=1"),
        ("ledger", "nosuch", "--json"),
        ("verify", "--json", "--within"),
    ],
)
def test_a_fault_of_how_the_program_is_called_is_json_where_that_is_asked_for(run: Run, words: tuple[str, ...]) -> None:
    done = run(*words)
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert json.loads(line)["error"][0]["message"]
    assert main.name == "accountant"
