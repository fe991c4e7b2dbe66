"""`accountant infer`: what released numbers say about the law that the data come from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from accountant.commands import (
    Form,
    PlanSource,
    answers,
    folder_option,
    json_option,
    plan_argument,
    say,
    say_json,
    say_under,
    visible,
    working,
)

if TYPE_CHECKING:
    from accountant_posterior.inference.answer import Inference, Inferred


def _answer() -> dict[str, Any]:
    from accountant_posterior.inference.answer import schema

    return schema()


@answers(_answer)
@click.command("infer", short_help="Infer what data are like from noisy statistics of them.")
@plan_argument
@click.argument("observed", metavar="OBSERVED", type=click.Path())
@click.option("--prior", "priors", multiple=True, metavar="PRIOR", help="What is believed beforehand; flat by default.")
@click.option("--also", multiple=True, metavar="PRIOR", help="Answer under this prior too, and say how far that moves it.")
@click.option(
    "--public", metavar="PUBLIC", type=click.Path(), help="Public figures with standard errors, beside the noisy ones."
)
@click.option(
    "--baseline",
    "methods",
    multiple=True,
    type=click.Choice(["augmentation", "approximation"]),
    help="Answer by this method of the literature too; repeatable.",
)
@click.option("--size", type=click.IntRange(1), metavar="COUNT", help="Among how many records counts and sums are; public.")
@click.option(
    "--draws",
    type=click.IntRange(1000, 10**7),
    default=100_000,
    metavar="COUNT",
    help="How many draws to make at least; 100000 by default.",
)
@click.option("--level", default="0.95", metavar="SHARE", help="What credible intervals hold; 0.95 by default.")
@click.option("--seed", type=click.IntRange(0), metavar="NUMBER", help="Repeat what was drawn with this seed.")
@folder_option("Write draws, a page and figures here.")
@click.option("--format", "form", type=click.Choice(["parquet", "csv"]), default="parquet", help="How draws are written.")
@json_option
def command(
    plan: PlanSource,
    observed: str,
    priors: tuple[str, ...],
    also: tuple[str, ...],
    public: str | None,
    methods: tuple[str, ...],
    size: int | None,
    draws: int,
    level: str,
    seed: int | None,
    output: Path | None,
    form: str,
    as_json: bool,
) -> int:
    """Infer the law behind the data from the numbers in OBSERVED, which were released as PLAN says.

    OBSERVED is TOML or JSON with the released number of each release by its name, or a CSV file with the columns release
    and value. A mean and a variance of the same attributes, bounds and size belong together; a proportion, or with --size
    a count, stands by itself. A cross-product, whose first column is of ones and whose last is the response, has a list of
    numbers and gives a regression. Noise may be Laplace or Gaussian, and for counts and cross-products geometric or
    discrete Gaussian. The noise and the bounds of the data are part of the model. This is no statement about privacy.

    PUBLIC names releases too, each with a value and a standard error that a public source states of the same statistic, as
    in {"income": {"value": 31, "error": 2}}, or is a CSV file with the columns release, value and error.

    \b
    Priors:
      flat                                     mean and variance alike over all that are possible (the default)
      flat:POWER                               the density falls like the variance to minus this power
      conjugate:MEAN,VARIANCE[,WEIGHT[,WEIGHT]]  as if so many values had been seen with them, 1 by default
      beta:YES,NO                              for shares and counts; beta:1,1 is the default
      line:STEEPNESS,POWER                     for regressions; weak, line:2,0 is the default
      line-flat:POWER                          for regressions, flat in all coefficients
      line-conjugate:WEIGHT,SHAPE,RATE,COEFFICIENT,...  for regressions, the usual one for exact data
      usual                                    with --also: several that people hold

    \b
    Examples:
      accountant infer survey.toml released.toml
      accountant infer survey.toml released.csv --prior conjugate:12.5,14.44 --draws 400000 --seed 7
      accountant infer survey.toml '{"smokers": 212}' --size 1000 --prior beta:1/2,1/2 --output found
      accountant infer fit.toml released.toml --size 400 --also usual --public survey.csv
      accountant infer fit.toml released.toml --size 400 --baseline augmentation --baseline approximation

    \b
    Exit status:
      0  the draws are settled
      1  they are not: chains disagree, or are worth fewer than 400 independent draws; ask for more
      2  bad input, or a prior that has no posterior; nothing is written
    """
    import secrets

    from accountant import InvalidValue, fields
    from accountant_posterior.inference.answer import data_of, infer_all
    from accountant_posterior.inference.baselines.problems import by_others
    from accountant_posterior.inference.believed import read_priors, under_others
    from accountant_posterior.inference.observed import problems_of
    from accountant_posterior.inference.output import write_inference
    from accountant_posterior.inference.public import read_public
    from accountant_posterior.inference.released import read_observed

    share = fields.exact(level)
    if not 0 < share < 1:
        raise InvalidValue(f"--level is a share between 0 and 1, got '{visible(level)}'")
    believed = read_priors(priors)
    loaded, source = plan.plan(), PlanSource(observed)
    figures = {} if public is None else read_public(PlanSource(public))
    problems = problems_of(loaded, read_observed(source), believed, size, str(source), figures)
    others, baselines = under_others(problems, also), by_others(problems, methods)
    with working(f"drawing from what {visible(str(source))} says"):
        number = secrets.randbits(63) if seed is None else seed
        found = infer_all(loaded.title, problems, number, draws, float(share), others, baselines)
        if output is not None:
            write_inference(found, output, cast("Form", form))
    if as_json:
        say_json({**data_of(found), **({} if output is None else {"output": str(output)})})
    else:
        _print(found, output)
    return 0 if found.settled else 1


def _print_beside(item: Inferred, wide: int) -> None:
    """How far intervals move with the prior."""
    from accountant_posterior.inference.answer import shown

    for other in item.beside:
        say_under("also prior", f"{other.problem.believed}{_told(other)}", wide=wide)
        for one in other.parameters:
            low, high = map(shown, one.interval)
            say_under(one.name, f"between {low} and {high}; mean {shown(one.mean)}", wide=wide)
    for place, one in enumerate(item.parameters if item.beside else ()):
        low, high = (f"{shown(least)} to {shown(most)}" for least, most in item.moved(place))
        say_under("moves", f"over these priors {one.name} begins at {low} and ends at {high}", wide=wide)


def _told(other: Inferred) -> str:
    return "" if other.settled else "; NOT SETTLED, its numbers may be off"


def _print_baselines(item: Inferred, wide: int) -> None:
    """What methods of the literature find, and how fast each draws."""
    from accountant_posterior.inference.answer import shown

    for other in item.baselines:
        say_under("baseline", f"{other.problem.model}{_told(other)}", wide=wide)
        for one in other.parameters:
            low, high = map(shown, one.interval)
            worth = f"worth {one.effective_size:,.0f} draws, split R-hat {one.r_hat:.3f}"
            say_under(one.name, f"between {low} and {high}; mean {shown(one.mean)}; {worth}", wide=wide)
    for method in (item, *item.baselines) if item.baselines else ():
        words = "ours" if method is item else method.problem.model.partition(":")[0]
        size = min(parameter.effective_size for parameter in method.parameters)
        told = f"{size / max(method.seconds, 1e-9):,.0f} effective draws a second of this processor"
        say_under("speed", f"{words}: {told}, for the parameter that has fewest", wide=wide)


def _print(inference: Inference, output: Path | None) -> None:
    from accountant_posterior.inference.answer import LABEL, SHARES, rough, shown

    verdict = "settled" if inference.settled else "NOT SETTLED, ask for more with --draws"
    say(f"{LABEL.replace('inference', 'INFERENCE')}: {verdict}")
    for item in inference.found:
        wide = max(12, *(len(one.name) + 2 for one in item.parameters))
        say_under("from", " and ".join(item.problem.releases), wide=wide)
        say_under("model", item.problem.model, wide=wide)
        say_under("prior", item.problem.believed, wide=wide)
        for one in item.parameters:
            low, high = map(shown, one.interval)
            holds = f"{100 * inference.level:g} % between {low} and {high}"
            say_under(
                one.name, f"{holds}; mean {shown(one.mean)} (error {rough(one.error)}), mode {shown(one.mode)}", wide=wide
            )
            quantiles = (f"{shown(value)} ({100 * share:g} %)" for share, value in zip(SHARES, one.quantiles, strict=True))
            say_under("quantiles", ", ".join(quantiles), wide=wide)
            worth = f"{one.draws.size:,}, worth {one.effective_size:,.0f} independent ones; split R-hat {one.r_hat:.3f}"
            say_under("draws", worth, wide=wide)
        _print_beside(item, wide)
        _print_baselines(item, wide)
    say_under("seed", f"{inference.seed}", wide=12)
    if output is not None:
        say_under("written", visible(str(output)), wide=12)
