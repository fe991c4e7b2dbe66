"""The reference says everything the code registers, under the names the code uses."""

from __future__ import annotations

import inspect
import re
import sys
import tomllib
from pathlib import Path

import attrs
import pytest

import accountant
from accountant import Registry, default_registry
from accountant.cli.commands import further_commands, own_commands
from accountant.plugin import (
    COMPOSITION_RULES,
    CONVERSIONS,
    DIVERGENCES,
    MECHANISMS,
    NEIGHBOURS,
    POLICIES,
    PUBLIC_FACTS,
    QUERIES,
    RENDERERS,
    REPORTS,
    RISK_PROFILES,
    SAMPLINGS,
    THEOREMS,
    hookspecs,
)
from tests.docs.docs_blocks import DOCS, ROOT, written

sys.path.insert(0, str(DOCS / "_ext"))
import accountant_docs as generated
from reference import names as public, text as reference_text

PAGES = written()
BUNDLED = Registry.load(allowed=reference_text.BUNDLED)
HOOKS = [name for name in vars(hookspecs) if name.startswith("accountant_")]
BIBLIOGRAPHY = (ROOT / "accountant" / "report" / "references.bib").read_text("utf-8")


def expanded(name: str) -> str:
    return generated.expand((DOCS / "reference" / name).read_text("utf-8"))


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_has_a_docstring_and_a_heading_that_is_its_signature(name: str) -> None:
    function = getattr(hookspecs, name)
    described = inspect.getdoc(function) or ""
    assert len(described.splitlines()) > 1
    assert "Return" in described
    page = expanded("hooks.md")
    assert f"### `{name}{inspect.signature(function)}`".replace("'", "") in page
    assert described.splitlines()[0].split("`")[0] in page


def test_the_hook_reference_has_no_hook_that_does_not_exist() -> None:
    assert re.findall(r"^### `(accountant_\w+)\(", expanded("hooks.md"), re.MULTILINE) == HOOKS


@pytest.mark.parametrize("name", sorted(BUNDLED[THEOREMS]))
def test_every_theorem_has_a_source_that_exists(name: str) -> None:
    theorem = BUNDLED[THEOREMS][name]
    known = re.search(rf"^@\w+{{{re.escape(theorem.key)},$", BIBLIOGRAPHY, re.MULTILINE)
    assert known, f"add `{theorem.key}` to accountant/report/references.bib"
    if theorem.key == "accountant":
        page = f"docs/{theorem.locator}.md"
        assert (ROOT / page).is_file(), f"write {page}, which proves '{name}', or say where else that is proved"
    else:
        assert theorem.assurance == "published"
    assert f"## `{name}`" in expanded("theorems.md")


def test_no_two_references_share_a_key() -> None:
    keys = re.findall(r"^@\w+{(\w+),$", BIBLIOGRAPHY, re.MULTILINE)
    assert keys == sorted(set(keys))


def test_every_citation_on_a_page_is_in_the_bibliography() -> None:
    keys = set(re.findall(r"^@\w+{(\w+),$", BIBLIOGRAPHY, re.MULTILINE))
    groups = [group for page in PAGES for group in re.findall(r"{cite:\w+}`([\w,]+)`", page.read_text("utf-8"))]
    assert groups
    assert {key for group in groups for key in group.split(",")} <= keys


@pytest.mark.parametrize(
    ("door", "name"), [(door, name) for door, module in public.DOORS.items() for name in module.__all__]
)
def test_every_public_name_is_documented(door: str, name: str) -> None:
    item, home = getattr(public.DOORS[door], name), public.home(name)
    assert item is getattr(public.DOORS[home], name)
    page = expanded("documents.md" if home == "accountant.report" else "python-api.md")
    assert len(re.findall(rf":: {re.escape(home)}\.{name}$", page, re.MULTILINE)) == 1
    if inspect.isclass(item) or inspect.isfunction(item):
        assert inspect.getdoc(item)


def test_the_doors_for_users_certificates_authors_numbers_limits_and_reports_have_a_reference() -> None:
    rooms = ("certificate", "plugin", "numbers", "limits", "report")
    assert list(public.DOORS) == ["accountant", *(f"accountant.{room}" for room in rooms)]


