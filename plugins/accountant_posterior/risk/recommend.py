"""`accountant recommend`: the largest epsilon that a risk profile admits, and what it leaves of a count."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from accountant.commands import Form, PlanSource, answers, folder_option, json_option, say, say_json, visible

if TYPE_CHECKING:
    from accountant import Interval, Recommendation
    from accountant.plugin import RiskProfile
    from accountant_posterior.risk.profile import Profile

_DIGITS = 10


def _answer() -> dict[str, Any]:
    from accountant_posterior.risk.answer import ANSWER

    return ANSWER


def _complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Kinds of risk profiles, and files."""
    from accountant import default_registry
    from accountant.plugin import RISK_PROFILES

    kinds = [name for name in sorted(default_registry()[RISK_PROFILES]) if name.startswith(incomplete)]
    return [*map(CompletionItem, kinds), CompletionItem(incomplete, type="file")]


@answers(_answer)
@click.command("recommend", short_help="Find the largest epsilon that keeps a risk profile.")
@click.argument("profile", metavar="PROFILE", shell_complete=_complete)
@click.argument("parameters", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--delta", metavar="NUMBER", help="Also epsilon of approximate differential privacy at this delta.")
@click.option("--releases", metavar="COUNT", help="Also epsilon of each of so many equal releases.")
@click.option("--each", metavar="NUMBER", help="The delta of each of them; 0 by default.")
@click.option("--over", multiple=True, metavar="KEY=A,B,...", help="A table over values of a parameter; repeatable.")
@click.option(
    "--distance",
    "distances",
    multiple=True,
    type=int,
    metavar="COUNT",
    help="How far a count is from a threshold; repeatable.",
)
@folder_option("Write curves over all priors here.")
@click.option(
    "--format", "form", type=click.Choice(["csv", "parquet"]), default="csv", help="How the curves' table is written."
)
@json_option
def command(
    profile: str,
    parameters: tuple[str, ...],
    delta: str | None,
    releases: str | None,
    each: str | None,
    over: tuple[str, ...],
    distances: tuple[int, ...],
    output: Path | None,
    form: Form,
    as_json: bool,
) -> None:
    """Find the largest epsilon of pure differential privacy that keeps PROFILE, whatever attackers believe beforehand.

    PROFILE is a kind of risk profile and KEY=VALUE its parameters, as a plan states them: constant, fixed-disclosure,
    fixed-membership, box, difference, two-dimensional, point, lee-clifton or table. Epsilons are rounded down: what is
    printed is admissible. A profile that may fail (failure=...) also says which rho of zero-concentrated differential
    privacy is.

    PROFILE may also be a plan, a file that ends in .toml or .json, '-' for standard input or JSON itself: then each of its
    risk profiles is read. The plan need not say yet what is released.

    The table shows what epsilon leaves of a count with geometric noise: its standard deviation, how often it is exact, and
    with --distance how often it lands on the wrong side of a threshold. With --output a folder is written that draws, over
    all priors, what profiles tolerate and which epsilon that admits there, and of several profiles what each leaves of a
    count: a page, figures and a table.

    \b
    Examples:
      accountant recommend difference at_most=0.05
      accountant recommend difference at_most=0.2 adversary=strong failure=0.01 --delta 1e-6 --releases 12
      accountant recommend fixed-disclosure disclosure=1 ratio=5 posterior=0.5 --distance 1 --distance 2
      accountant recommend fixed-disclosure disclosure=1 ratio=5 --over ratio=1.2,2,5 --over posterior=0,0.25 --json
      accountant recommend fixed-disclosure disclosure=1 posterior=0.25 --over ratio=1.5,3,6 --output profiles
      accountant recommend survey.toml
    """
    if profile.lower().endswith((".toml", ".json")) or PlanSource(profile).path is None:
        title, read = _of_plan(profile, (*parameters, *over))
        recommended = [{"profile": item.kind, **_data(item, {}, delta, releases, each, distances)} for item in read]
        answer: dict[str, Any] = {"plan": title, "recommendations": recommended}
        _drawn([(item.kind, item) for item in read], output, form, answer, distances)
        if as_json:
            say_json(answer)
            return
        for item, data in zip(read, recommended, strict=True):
            say(f"{item.kind}: {item.words}")
            _print(data)
            _print_table([data], (), distances)
        return
    stated = _parameters(parameters)
    grid = _grid(over)
    rows = [(words, _built(profile, {**stated, **words})) for words in grid]
    found = [_data(built, words, delta, releases, each, distances) for words, built in rows]
    answer = {"profile": profile, "parameters": stated, "recommendations": found}
    labels = [", ".join(f"{key} {value}" for key, value in words.items()) or profile for words, _ in rows]
    _drawn(list(zip(labels, (built for _, built in rows), strict=True)), output, form, answer, distances)
    if as_json:
        say_json(answer)
        return
    if not over:
        _print(found[0])
    _print_table(found, tuple(grid[0]), distances)


def _drawn(
    profiles: Sequence[tuple[str, Profile]],
    output: Path | None,
    form: Form,
    answer: dict[str, Any],
    distances: tuple[int, ...],
) -> None:
    """Write the curves of profiles, where that is asked for."""
    if output is not None:
        from accountant_posterior.risk.curves import write_curves

        write_curves(profiles, output, form, answer, distances)


def _parameters(words: Sequence[str]) -> dict[str, str]:
    from accountant import InvalidValue

    stated: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if key == "kind":
            raise InvalidValue(f"the kind is PROFILE, the first argument; got '{visible(word)}' beside it")
        if not (key and sign and value):
            raise InvalidValue(f"expected KEY=VALUE, got '{visible(word)}'; write for example ratio=3")
        if key in stated:
            raise InvalidValue(f"'{visible(key)}' is given twice")
        stated[key] = value
    return stated


def _grid(over: Sequence[str]) -> list[dict[str, str]]:
    axes = [[(key, value) for value in values.split(",")] for key, values in _parameters(over).items()]
    return [dict(words) for words in itertools.product(*axes)]


def _built(kind: str, stated: Mapping[str, str]) -> Profile:
    """The profile of a kind, read as a plan reads it."""
    from accountant import read_plan

    risk: dict[str, Any] = {"kind": kind, **{key: _value(key, value) for key, value in stated.items()}}
    plan = read_plan({"title": kind, "specification": {"neighbours": "add-remove"}, "risk": risk}, may_be_empty=True)
    (profile,) = plan.risks
    return _ours(profile)


def _of_plan(source: str, words: Sequence[str]) -> tuple[str, list[Profile]]:
    """The title of a plan, and its risk profiles, if they are meant for its neighbours."""
    from accountant import InvalidValue

    if words:
        raise InvalidValue(f"a plan states its profiles itself; leave '{visible(words[0])}' out")
    given = PlanSource(source)
    plan = given.plan(may_be_empty=True)
    if not plan.risks:
        raise InvalidValue(f"'{visible(str(given))}' states no risk profile; add a [risk] table, or name a kind of profile")
    found = [_ours(profile) for profile in plan.risks]
    for profile in found:
        profile.check(plan.specification.neighbours)
    return plan.title, found


def _ours(profile: RiskProfile) -> Profile:
    from accountant import InvalidValue
    from accountant_posterior.risk.profile import Profile

    if not isinstance(profile, Profile):
        raise InvalidValue(f"'{profile.kind}' comes from another plugin, which says itself what it admits")
    return profile


def _value(key: str, text: str) -> Any:
    """A number or a word as it stands; a list as TOML writes it."""
    import tomllib

    from accountant import InvalidValue

    if not text.startswith("["):
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError as error:
        raise InvalidValue(f"{visible(key)}: '{visible(text)}' is no list as TOML writes it: {error}") from error


def _data(
    profile: Profile,
    words: Mapping[str, str],
    delta: str | None,
    releases: str | None,
    each: str | None,
    distances: tuple[int, ...],
) -> dict[str, Any]:
    from accountant import InvalidValue
    from accountant_posterior.risk.budgets import admitted_epsilon, admitted_rho, per_release
    from accountant_posterior.risk.utility import utility

    found = profile.recommend()
    data: dict[str, Any] = {**({"over": dict(words)} if words else {}), **_recommended(profile, found)}
    if delta is not None:
        data["approx"] = {"delta": delta, "epsilon": _ends(admitted_epsilon(profile, delta))}
    if profile.failure:
        data["zcdp"] = {"rho": _ends(admitted_rho(profile))}
    if each is not None and releases is None:
        raise InvalidValue("--each is the delta of each release; say how many with --releases")
    if releases is not None:
        split = per_release(profile, releases, delta or 0, each or 0)
        at_delta = {} if delta is None else {"advanced": split.advanced, "optimal": split.optimal}
        ways = {"basic": split.basic, **at_delta, "curve": split.curve}
        own = {} if each is None else {"each": each}
        data["releases"] = {"count": releases, **own, **{name: _ends(value) for name, value in ways.items() if value.upper}}
    if 0.0 < found.epsilon.lower < math.inf:
        left = utility(found.epsilon.lower, distances)
        turned = [f"{chance:.{_DIGITS}g}" for chance in left.turned]
        figures = {"deviation": left.deviation, "unchanged": left.unchanged}
        data["count"] = {**{name: f"{figure:.{_DIGITS}g}" for name, figure in figures.items()}, "turned": turned}
    return data


def _recommended(profile: Profile, found: Recommendation) -> dict[str, Any]:
    from accountant_posterior.semantics.odds import written

    return {
        "adversary": profile.adversary,
        "neighbours": profile.neighbours,
        "epsilon": _ends(found.epsilon),
        "membership": None if found.membership is None else written(found.membership),
        "disclosure": None if found.disclosure is None else written(found.disclosure),
        "theorem": found.theorem.name,
        "remarks": list(found.remarks),
    }


def _ends(value: Interval) -> dict[str, str]:
    """Both ends as decimals, rounded outward."""
    lower, upper = value.rounded(_DIGITS)
    return {"lower": lower, "upper": upper}


def _down(ends: Mapping[str, str]) -> str:
    """The admissible end, rounded down."""
    from accountant import Interval

    return "inf" if ends["lower"] == "inf" else Interval.of(ends["lower"]).rounded(6)[0]


_COMPOSED = {
    "basic": "by basic composition",
    "advanced": "by advanced composition",
    "optimal": "by optimal composition at that delta",
    "curve": "by optimal composition at any delta",
}


def _print(data: Mapping[str, Any]) -> None:
    say(f"epsilon = {_down(data['epsilon'])}")
    say(f"  against:  the {data['adversary']} adversary, between {data['neighbours']} neighbours")
    beliefs = [f"{name} {data[name]}" for name in ("membership", "disclosure") if data[name] is not None]
    if beliefs:
        say(f"  decided:  at {' and '.join(beliefs)}")
    for remark in data["remarks"]:
        say(f"  remark:   {remark}")
    if "approx" in data:
        say(f"  approx:   epsilon = {_down(data['approx']['epsilon'])} at delta = {visible(data['approx']['delta'])}")
    if "zcdp" in data:
        say(f"  zcdp:     rho = {_down(data['zcdp']['rho'])}")
    if "releases" in data:
        split = dict(data["releases"])
        count = split.pop("count")
        each = split.pop("each", None)
        say(f"  releases: epsilon of each of {visible(count)}" + (", pure" if each is None else f", delta {visible(each)}"))
        for name, value in split.items():
            say(f"    {_down(value)} {_COMPOSED[name]}")


def _print_table(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], distances: Sequence[int]) -> None:
    head = [*keys, "epsilon", "sd", "exact", *(f"turned at {distance}" for distance in distances)]
    lines = [
        [
            *(row["over"][key] for key in keys),
            _down(row["epsilon"]),
            *(_figures(row["count"]) if "count" in row else ["-"] * (2 + len(distances))),
        ]
        for row in rows
    ]
    widths = [max(len(line[place]) for line in [head, *lines]) for place in range(len(head))]
    for line in [head, *lines]:
        say("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def _figures(count: Mapping[str, Any]) -> list[str]:
    return [f"{float(number):.5g}" for number in (count["deviation"], count["unchanged"], *count["turned"])]
