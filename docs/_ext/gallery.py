"""The gallery: figures and reports made from the examples while the documentation is built.

A page asks for them with `<!-- gallery: figures -->` and `<!-- gallery: reports -->`. `python docs/_ext/gallery.py` draws
the first figure for the front pages, which are read without a build.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
from attrs import frozen

import accountant as ac
from accountant.plugin import RENDERERS, REPORTS
from accountant.report import Edition, making

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sphinx.application import Sphinx

mpl.use("svg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).parents[2]
PLANS = ("survey", "census-2020")
THEMES = {"light": "default", "dark": "dark_background"}
MARKER = re.compile(r"^<!-- gallery: (?P<part>[a-z]+) -->$", re.MULTILINE)
_ORDERS = [Fraction(order, 4) for order in range(5, 65)]


@frozen
class Drawn:
    """A figure: what it is called, what it shows, and how it is drawn on axes."""

    name: str
    shows: str
    draw: Callable[[Axes], None]

    def files(self) -> dict[str, str]:
        """For each theme, the file that the figure is written to."""
        return {theme: f"{self.name}-{theme}.svg" for theme in THEMES}

    def write(self, directory: Path) -> None:
        """Draw it for light and for dark pages, without anything that changes from day to day."""
        directory.mkdir(parents=True, exist_ok=True)
        for theme, file in self.files().items():
            with plt.style.context(THEMES[theme]), mpl.rc_context({"svg.hashsalt": self.name}):
                figure, axes = plt.subplots(figsize=(7.2, 3.8), layout="constrained")
                self.draw(axes)
                axes.legend(frameon=False)
                axes.spines[["top", "right"]].set_visible(False)
                figure.savefig(directory / file, transparent=True, metadata={"Date": None})
                plt.close(figure)


# What is drawn for light pages is drawn again for dark ones, and computed once.
@cache
def _training(noise_multiplier: str = "1.1") -> ac.Account:
    return ac.dp_sgd(noise_multiplier=noise_multiplier, sample_rate="0.01", steps=10_000)


@cache
def _trained(definition: str, noise_multiplier: str = "1.1") -> ac.Curve:
    return _training(noise_multiplier).curve(definition)


@cache
def _moments() -> list[tuple[float, float]]:
    """Orders, and what Renyi divergences of one training run are at most."""
    renyi = _training().lens("renyi")
    return [(float(order), renyi.gamma(order=order).upper) for order in _ORDERS]


@cache
def _surveyed(claimed: bool) -> ac.Curve:
    """Epsilon at every delta of a survey, with the claim of a vendor or without it."""
    data = ac.load_plan(ROOT / "examples" / "survey.toml").as_data()
    known = [release for release in data["release"] if claimed or release["mechanism"]["kind"] != "claim"]
    return ac.account({**data, "release": known}).curve("approx")


def _training_run(axes: Axes) -> None:
    """Epsilon at every delta of one training run, and what the usual route by Renyi divergences makes of it."""
    curve, bounds = _trained("approx"), _moments()
    curve.plot(axes, label="read off the loss, both ends")
    deltas = curve.places
    # mironov2017renyi, Proposition 3, and canonne2020discrete, Proposition 12.
    classic = [min(value + log(1 / delta) / (order - 1) for order, value in bounds) for delta in deltas]
    improved = [
        min(value + log(1 - 1 / order) - (log(delta) + log(order)) / (order - 1) for order, value in bounds)
        for delta in deltas
    ]
    axes.plot(deltas, classic, ":", label="by Rényi divergences, classic")
    axes.plot(deltas, improved, "--", label="by Rényi divergences, improved")
    axes.set_title("10,000 steps of DP-SGD: noise multiplier 1.1, sample rate 0.01", fontsize="medium")


def _power(axes: Axes) -> None:
    """How well any test can tell whether one example was trained on, for three amounts of noise."""
    for noise in ("0.8", "1.1", "2"):
        _trained("fdp", noise).plot(axes, label=f"noise multiplier {noise}")


def _several(axes: Axes) -> None:
    """Epsilon at every delta of a survey's releases, with and without the claim of a vendor."""
    _surveyed(claimed=True).plot(axes, label="all releases, one of them a claim")
    _surveyed(claimed=False).plot(axes, label="without the claim")


FIGURES = (
    Drawn("training-run", "Epsilon at every delta of a training run, by its loss and by Rényi divergences", _training_run),
    Drawn("power", "The largest power of any test at each level, for three amounts of noise", _power),
    Drawn("survey", "What a claim leaves open: both ends of epsilon, with it and without it", _several),
)


def figures() -> str:
    """The figures, each for light and for dark pages."""
    images = (
        f'<p class="only-{theme}"><img src="gallery/{file}" alt="{figure.shows}"></p>'
        for figure in FIGURES
        for theme, file in figure.files().items()
    )
    return "\n".join(["```{raw} html", *images, "```"])


def reports() -> str:
    """A row for each plan, with its reports and what they are about."""
    about = {"plan": "toml", "certificate": "certificate.json"}
    rows = (
        f"<li>{name}: {_links(_files(name))}; {_links((word, f'{name}.{ending}') for word, ending in about.items())}</li>"
        for name in PLANS
    )
    return "\n".join(["```{raw} html", "<ul>", *rows, "</ul>", "```"])


PARTS = {"figures": figures, "reports": reports}


def expand(source: str) -> str:
    """A page with what it asks of the gallery in place."""
    return MARKER.sub(lambda match: PARTS[match["part"]](), source)


def _links(files: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f'<a href="gallery/{file}">{word}</a>' for word, file in files)


def _files(name: str) -> Iterator[tuple[str, str]]:
    for audience in ac.default_registry()[REPORTS]:
        yield audience, f"{name}.{audience}.html"


def write(directory: Path) -> None:
    """Everything that the gallery shows."""
    for figure in FIGURES:
        figure.write(directory)
    for name in PLANS:
        write_reports(name, directory)


def write_reports(name: str, directory: Path) -> None:
    """The reports about a plan, and beside them what they name: the plan, its tables and its certificate."""
    directory.mkdir(parents=True, exist_ok=True)
    registry = ac.default_registry()
    html = registry.find(RENDERERS, "html")
    plan = ROOT / "examples" / f"{name}.toml"
    for source in (plan, *plan.parent.glob(f"{name}.csv")):
        shutil.copyfile(source, directory / source.name)
    certificate = ac.certify(plan)
    stated = directory / f"{name}.certificate.json"
    stated.write_text(certificate.to_json(), "utf-8")
    files = dict(_files(name))
    for audience, file in files.items():
        others = tuple((other, beside) for other, beside in files.items() if other != audience)
        with making(Edition(plan=plan.name, certificate=stated.name, others=others)):
            report = registry.find(REPORTS, audience)
            (directory / file).write_text(html.render(report.build(certificate, certificate.account)), "utf-8")


def _on_source(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = expand(source[0])


def _on_finished(app: Sphinx, failure: Exception | None) -> None:
    if failure is None and app.builder.format == "html":
        write(Path(app.outdir) / "gallery")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the gallery to the build."""
    app.connect("source-read", _on_source)
    app.connect("build-finished", _on_finished)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    FIGURES[0].write(ROOT / "docs" / "_static")