def test_every_registered_kind_and_field_is_in_the_reference() -> None:
    page = expanded("kinds.md")
    kinds = [*BUNDLED[MECHANISMS].items(), *BUNDLED[QUERIES].items(), *BUNDLED[POLICIES].items()]
    parameters = [(name, item.parameter) for name, item in BUNDLED[DIVERGENCES].items()]
    for name, cls in [*kinds, *parameters]:
        assert f"### `{name}`" in page
        section = page.split(f"### `{name}`\n")[1].split("\n### ")[0]
        for member in attrs.fields(cls):
            if name != "claim":
                assert f"| `{member.alias or member.name}` |" in section
    for name in [
        *BUNDLED[NEIGHBOURS],
        *BUNDLED[COMPOSITION_RULES],
        *BUNDLED[CONVERSIONS],
        *BUNDLED[REPORTS],
        *BUNDLED[RENDERERS],
    ]:
        assert f"`{name}`" in page


@pytest.mark.parametrize("table", ["Top level", "`specification`", "`release`"])
def test_the_plan_reference_has_exactly_the_keys_of_the_schema(table: str) -> None:
    from accountant.plan.schema import plan_schema

    schema = plan_schema(default_registry())
    part = {
        "Top level": schema,
        "`specification`": _resolved(schema, schema["properties"]["specification"]),
        "`release`": _resolved(schema, schema["properties"]["release"]["items"]),
    }[table]
    section = expanded("plan-format.md").split(f"## {table}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (yes|no) \| \S", section, re.MULTILINE)
    assert [key for key, _ in rows] == list(part["properties"])
    assert [key for key, required in rows if required == "yes"] == part["required"]


def test_the_plan_reference_says_what_is_left_out_and_what_must_not_be() -> None:
    page = expanded("plan-format.md")
    assert "| `title` | no | what the plan is called; default `Untitled plan` |" in page
    assert "| `precision` | no | the relative width" in page
    assert "at least 1e-15; at most 1; default `1e-4` |" in page
    assert "| `specification` | yes |" in page
    assert "| `neighbours` | yes | which datasets are compared: the name of one of the [neighbours]" in page
    assert "| `public` | no | a list of tables `[[public]]` with a `kind` and its [parameters]" in page
    assert "| `counts_by` | no | the attributes by whose combinations units are counted" in page


def _resolved(schema: dict[str, object], part: dict[str, object]) -> dict[str, dict[str, object]]:
    found: object = part
    reference = part.get("$ref")
    if isinstance(reference, str):
        found = schema
        for key in reference.removeprefix("#/").split("/"):
            assert isinstance(found, dict)
            found = found[key]
    assert isinstance(found, dict)
    return found


def test_the_certificate_reference_has_exactly_the_keys_of_a_certificate() -> None:
    plan = accountant.read_plan(
        {
            "precision": "1e-5",
            "publication": {"date": "2026-11-17"},
            "grouped": [{"file": "wards.csv", "rows": 1000, "digest": "sha256:00"}],
            "statements": {"unit": "one person is one row"},
            "specification": {"neighbours": "replace-one", "invariants": ["size"]},
            "budget": [{"divergence": "pure", "epsilon": "1"}],
            "reading": [{"divergence": "zcdp"}],
            "scenario": [{"name": "age", "attributes": ["age"]}],
            "public": [
                {
                    "kind": "independent",
                    "name": "size",
                    "determines": ["size"],
                    "budget": [{"divergence": "pure", "epsilon": "1"}],
                }
            ],
            "risk": {"kind": "constant", "ratio": "3", "neighbours": "replace-one"},
            "release": [
                {
                    "name": "old",
                    "query": {"kind": "count", "attributes": ["age"]},
                    "mechanism": {"kind": "geometric", "scale": "2"},
                    "sampling": {"kind": "poisson", "rate": "1/2"},
                }
            ],
        }
    )
    data = accountant.certify(plan).data
    page = (DOCS / "reference/certificate.md").read_text("utf-8")
    tables = {
        "# Certificate format\n": set(data),
        "## Guarantees\n": set(data["budgets"][0]["guarantee"]),
        "## Relative to public information\n": set(data["public"][0]),
        "## Verdicts\n": {verdict.value for verdict in accountant.Verdict},
    }
    for heading, keys in tables.items():
        section = page.split(heading)[1].split("\n## ")[0]
        assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == keys
    assert f"`{data['format']}`" in page


def test_every_command_and_exit_code_is_in_the_reference() -> None:
    from accountant.cli.failure import ExitStatus

    page = expanded("command-line.md")
    assert re.findall(r"^## `accountant (\w+)`$", page, re.MULTILINE) == [
        *own_commands(),
        *sorted(further_commands(BUNDLED)),
    ]
    codes = (DOCS / "reference/exit-codes.md").read_text("utf-8")
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", codes, re.MULTILINE)} == {
        status.value for status in ExitStatus
    }


