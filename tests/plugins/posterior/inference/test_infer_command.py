"""`accountant infer` as it is typed: labelled first, repeatable, one shape with --json, nothing written on bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner, Result
from pyarrow import csv as arrow_csv, parquet

from accountant import InvalidValue
from accountant.cli import main
from accountant_posterior.inference import Flat, MomentsRelease, NoisyMoments
from accountant_posterior.inference.baselines.problems import by_others
from accountant_posterior.inference.problems import MomentsProblem
from tests.plugins.posterior.inference.moments_grid import posterior

pytestmark = pytest.mark.slow

Run = Callable[..., Result]


def release(name: str, query: dict[str, Any], kind: str, **noise: str) -> dict[str, Any]:
    return {"name": name, "query": query, "mechanism": {"kind": kind, **noise}}


VALUES = {"lower": "0", "upper": "100", "size": 43}
PLAN = {
    "title": "Village",
    "specification": {"neighbours": "replace-one"},
    "release": [
        # Epsilons of 1/4 for the mean and, with divisor n - 1, for the variance: 100/43 * 4, and 10,000/43 * 4 * 42/43.
        release("income", {"kind": "mean", **VALUES}, "laplace", scale="400/43"),
        release("spread", {"kind": "variance", **VALUES}, "laplace", scale="1680000/1849"),
        release("owners", {"kind": "proportion", "size": 40}, "gaussian", sigma="1/20"),
        release("farmers", {"kind": "count"}, "geometric", scale="2"),
        release("smiths", {"kind": "count"}, "discrete-gaussian", variance="4"),
        release("many", {"kind": "count"}, "skellam", variance="4"),
        release("streets", {"kind": "histogram"}, "laplace", scale="2"),
        {**release("twice", {"kind": "count"}, "laplace", scale="2"), "times": 2},
        release("age", {"kind": "mean", **VALUES}, "laplace", scale="1"),
        release("far", {"kind": "mean", "lower": "0", "upper": "1e400", "size": 9}, "laplace", scale="1"),
        release("tiny", {"kind": "count"}, "laplace", scale="1e-400"),
        release(
            "fit",
            {"kind": "cross-product", "lower": ["1", "20", "0"], "upper": ["1", "120", "2000"]},
            "gaussian",
            sigma="1/10",
        ),
        release(
            "dummy", {"kind": "cross-product", "lower": ["1", "0", "0"], "upper": ["1", "1", "3"]}, "geometric", scale="2"
        ),
        release("slanted", {"kind": "cross-product", "lower": ["0", "0"], "upper": ["1", "1"]}, "laplace", scale="2"),
        release("crowd", {"kind": "proportion", "size": 10**7}, "laplace", scale="1"),
    ],
}
# 0.4716^2 on data between 0 and 1, with divisor n.
MOMENTS = {"income": 34.30, "spread": 10_000 * 0.4716**2 * 42 / 43}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(PLAN), encoding="utf-8")

    def call(observed: Any, *options: object) -> Result:
        given = json.dumps(observed) if isinstance(observed, dict) else str(observed)
        return CliRunner().invoke(main, ["infer", str(plan), given, "--seed", "3", *map(str, options)])

    return call


def read(result: Result) -> Any:
    assert result.exit_code in (0, 1), result.output
    data = json.loads(result.stdout)
    schema = json.loads(CliRunner().invoke(main, ["schema", "output"]).stdout)
    jsonschema.Draft202012Validator({"$ref": "#/$defs/infer", "$defs": schema["$defs"]}).validate(data)
    assert result.exit_code == (0 if data["settled"] else 1)
    return data


def by_name(data: Any, place: int = 0) -> dict[str, Any]:
    return {item["parameter"]: item for item in data["found"][place]["parameters"]}


def test_mean_and_deviation_of_a_plan_are_those_of_sums_over_a_grid(run: Run) -> None:
    """The variance of a plan divides by n and that of the model by n - 1, in the noise too."""
    found = by_name(read(run(MOMENTS, "--json", "--draws", "60000")))
    truth = posterior(0.3430, 0.4716**2, count=43, epsilons=(0.25, 0.25), conjugate=None, constrained=True)
    means, deviations = truth.masses.sum(axis=1), truth.masses.sum(axis=0)
    for name, places, masses in (("mean", truth.means, means), ("deviation", truth.deviations, deviations)):
        error = 4.5 * float(found[name]["mean_error"])
        assert float(found[name]["mean"]) == pytest.approx(100 * float(masses @ places), abs=error)
        for item in found[name]["quantiles"]:
            place = 100 * float(np.interp(float(item["share"]), np.cumsum(masses), places))
            assert float(item["value"]) == pytest.approx(place, abs=2)
        assert 400 < float(found[name]["effective_size"]) < found[name]["draws"]


@pytest.mark.parametrize(
    ("name", "seen", "log_weight"),
    [
        ("owners", "0.71", lambda k: -(((0.71 - k / 40) * 20) ** 2) / 2),
        ("farmers", "3", lambda k: -np.abs(3 - k) / 2),
        ("smiths", "3", lambda k: -((3 - k) ** 2) / 8),
    ],
)
def test_shares_are_those_of_enumeration(run: Run, name: str, seen: str, log_weight: Any) -> None:
    """Under a flat prior every count is as likely, and the share has the mean (k + 1)/(n + 2) given the count."""
    found = by_name(read(run({name: seen}, "--json", *(() if name == "owners" else ("--size", "40")))))
    counts = np.arange(41)
    masses = np.exp(log_weight(counts))
    masses /= masses.sum()
    for parameter, values in (("share", (counts + 1) / 42), ("share of the data", counts / 40)):
        error = 4.5 * float(found[parameter]["mean_error"])
        assert float(found[parameter]["mean"]) == pytest.approx(float(masses @ values), abs=error)


def test_the_answer_comes_first_with_its_label_and_what_was_assumed(run: Run) -> None:
    result = run({"owners": 0.7}, "--prior", "beta:1/2,2")
    assert result.exit_code == 0
    assert result.stdout.startswith("INFERENCE from released numbers, not a statement about privacy: settled\n")
    for words in ("beta(0.5, 2) for the share", "40 records", "split R-hat 1.00", "seed:       3", "mode", "(97.5 %)"):
        assert words in result.stdout


def test_too_few_draws_are_called_not_settled_with_a_status_of_their_own(run: Run) -> None:
    result = run(MOMENTS, "--draws", "1000")
    assert result.exit_code == 1
    assert "NOT SETTLED" in result.stdout.splitlines()[0]


def test_a_prior_under_which_draws_are_not_settled_is_named(run: Run, tmp_path: Path) -> None:
    # With much mass near no variance chains are slow.
    result = run(MOMENTS, "--draws", 20_000, "--also", "flat:0.5", "--output", tmp_path / "out")
    lines = " ".join(result.stdout.split())
    own, beside = lines.split("also prior:")
    assert result.exit_code == 1
    assert own.count("NOT SETTLED") == 1
    assert "NOT SETTLED" in beside
    page = (tmp_path / "out" / "inference.html").read_text(encoding="utf-8")
    assert "over all that are possible (not settled)" in page


def test_the_same_seed_draws_the_same_and_another_prior_moves_the_answer(run: Run) -> None:
    first, again = (read(run({"farmers": 3}, "--size", 40, "--json")) for _ in range(2))
    assert first == again
    other = read(run({"farmers": 3}, "--size", 40, "--prior", "beta:50,50", "--json"))
    assert float(by_name(other)["share"]["mean"]) > 2 * float(by_name(first)["share"]["mean"])


def test_numbers_are_read_from_toml_and_csv_alike(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("owners = 0.7\n", encoding="utf-8")
    (tmp_path / "a.csv").write_text("release,value\nowners,0.7\n", encoding="utf-8")
    expected = read(run({"owners": 0.7}, "--json"))
    for name in ("a.toml", "a.csv"):
        assert read(run(tmp_path / name, "--json")) == expected


@pytest.mark.parametrize("form", ["csv", pytest.param("parquet", marks=pytest.mark.sweep)])
def test_draws_pages_and_pictures_are_written_with_their_label(run: Run, tmp_path: Path, form: str) -> None:
    folder = tmp_path / "found"
    data = read(run({**MOMENTS, "owners": 0.7}, "--output", folder, "--format", form, "--draws", 2000, "--json"))
    path = folder / f"inference-draws-1.{form}"
    table = arrow_csv.read_csv(path) if form == "csv" else parquet.read_table(path)
    drawn = {name: table[name].to_numpy() for name in table.column_names}
    assert set(drawn) == {"chain", "iteration", "mean", "variance", "deviation"}
    assert float(drawn["mean"].mean()) == pytest.approx(float(by_name(data)["mean"]["mean"]), rel=1e-6)
    # No draw is impossible between the bounds.
    assert (drawn["variance"] <= drawn["mean"] * (100 - drawn["mean"]) * (1 + 1e-9)).all()
    page = (folder / "inference.html").read_text(encoding="utf-8")
    assert "not a statement about privacy" in page
    assert "largest possible deviation" in page
    assert len(list(folder.glob("*.png"))) == len(list(folder.glob("*.svg"))) == 6
    assert json.loads((folder / "inference.json").read_text(encoding="utf-8"))["seed"] == "3"
    assert "is there already" in run({"owners": 0.7}, "--output", folder).stderr


# Sums for ten records with x from 30 to 120 in steps of 10, and y = 100 + 12 x, 25 off on either side in turn.
X = np.arange(30.0, 121.0, 10.0)
Y = 100 + 12 * X + np.where(np.arange(10) % 2, 25.0, -25.0)
FIT = [float((one * other).sum()) for one, other in ((X, Y), (X, X), (Y, Y))]
LINE = {"fit": [10, X.sum(), Y.sum(), FIT[1], FIT[0], FIT[2]]}


def test_a_line_is_inferred_from_a_cross_product(run: Run) -> None:
    """Noise of a tenth on sums is hardly any, so that the slope is that of least squares."""
    data = read(run(LINE, "--size", 10, "--draws", 2000, "--json"))
    found = by_name(data)
    assert list(found) == ["intercept", "slope", "variance", "deviation"]
    slope, intercept = np.polyfit(X, Y, 1)
    assert float(found["slope"]["mean"]) == pytest.approx(slope, abs=0.1)
    assert float(found["intercept"]["mean"]) == pytest.approx(intercept, abs=8)
    assert float(found["slope"]["credible"]["from"]) < 12 < float(found["slope"]["credible"]["to"])
    assert "10 records scatter around a line" in data["found"][0]["model"]


def test_other_priors_say_how_far_the_answer_moves(run: Run) -> None:
    data = read(run({"owners": 0.71}, "--also", "beta:50,50", "--also", "usual", "--json"))["found"][0]
    words = [other["prior"] for other in data["beside"]]
    assert words == ["beta(50, 50) for the share", "beta(0.5, 0.5) for the share", "beta(2, 2) for the share"]
    ends = [item["parameters"][0]["credible"] for item in (data, *data["beside"])]
    moves = data["moves"][0]
    assert moves["parameter"] == "share"
    assert float(moves["lower_end"]["from"]) == min(float(end["from"]) for end in ends)
    assert float(moves["upper_end"]["to"]) == max(float(end["to"]) for end in ends)
    assert float(data["beside"][0]["parameters"][0]["mean"]) < float(data["parameters"][0]["mean"])
    # What stands beside does not change the answer itself.
    assert data["parameters"] == read(run({"owners": 0.71}, "--json"))["found"][0]["parameters"]
    said = run({"owners": 0.71}, "--also", "beta:50,50").stdout
    assert "over these priors share begins at" in said


@pytest.mark.parametrize(("observed", "options"), [(MOMENTS, ()), (LINE, ("--size", "10"))])
def test_methods_of_the_literature_stand_beside_the_answer(
    run: Run, tmp_path: Path, observed: Any, options: tuple[str, ...]
) -> None:
    words = (*options, "--draws", "1000", "--baseline", "augmentation", "--baseline", "approximation")
    data = read(run(observed, *words, "--output", tmp_path / "found", "--json"))
    (found,) = data["found"]
    names = [item["parameter"] for item in found["parameters"]]
    assert [item["method"].partition(":")[0] for item in found["baselines"]] == [
        "data augmentation",
        "Gaussian approximation",
    ]
    for item in found["baselines"]:
        assert [one["parameter"] for one in item["parameters"]] == names
        assert "another model" in item["method"]
    # What stands beside changes neither the answer nor whether it is settled; and the same seed draws the same.
    alone = read(run(observed, *options, "--draws", "1000", "--json"))
    assert (alone["found"][0]["parameters"], alone["settled"]) == (found["parameters"], data["settled"])
    assert read(run(observed, *words, "--json"))["found"] == data["found"]
    assert "Beside methods of the literature" in (tmp_path / "found" / "inference.html").read_text(encoding="utf-8")
    assert "effective draws a second" in run(observed, *words).stdout


def test_augmentation_is_refused_where_there_are_too_many_records() -> None:
    seen = NoisyMoments(MomentsRelease(20_000, 0, 1, "1", "1"), 0.5, 0.05)
    problem = MomentsProblem(("mean", "variance"), seen, Flat())
    with pytest.raises(InvalidValue, match=r"every one of 20,000 records .* at most 10,000"):
        by_others([problem], ["augmentation"])
    ((baseline,),) = by_others([problem], ["approximation", "approximation"])
    assert baseline.range("mean") == (0.0, 1.0)


def test_baselines_agree_with_the_answer_where_their_models_do(run: Run) -> None:
    """Ten records with hardly any noise on their sums, far from all bounds: the line is that of least squares for all."""
    (found,) = read(run(LINE, "--size", 10, "--draws", 4000, "--baseline", "approximation", "--json"))["found"]
    slope = {item["parameter"]: item for item in found["baselines"][0]["parameters"]}["slope"]
    assert float(slope["mean"]) == pytest.approx(float(np.polyfit(X, Y, 1)[0]), abs=0.2)


def test_a_public_figure_pulls_the_answer(run: Run, tmp_path: Path) -> None:
    alone = float(by_name(read(run({"farmers": 3}, "--size", 40, "--json")))["share"]["mean"])
    (tmp_path / "survey.csv").write_text("release,value,error\nfarmers,20,2\n", encoding="utf-8")
    for public in ('{"farmers": {"value": 20, "error": 2}}', str(tmp_path / "survey.csv")):
        data = read(run({"farmers": 3}, "--size", 40, "--public", public, "--json"))
        assert float(by_name(data)["share"]["mean"]) > 2 * alone
        assert "a public source says 20, with standard error 2" in data["found"][0]["model"]
    pulled = read(
        run(LINE, "--size", 10, "--draws", 1000, "--public", '{"fit 3": {"value": 11000, "error": 10}}', "--json")
    )
    assert "1 of the sums seen in a public source too" in pulled["found"][0]["model"]


def test_each_of_few_possible_shares_has_a_bar_of_its_own() -> None:
    from accountant_posterior.inference.page import _parts

    draws = np.random.default_rng(1).binomial(9, 0.3, 5_000) / 9
    bars, (low, high) = _parts(draws)
    counts, edges = np.histogram(draws, bars, (low, high))
    values, times = np.unique(draws[(draws > low) & (draws < high)], return_counts=True)
    assert counts.tolist() == times.tolist()
    assert 0.5 * (edges[1:] + edges[:-1]) == pytest.approx(values)


def test_the_page_of_a_line_shows_where_it_runs(run: Run, tmp_path: Path) -> None:
    read(run(LINE, "--size", 10, "--draws", 1000, "--also", "line:1", "--output", tmp_path / "found", "--json"))
    page = (tmp_path / "found" / "inference.html").read_text(encoding="utf-8")
    for words in ("the line behind fit", "slope and height together", "How far the answer moves with the prior"):
        assert words in page
    table = parquet.read_table(tmp_path / "found" / "inference-draws-1.parquet")
    assert set(table.column_names) == {"chain", "iteration", "intercept", "slope", "variance", "deviation"}
    assert len(list((tmp_path / "found").glob("*.png"))) == 6


def test_whole_sums_with_geometric_noise_give_a_line(run: Run) -> None:
    found = by_name(read(run({"dummy": [60, 30, 75, 30, 50, 120]}, "--size", 60, "--draws", 1000, "--json")))
    assert 0.2 < float(found["slope"]["mean"]) < 1.5


def test_all_that_is_wrong_is_said_at_once_and_nothing_is_written(run: Run, tmp_path: Path) -> None:
    bad = {"ownrs": 1, "many": 3, "streets": 2, "twice": 4, "farmers": 2.5, "income": 99999, "crowd": 0.2, "spread": 5}
    result = run(bad, "--size", "40", "--output", tmp_path / "none")
    assert result.exit_code == 2
    for words in (
        "no release of this name",
        "mechanism 'skellam'",
        "the query 'histogram'",
        "made 2 times",
        "no whole number",
        "in the same unit?",
        "at most 1,000,000",
        "one mean and one variance",
    ):
        assert words in result.stderr
    assert "Traceback" not in result.output
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("observed", "options", "words"),
    [
        ({}, (), "there are no released numbers"),
        ({"owners": True}, (), "expected a number"),
        ({"owners": "much"}, (), "owners"),
        ({"farmers": 3}, (), "say with --size"),
        ({"far": 1}, (), "too large or too small"),
        ({"tiny": 1}, ("--size", "9"), "too large or too small"),
        ({"income": 30, "spread": "1e300"}, (), "in the same unit?"),
        ({"owners": "1e400"}, (), "too large"),
        ({"income": 30}, (), "one mean and one variance"),
        ({**MOMENTS, "age": 30}, (), "one mean and one variance"),
        ({"owners": 0.7}, ("--size", "40"), "--size is for counts"),
        ({"owners": 0.7}, ("--prior", "flat"), "speaks of a mean and a variance"),
        (MOMENTS, ("--prior", "beta:1,1"), "speaks of shares"),
        (MOMENTS, ("--prior", "flat:1"), "infinite mass near sigma^2 = 0"),
        ({"owners": 0.7}, ("--prior", "beta:0,0"), "infinite mass near a share of 0"),
        ({"owners": 0.7}, ("--prior", "beta:1,0"), "infinite mass near a share of 1"),
        ({"owners": 0.7}, ("--prior", "gamma:1"), "--prior is flat"),
        ({"owners": 0.7}, ("--prior", "beta:1,1", "--prior", "beta:2,2"), "given twice"),
        (MOMENTS, ("--prior", "conjugate:12,0"), "above 0"),
        ({"owners": 0.7}, ("--level", "1"), "between 0 and 1"),
        (LINE, (), "is a cross-product; say with --size"),
        (LINE, ("--size", "4"), "in the same unit?"),
        ({"fit": LINE["fit"][:5]}, ("--size", "10"), "has 6 numbers, got 5"),
        ({"fit": [*LINE["fit"][:5], None]}, ("--size", "10"), "fit"),
        ({"fit": [*LINE["fit"][:5], -9e9]}, ("--size", "10"), "number 6 is -9e+09"),
        ({"dummy": [60, 30, 75, 30, 50, 120.5]}, ("--size", "60"), "no whole number"),
        ({"slanted": [1, 2, 3]}, ("--size", "10"), "first column is not of ones"),
        ({"dummy": [4, 2, 3, 2, 2, 5]}, ("--size", "4"), "need more than 4 records"),
        (LINE, ("--size", "10", "--prior", "line:2,1"), "infinite mass near sigma^2 = 0"),
        (LINE, ("--size", "10", "--prior", "line-flat:1"), "infinite mass near sigma^2 = 0"),
        (LINE, ("--size", "10", "--prior", "line-conjugate:1,1,1,1"), "speaks of 1 coefficients"),
        (LINE, ("--size", "10", "--prior", "flat"), "speaks of a mean and a variance"),
        ({"owners": 0.7}, ("--prior", "line"), "speaks of a line"),
        ({"owners": 0.7}, ("--also", "flat"), "speaks of nothing that was released"),
        ({"owners": 0.7}, ("--also", "beta:0,1"), "infinite mass"),
        ({"owners": 0.7}, ("--also", "gamma"), "--also is flat"),
        ({"owners": 0.7}, ("--baseline", "augmentation"), "nothing to compare"),
        ({"owners": 0.7}, ("--baseline", "magic"), "'augmentation', 'approximation'"),
        ({"owners": [0.7, 0.8]}, (), "has 1 numbers, got 2"),
        ({"owners": 0.7}, ("--public", '{"owners": 3}'), "expected a value and an error"),
        ({"owners": 0.7}, ("--public", '{"owners": {"value": 3, "error": 0}}'), "standard error above 0"),
        ({"owners": 0.7}, ("--public", '{"farmers": {"value": 3, "error": 1}}'), "beside no released"),
        ({"owners": 0.7}, ("--public", "{}"), "there are no public figures"),
        (LINE, ("--size", "10", "--public", '{"fit 1": {"value": 3, "error": 1}}'), "which is public already"),
        (LINE, ("--size", "10", "--public", '{"fit 7": {"value": 3, "error": 1}}'), "beside no released"),
        ("absent.toml", (), "absent.toml"),
    ],
)
def test_what_cannot_be_asked_is_refused(run: Run, observed: Any, options: tuple[str, ...], words: str) -> None:
    result = run(observed, *options)
    assert result.exit_code == 2, result.output
    assert words in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name,value\nowners,1\n", "expected the columns release and value"),
        ("release,value\nowners\n", "got 1 cells"),
        ("release,value\nowners,0.7\nowners,0.8\n", "is given twice"),
        ("", "expected the columns"),
    ],
)
def test_tables_that_cannot_be_meant_are_refused(run: Run, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "odd.csv").write_text(text, encoding="utf-8")
    result = run(tmp_path / "odd.csv")
    assert result.exit_code == 2
    assert words in result.stderr
    assert "odd.csv" in result.stderr
