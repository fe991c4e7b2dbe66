"""What a ledger is opened with: read like a plan, with all faults at once."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from accountant import LedgerError, PlanError
from accountant.ledger import load_terms, read_terms
from accountant.ledger.tables import REVISION, metadata
from tests.ledger.cases import Place, terms

APPROX = {"divergence": "approx", "epsilon": "1", "delta": "1e-5"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"budget": []}, "a ledger needs at least one budget; add a [[budget]] table @ budget"),
        (
            {"ledger": {"adaptivity": "adaptive"}},
            "'adaptive' is no adaptivity; did you mean 'fully-adaptive'? @ ledger.adaptivity",
        ),
        ({"ledger": {"adaptive": True}}, "unknown key 'adaptive'; did you mean 'adaptivity'? @ ledger"),
        (
            {"budget": [{**APPROX, "filter": {"divergence": "renyi"}}]},
            "missing 'order': the order of the divergence @ budget[0].filter",
        ),
        ({"budget": [{**APPROX, "filter": {"slack": "1e-5"}}]}, "below the budget's delta 1e-5 @ budget[0].filter.slack"),
        (
            {"budget": [{"divergence": "zcdp", "rho": "1", "filter": {"slack": "1e-9"}}]},
            "a slack is part of a budget's delta, and 'zcdp' has none; leave it out @ budget[0].filter.slack",
        ),
        ({"budget": [{**APPROX, "filter": {"divergence": "fdp"}}]}, "no rule is registered by which 'fdp' adds up"),
        ({"budget": [{**APPROX, "filter": {"cap": "0.5"}}]}, "a cap of 0.5 is not known to keep the budget; leave it out"),
        ({"budget": [{**APPROX, "filter": {"divergence": "zcdp", "rate": 1}}]}, "unknown key 'rate'"),
        ({"budget": [{**APPROX, "filter": "zcdp"}]}, "expected a table, got 'zcdp' @ budget[0].filter"),
        (
            {"ledger": {"adaptivity": "fixed-plan"}, "budget": [{**APPROX, "filter": {}}]},
            "a fixed plan is read as a whole and needs no filter; leave it out @ budget[0].filter",
        ),
        (
            {"specification": {"neighbours": "replace-one", "attributes": []}},
            "no two datasets that agree on all invariants differ",
        ),
        ({"specification": {"neighbours": "sideways"}}, "sideways"),
        ({"budget": "much"}, "expected a list of tables; write [[budget]] above each @ budget"),
    ],
)
def test_faulty_terms_are_refused_with_place_and_remedy(changes: dict[str, Any], message: str) -> None:
    data = {"specification": {"neighbours": "add-remove"}, "budget": [APPROX], **changes}
    with pytest.raises(PlanError) as caught:
        read_terms(data)
    assert message in str(caught.value)


def test_all_faults_of_terms_are_told_at_once() -> None:
    with pytest.raises(PlanError) as caught:
        read_terms({"ledger": {"x": 1}, "budget": [{"divergence": "zcdp"}], "specification": {}})
    assert {fault.place for fault in caught.value.faults} == {"ledger", "budget[0]", "specification.neighbours"}


@pytest.mark.slow
def test_terms_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    agreed = terms(
        {**APPROX, "filter": {"divergence": "renyi", "order": "20"}}, {"divergence": "gdp", "mu": "1"}, title="Survey"
    )
    assert read_terms(agreed.as_data()) == agreed
    file = tmp_path / "terms.toml"
    file.write_text('[specification]\nneighbours = "add-remove"\n[[budget]]\ndivergence = "pure"\nepsilon = "1/2"\n')
    assert load_terms(file).filters[0].cap == Fraction(1, 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "budget",
    [
        {"divergence": "pbdp", "epsilon": "1", "delta": "0.01"},
        {"divergence": "fdp", "level": "0.05", "power": "0.2"},
        {**APPROX, "filter": {"divergence": "gdp"}},
        {**APPROX, "filter": {"divergence": "pure"}},
        {"divergence": "zcdp", "rho": "0.1", "filter": {"divergence": "pure"}},
    ],
)
def test_a_budget_in_any_definition_is_kept_by_a_cap_that_implies_it(budget: dict[str, Any]) -> None:
    from accountant import Verdict, default_registry

    (found,) = terms(budget).filters
    assert found.cap > 0
    assert found.implied(found.cap, default_registry())[1] is Verdict.IMPLIED
    assert found.implied(found.cap * Fraction("1.01"), default_registry())[1] is not Verdict.IMPLIED


def test_a_budget_without_a_rule_of_its_own_is_kept_by_the_usual_one() -> None:
    from accountant import Registry

    data = {"specification": {"neighbours": "add-remove"}, "budget": [APPROX]}
    assert read_terms(data).filters[0].divergence.name == "zcdp"
    with pytest.raises(PlanError) as caught:
        read_terms(data, registry=Registry.load(disabled=["zcdp", "posterior"]))
    assert "no rule is registered by which 'approx' adds up" in str(caught.value)
    assert "use one of gdp, pure, relative-entropy, renyi @ budget[0].filter.divergence" in str(caught.value)


def test_releases_may_come_from_a_table_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("day,sigma\nmonday,4\ntuesday,8\n")
    rows = '[[table]]\nfile = "rows.csv"\nname = "{day}"\nquery = { kind = "count" }\n'
    rows += 'mechanism = { kind = "gaussian", sigma = "{sigma}" }\n'
    file = tmp_path / "terms.toml"
    file.write_text(f'[specification]\nneighbours = "add-remove"\n[[budget]]\ndivergence = "zcdp"\nrho = "1"\n{rows}')
    with Place(str(tmp_path / "a.ledger")).create(load_terms(file)) as ledger:
        assert ledger.status().lines[0].spent == Fraction(1, 32) + Fraction(1, 128)


def test_the_tables_are_what_the_migrations_make(tmp_path: Path) -> None:
    """The descriptions that statements are written with, against a database that alembic migrated."""
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    with Place(str(tmp_path / "a.ledger")).create(terms()) as ledger, ledger._store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": "accountant_ledger_version"})
        assert context.get_current_revision() == REVISION
        changes = [change for change in compare_metadata(context, metadata) if isinstance(change, tuple)]
        kinds = {change[0] for change in changes}
    assert kinds <= {"remove_constraint", "remove_fk"}  # statements need no constraints; the database keeps them


def test_a_ledger_of_a_newer_version_is_refused_with_the_remedy(tmp_path: Path) -> None:
    from sqlalchemy import text

    place = Place(str(tmp_path / "a.ledger"))
    with place.create(terms()) as ledger, ledger._store._connection(writing=True) as connection:
        connection.execute(text("UPDATE accountant_ledger_version SET version_num = '9999'"))
    with pytest.raises(LedgerError, match=r"newer version of accountant .*; update accountant"):
        place.open()


def test_what_is_no_ledger_is_refused(tmp_path: Path) -> None:
    text_file, empty = tmp_path / "notes.txt", tmp_path / "empty.ledger"
    text_file.write_text("these are no pages of a database\n" * 200)
    empty.touch()
    with pytest.raises(LedgerError, match="is not a database; give the file that 'accountant ledger open' made"):
        Place(str(text_file)).open()
    with pytest.raises(LedgerError, match="holds no ledger; make one with 'accountant ledger open'"):
        Place(str(empty)).open()


def test_a_missing_driver_is_one_error_with_the_remedy(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from accountant import Ledger, LedgerError\n"
        "try: Ledger.open('postgresql://nobody@nowhere/nothing')\n"
        "except LedgerError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "run pip install 'privacy-accountant[postgres]'" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_database_that_cannot_be_reached_is_one_error() -> None:
    with pytest.raises(LedgerError, match=r"the database postgresql\+psycopg://nobody:\*\*\*@.* refuses"):
        Place("postgresql://nobody:secret@/nothing?host=/nonexistent").open()