LISTED = {
    "definitions": set(BUNDLED[DIVERGENCES]),
    "mechanisms": set(BUNDLED[MECHANISMS]),
    "sampling": set(BUNDLED[SAMPLINGS]),
    "neighbours": {*BUNDLED[NEIGHBOURS], *BUNDLED[POLICIES]},
    "public": set(BUNDLED[PUBLIC_FACTS]),
    "risks": set(BUNDLED[RISK_PROFILES]),
    "reports": set(BUNDLED[REPORTS]),
}
# Where each kind of thing has a row of a table, its name in the first column.
TABLES = {
    "definitions": "explanation/one-loss.md",
    "neighbours": "explanation/neighbours-and-shifts.md",
    "public": "how-to/promise-relative-to-public-facts.md",
    "risks": "how-to/choose-epsilon-from-risk.md",
    "reports": "how-to/report-to-the-public.md",
}


def unlisted(where: str, listed: set[str], bundled: set[str]) -> str:
    """What to do where a page lists something else than what is bundled; nothing where it does not."""
    add, drop = (", ".join(f"`{name}`" for name in sorted(names)) for names in (bundled - listed, listed - bundled))
    return "; ".join(f"{verb} {names} in {where}" for verb, names in (("add", add), ("take out", drop)) if names)


@pytest.mark.parametrize("title", TABLES)
def test_the_page_that_explains_a_kind_of_thing_has_a_row_for_each(title: str) -> None:
    page = (DOCS / TABLES[title]).read_text("utf-8")
    cells = re.findall(r"^\| ((?:`[\w-]+`(?:, )?)+) \|", page, re.MULTILINE)
    named = {name for cell in cells for name in re.findall(r"`([\w-]+)`", cell)}
    fault = unlisted(f"the table of docs/{TABLES[title]}", named & LISTED[title], LISTED[title])
    assert not fault, fault


@pytest.mark.parametrize("kind", sorted(LISTED["mechanisms"] | LISTED["sampling"]))
def test_every_kind_that_a_release_can_use_has_a_page(kind: str) -> None:
    page = f"reference/mechanisms/{kind}.md"
    assert (DOCS / page).is_file(), f"write docs/{page}: what '{kind}' does, what it loses and why, and a plan that runs"


def test_what_is_not_listed_or_listed_in_vain_is_told() -> None:
    assert unlisted("README.md", {"a", "b"}, {"a", "c"}) == "add `c` in README.md; take out `b` in README.md"
    assert unlisted("README.md", {"a"}, {"a"}) == ""


def test_no_page_is_an_orphan() -> None:
    reached = {DOCS / "index.md"}
    pending = list(reached)
    while pending:
        page = pending.pop()
        for tree in re.findall(r"```{toctree}\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            for entry in tree.splitlines():
                if entry and not entry.startswith(":"):
                    targets = {target.resolve() for target in page.parent.glob(f"{entry}.md")}
                    assert targets, f"{page} lists {entry}"
                    pending.extend(targets - reached)
                    reached |= targets
    assert reached == set(PAGES)


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\(([\w./-]+\.(?:md|toml|py))(?:#[\w-]+)?\)", text):
        assert (page.parent / target).is_file(), target
    for target in re.findall(r"{doc}`([\w./-]+)`", text):
        base = DOCS if target.startswith("/") else page.parent
        assert (base / f"{target.lstrip('/')}.md").is_file(), target


def test_a_page_that_asks_for_an_unknown_part_is_refused() -> None:
    with pytest.raises(KeyError):
        generated.expand("<!-- generated: nothing -->")


def test_the_decision_on_rooms_states_every_exception_of_the_layers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    stated = re.findall(r"^- `(\S+ -> \S+)`:", (DOCS / "decisions/rooms-and-doors.md").read_text("utf-8"), re.MULTILINE)
    assert stated == [exception for contract in contracts for exception in contract["ignore_imports"]]


def test_the_changes_name_everything_that_moved_to_another_door() -> None:
    from accountant import _moved

    page = (DOCS / "changes/index.md").read_text("utf-8").split("## 0.1.0")[0]
    for door, names in _moved._DOORS.items():
        (row,) = re.findall(rf"^\| (.*) \| `accountant\.{door}` \|$", page, re.MULTILINE)
        assert set(re.findall(r"`(\w+)`", row)) == set(names)
    for old, new in _moved._RENAMED.items():
        assert re.search(rf"^\| `{old}`.* \| `{new}`", page, re.MULTILINE)
