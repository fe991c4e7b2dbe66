"""`accountant init`: a first plan from a few questions."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accountant.cli.options import completed, json_option, plugin_options, registry_of
from accountant.cli.output import say, say_json, visible, working, write_whole

if TYPE_CHECKING:
    from accountant.plan.plan import Plan
    from accountant.registry.registry import Registry
    from accountant.values.family import Family


@click.command("init", short_help="Begin a plan by answering a few questions.")
@click.argument("file", default="plan.toml", metavar="[FILE]", type=click.Path(path_type=Path))
@click.option("--title", metavar="TEXT", help="What the plan is called; the name of the file by default.")
@click.option("--unit", metavar="TEXT", help="Whose data is protected, such as person or household.")
@click.option(
    "--neighbours",
    metavar="NAME",
    shell_complete=completed("neighbour_names"),
    help="Which datasets are compared, such as add-remove.",
)
@click.option("--release", "name", metavar="TEXT", help="What the first release is called.")
@click.option("--query", metavar="KIND", help='What is released, such as "histogram attributes=age,sex".')
@click.option("--mechanism", metavar="KIND", help="The noise; just enough where its size is left out.")
@click.option("--times", metavar="NUMBER", help="How often it is released; once by default.")
@click.option(
    "--budget",
    metavar="PARAMETER",
    shell_complete=completed("definition_names"),
    help="What must not be exceeded, as compare takes it.",
)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@json_option
@plugin_options
def command(
    file: Path, force: bool, as_json: bool, disabled: tuple[str, ...], allowed: tuple[str, ...], **answers: str | None
) -> None:
    """Write a first plan to FILE, plan.toml by default, that keeps its budget, with a comment on every line.

    On a terminal, what no option says is asked. Elsewhere, and with --json, it gets a default: the kinds that are
    registered first, and just enough noise. Kinds are written with their values, name=value, lists with commas.

    \b
    Examples:
      accountant init survey.toml
      accountant init survey.toml --query "histogram attributes=age,sex" --mechanism gaussian --budget "zcdp rho=0.1"
      accountant init run.toml --query "sum lower=0 upper=100" --mechanism "laplace scale=250" --budget "pure epsilon=0.5"

    \b
    Exit status:
      0  a plan that keeps its budget is written
      2  bad input, or noise that does not keep the budget; nothing is written
    """
    from accountant.analysis.beginning import begin
    from accountant.errors import AccountantError
    from accountant.plan.commented import commented

    if file.suffix.lower() == ".json":
        raise AccountantError(f"cannot write {file}: a plan with comments is TOML; give a name that ends in .toml")
    if file.exists() and not force:
        raise AccountantError(f"cannot write {file}: it is there already; give another name, or --force to replace it")
    registry = registry_of(disabled, allowed)
    asks = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    data = _data(_completed(answers, file, registry, asks=asks), registry)
    with working("looking for just enough noise"):
        plan = begin(data, registry=registry)
    following = f"accountant certify {shlex.quote(str(file))}"
    write_whole(file, f"# Change what you like. Then: {visible(following)}\n\n{commented(plan, registry)}")
    if as_json:
        say_json({"file": str(file), "plan": plan.as_data(), "next": following})
    else:
        _print(plan, file, following)


def _print(plan: Plan, file: Path, following: str) -> None:
    from accountant.values.writing import in_words

    say(f"KEPT: {visible(str(file))} keeps {'; '.join(visible(str(budget)) for budget in plan.specification.budgets)}")
    for release in plan.as_data()["release"]:
        query = f" on {visible(in_words(release['query'], 60))}" if "query" in release else ""
        say(f"  {visible(release['name'])}: {visible(in_words(release['mechanism'], 60))}{query}")
    say(f"Next: {visible(following)}")


# What is asked --------------------------------------------------------------------------------------------------------


def _completed(answers: Mapping[str, str | None], file: Path, registry: Registry, *, asks: bool) -> dict[str, str | None]:
    """The answers with what was left out: asked for on a terminal, otherwise as usual."""
    from accountant.promise.divergence import DIVERGENCES
    from accountant.promise.neighbours import NEIGHBOURS
    from accountant.release.query import QUERIES
    from accountant.release.release import MECHANISMS

    found = dict(answers)

    def ask(name: str, question: str, usual: str, check: Callable[[str], str] = str) -> None:
        if found[name] is None:
            found[name] = usual if not asks else _asked(question, usual, check)

    def kind(name: str, question: str, family: Family[Any], usual: str, *, whole: bool = True) -> None:
        if asks and found[name] is None:
            say(f"  {family.name}: {', '.join(sorted(_offered(family, registry)))}")
        ask(name, question, usual, lambda text: _known(text, family, registry, whole=whole))

    ask("title", "What is the plan called", file.stem or "plan")
    ask("unit", "Whose data is protected: one", _usual_unit())
    kind("neighbours", "Which datasets are compared", NEIGHBOURS, next(iter(registry[NEIGHBOURS]), ""), whole=False)
    ask("name", "What is the first release called", "first release")
    kind("query", "What is it, such as 'KIND name=value'", QUERIES, next(iter(registry[QUERIES]), ""))
    if asks:
        kind("mechanism", "Which noise; nothing for the first that serves", MECHANISMS, "", whole=False)
    kind("budget", "What must not be exceeded", DIVERGENCES, _usual_budget(registry))
    return found


def _offered(family: Family[Any], registry: Registry) -> list[str]:
    """What an answer may be, with the values that must be given: of mechanisms those that are applied to a query."""
    return [
        " ".join([name, *(f"{value}=" for value in _needed(item))])
        for name, item in registry[family].items()
        if getattr(item, "needs_query", True)
    ]


def _needed(item: Any) -> list[str]:
    """The fields of a kind, or of the parameter of a definition, that have no default."""
    import attrs

    cls = item if isinstance(item, type) else getattr(item, "parameter", None)
    members = () if cls is None else attrs.fields(cls)
    return [member.alias or member.name for member in members if member.default is attrs.NOTHING]


def _asked(question: str, usual: str, check: Callable[[str], str]) -> str:
    """What is answered on the terminal; an answer that fails the check is asked for again."""
    from accountant.errors import AccountantError

    def value(text: str) -> str:
        try:
            return check(text)
        except AccountantError as error:
            raise click.UsageError(visible(str(error))) from error

    answer: str = click.prompt(question, default=usual, show_default=bool(usual), value_proc=value)
    return answer


def _usual_unit() -> str:
    import attrs

    from accountant.promise.neighbours import Neighbours

    return str(attrs.fields(Neighbours).unit.default)


def _usual_budget(registry: Registry) -> str:
    from accountant.analysis.beginning import usual_definition, usual_parameter
    from accountant.promise.divergence import DIVERGENCES

    name = usual_definition(registry)
    values = usual_parameter(registry.find(DIVERGENCES, name))
    return " ".join([name, *(f"{word}={value}" for word, value in values.items())])


def _known(text: str, family: Family[Any], registry: Registry, *, whole: bool) -> str:
    """A text that names a kind of a family, `whole` with all its values, or nothing at all; an error otherwise."""
    from accountant.errors import Fault, PlanError
    from accountant.values.reading import Reader

    if not text.strip():
        return text
    name = text.split()[0]
    item: Any = registry.find(family, name)
    try:
        table = _table(text, family, "kind", registry)
    except ValueError as error:
        raise PlanError((Fault(str(error), name),)) from error
    reader = Reader()
    if whole:
        reader.value(item if family.classes else item.parameter, table, name, besides=("kind",))
    if reader.faults:
        raise PlanError(tuple(reader.faults))
    return text


# What was answered ----------------------------------------------------------------------------------------------------


def _data(answers: Mapping[str, str | None], registry: Registry) -> dict[str, Any]:
    """The answers as plain data, in the form that plan files have; all that cannot be read is said at once."""
    from accountant.errors import Fault, PlanError
    from accountant.promise.divergence import DIVERGENCES
    from accountant.release.query import QUERIES
    from accountant.release.release import MECHANISMS

    faults: list[Fault] = []

    def table(option: str, family: Family[Any], key: str) -> dict[str, Any]:
        try:
            return _table(answers[option] or "", family, key, registry)
        except ValueError as error:
            faults.append(Fault(str(error), f"--{option}"))
            return {}

    release = {"name": answers["name"], "query": table("query", QUERIES, "kind")}
    if (answers["mechanism"] or "").strip():
        release["mechanism"] = table("mechanism", MECHANISMS, "kind")
    if answers["times"] is not None:
        release["times"] = answers["times"]
    budget = table("budget", DIVERGENCES, "divergence")
    if faults:
        raise PlanError(tuple(faults))
    return {
        "title": answers["title"],
        "specification": {"unit": answers["unit"], "neighbours": answers["neighbours"]},
        "budget": [budget],
        "release": [release],
    }


def _table(text: str, family: Family[Any], key: str, registry: Registry) -> dict[str, Any]:
    """A kind with its values, as a table of a plan: `sum lower=0 upper=10`."""
    words = shlex.split(text)
    if not words:
        raise ValueError(f"expected a kind of {family.word}, one of {', '.join(sorted(registry[family]))}")
    name, *pairs = words
    loose = next((pair for pair in pairs if "=" not in pair), None)
    if loose is not None:
        raise ValueError(f"expected 'name=value', got {loose!r}")
    lists = _lists(registry[family].get(name))
    values = (pair.split("=", 1) for pair in pairs)
    return {key: name, **{word: value.split(",") if word in lists else _flag(value) for word, value in values}}


def _lists(item: Any) -> frozenset[str]:
    """The fields of a kind that hold lists."""
    import attrs

    from accountant import fields

    members = attrs.fields(item) if isinstance(item, type) else ()
    return frozenset(m.alias or m.name for m in members if m.converter in (fields.names, fields.exact_list))


def _flag(value: str) -> str | bool:
    return {"true": True, "false": False}.get(value, value)
