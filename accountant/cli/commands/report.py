"""`accountant report`: write what a plan means, for the public, for policy or for technical readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from accountant.cli.failure import caution
from accountant.cli.options import Registered, completed, json_option, plugin_options, registry_of
from accountant.cli.output import say, say_json, visible, working, write_whole
from accountant.cli.sources import SOURCE, PlanSource
from accountant.progress import stage
from accountant.report.interface import RENDERERS, REPORTS
from accountant.values.hygiene import harmless

if TYPE_CHECKING:
    from accountant.certificate.certificate import Certificate
    from accountant.plan.plan import Plan
    from accountant.registry.registry import Registry
    from accountant.values.family import Family

_STANDARD_OUTPUT = Path("-")


def _choices(registry: Registry) -> list[click.Option]:
    """For whom, and in which form: whatever is registered."""
    from accountant.report.interface import RENDERERS, REPORTS

    return [
        _choice("--audience", "-a", "audience", REPORTS, {name: item.usual for name, item in registry[REPORTS].items()}),
        _choice("--format", "-f", "form", RENDERERS, {name: item.usual for name, item in registry[RENDERERS].items()}),
    ]


def _choice(option: str, short: str, name: str, family: Family[Any], usual: Mapping[str, bool]) -> click.Option:
    first, *others = sorted(usual, key=lambda item: not usual[item])
    *more, last = [f"{first} (the default)", *others]
    words = f"{', '.join(more)} or {last}." if more else f"{last}."
    offered = completed("registered", family)
    return click.Option([option, short, name], default=first, metavar="NAME", help=words, shell_complete=offered)


@click.command(
    "report", cls=Registered.kind("source", _choices), short_help="Write what a plan means, for one kind of reader."
)
@click.argument("source", metavar="PLAN|CERTIFICATE", type=SOURCE)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write; '-' prints it. Beside the plan by default, survey.toml giving survey.public.html.",
)
@click.option(
    "--language",
    "-l",
    default="en",
    metavar="NAME",
    shell_complete=completed("language_names"),
    help="en (the default), or es for Spanish.",
)
@json_option
@plugin_options
def command(
    source: PlanSource,
    audience: str,
    form: str,
    output: Path | None,
    language: str,
    as_json: bool,
    disabled: tuple[str, ...],
    allowed: tuple[str, ...],
) -> None:
    """Write what the releases of a plan mean, in the words and numbers of one kind of reader.

    Given a certificate, the plan is taken from it, and the certificate is recomputed: one that does not follow from its
    plan is refused.

    The public reads in plain words how much could be learned about one person, policy makers read the numbers with
    their assumptions, and technical readers the theorems and derivations. All numbers are rounded outward: what is
    said to be at most so much is. An HTML report is one file that needs nothing else, with a table behind every figure.

    Who publishes it, when and whom to ask is taken from the plan's [publication]. The page links to the plan and the
    certificate by their names: publish both beside it.

    \b
    Examples:
      accountant report survey.toml
      accountant report survey.toml --audience policy --output policy.html
      accountant report survey.certificate.json --audience policy
      accountant report survey.toml --audience technical --format markdown --output -
      accountant report survey.toml --language es

    \b
    Exit status:
      0  the report is written, whatever it says
      2  bad input; nothing is written
    """
    from accountant.certificate.certify import certify
    from accountant.certificate.verification import verify
    from accountant.errors import AccountantError, CertificateError, PlanError
    from accountant.report import Edition, making
    from accountant.values.reading import Reader

    registry = registry_of(disabled, allowed)
    reader = Reader()
    report = reader.attempt("--audience", registry.find, REPORTS, audience)
    renderer = reader.attempt("--format", registry.find, RENDERERS, form)
    if report is not None:
        reader.attempt("--language", report.check_language, language)
    try:
        plan, stated = _read(source, registry)
    except PlanError as error:
        raise PlanError((*reader.faults, *error.faults)) from error
    if report is None or renderer is None or reader.faults:
        raise PlanError(tuple(reader.faults))
    told = audience if language == "en" else f"{audience}.{language}"
    target = output if output is not None else _beside(source, f".{told}{renderer.suffix}")
    if source.is_file(target):
        raise AccountantError(f"cannot write {target}: it is what the report is about")
    caution(plan.warnings)
    with working(f"writing about {len(plan.releases):,} releases"):
        with stage(0.0, 0.5):
            certificate = certify(plan, registry=registry)
        if stated is not None and stated != certificate and verify(stated, plan, registry=registry).differences:
            raise CertificateError(
                f"{source} does not follow from its plan as recomputed here; 'accountant verify' lists every difference"
            )
        beside = tuple(_others(target, audience, registry))
        with making(Edition(language, *_files(source, stated is not None), beside)):
            content = harmless(renderer.render(report.build(stated or certificate, certificate.account)))
    if target == _STANDARD_OUTPUT:
        click.echo(content.encode(), nl=False)
        return
    write_whole(target, content)
    if as_json:
        say_json({"report": str(target), "audience": audience, "format": form})
    else:
        say(f"Report: {visible(str(target))}")


def _read(source: PlanSource, registry: Registry) -> tuple[Plan, Certificate | None]:
    """The plan in a file, and the certificate that it was in if it was in one."""
    from accountant.certificate.certificate import Certificate
    from accountant.plan.reader import load_plan

    written = source.written()
    if written.language == "json":
        data = written.data()
        # Certificates say what they are, of whatever version; plans do not.
        if isinstance(data, dict) and "format" in data:
            certificate = Certificate.parse(written.content)
            return certificate.plan(registry=registry), certificate
    return load_plan(written, registry=registry), None


def _files(source: PlanSource, certified: bool) -> tuple[str | None, str | None]:
    """What the plan and its certificate are called, where that is known, for those who check the report."""
    if source.path is None:
        return None, None
    name = source.path.name
    if not certified:
        return name, _beside(source, ".certificate.json").name
    beside = (_beside(source, suffix) for suffix in (".toml", ".json"))
    return next((path.name for path in beside if path.is_file()), None), name


def _others(target: Path, audience: str, registry: Registry) -> Iterator[tuple[str, str]]:
    """The reports for other readers that lie beside this one, by audience, where names say which they are."""
    marked = f".{audience}."
    if marked in target.name:
        before, _, after = target.name.rpartition(marked)
        for name in registry[REPORTS]:
            other = target.with_name(f"{before}.{name}.{after}")
            if name != audience and other.is_file():
                yield name, other.name


def _beside(source: PlanSource, suffix: str) -> Path:
    """The plan's name, or that of the plan that a certificate was named after, with another ending."""
    from accountant.errors import AccountantError

    path = source.path
    if path is None:
        raise AccountantError(f"there is no file beside {source}: say where to write with --output; '-' prints it")
    named_after = path.name.removesuffix(".certificate.json")
    return path.with_name((named_after if named_after != path.name else path.stem) + suffix)
