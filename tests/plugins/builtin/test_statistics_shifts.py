"""How far means, proportions, variances, quantiles and cross-products move, against enumeration on small domains."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest

import accountant as ac
from accountant import InvalidValue, Neighbours, ShiftError
from accountant.plugin import ADD_REMOVE, REPLACE_ONE, Query, Relation, Shift
from accountant.testing import laws
from accountant_builtin.oracles import oracles
from accountant_builtin.statistics import CrossProduct, Mean, Proportion, Quantile, QuantileScores, Variance

GRID = tuple(Fraction(value, 2) for value in range(-2, 5))
"""Values from -1 to 2, the bounds and what lies between."""
Answer = Callable[[Sequence[Fraction]], list[Fraction]]
TWO_AT_ONCE = Relation("two-at-once", frozenset({(2, 0), (0, 2), (1, 1)}), edits=False, meaning="two records come or go")


def mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def variance(values: Sequence[Fraction]) -> list[Fraction]:
    return [mean([(value - mean(values)) ** 2 for value in values])]


def furthest(answer: Answer, size: int, replaced: int) -> list[Fraction]:
    """The longest of all moves where so many of the records of a dataset have other values."""
    worst = [Fraction(0)] * 3
    grid = GRID if size < 4 else GRID[::3]
    for others in itertools.combinations_with_replacement(grid, size - replaced):
        answers = [answer((*others, *own)) for own in itertools.combinations_with_replacement(grid, replaced)]
        for first, second in itertools.combinations(answers, 2):
            move = [abs(one - other) for one, other in zip(first, second, strict=True)]
            found = [sum(move, Fraction(0)), sum((part**2 for part in move), Fraction(0)), max(move)]
            worst = [max(pair) for pair in zip(worst, found, strict=True)]
    return worst


def norms(shift: Shift) -> list[Fraction]:
    return [shift.l1, shift.l2_squared, shift.linf]


@pytest.mark.parametrize(
    ("size", "group"), [(1, 1), (1, 3), (2, 1), (2, 5), (3, 1), (3, 2), (3, 4), (4, 1), (4, 2), (4, 3), (5, 2)]
)
def test_means_and_variances_move_as_far_as_they_say(size: int, group: int) -> None:
    """Also in groups of more units than there are records."""
    neighbours, replaced = Neighbours(REPLACE_ONE, group=group), min(group, size)
    bounds = {"lower": -1, "upper": 2, "size": size}
    if size < 5:
        assert norms(Mean(**bounds).shift(neighbours)) == furthest(lambda values: [mean(values)], size, replaced)
        share: Answer = lambda values: [mean([Fraction(value > 0) for value in values])]  # noqa: E731
        assert norms(Proportion(size).shift(neighbours)) == furthest(share, size, replaced)
    if size > 1:
        assert norms(Variance(**bounds).shift(neighbours)) == furthest(variance, size, replaced)


@pytest.mark.parametrize("query", [Mean(-1, 2, 2), Proportion(2), Variance(-1, 2, 4), Quantile(-1, 2, "1/2")], ids=str)
def test_noise_with_a_covariance_loses_what_independent_noise_of_the_same_size_does(query: Query) -> None:
    """Several records together move one number less than so many times as far as one of them."""
    lost = [
        ac.account(noise.on(query), neighbours=Neighbours(REPLACE_ONE, group=3)).measure("zcdp").value
        for noise in (ac.Gaussian(sigma=1), ac.Gaussian(covariance=[[1]]))
    ]
    assert lost[0] == lost[1]
    assert lost[0].exact == query.shift(Neighbours(REPLACE_ONE, group=3)).l2_squared / 2


def quantile_of(level: Fraction) -> Answer:
    def answer(values: Sequence[Fraction]) -> list[Fraction]:
        ordered = sorted(values)
        return [next((v for place, v in enumerate(ordered, 1) if place >= level * len(ordered)), Fraction(-1))]

    return answer


@pytest.mark.parametrize("level", [Fraction(1, 10), Fraction(1, 2), Fraction(7, 8)])
def test_a_quantile_moves_from_one_bound_to_the_other(level: Fraction) -> None:
    query = Quantile(-1, 2, level)
    for size in (1, 2, 3):
        assert furthest(quantile_of(level), size, 1)[2] == query.shift(Neighbours(REPLACE_ONE)).linf == 3
    come = {abs(quantile_of(level)((value,))[0] - quantile_of(level)(())[0]) for value in GRID}
    assert max(come) == query.shift(Neighbours(ADD_REMOVE)).linf == query.shift(Neighbours(ADD_REMOVE, group=3)).linf


def scores(level: Fraction, candidates: Sequence[Fraction], values: Sequence[Fraction]) -> list[Fraction]:
    return [
        -abs((1 - level) * sum(value < place for value in values) - level * sum(value > place for value in values))
        for place in candidates
    ]


@pytest.mark.parametrize("level", [Fraction(1, 10), Fraction(1, 2), Fraction(3, 4)])
@pytest.mark.parametrize(("relation", "group"), [(ADD_REMOVE, 1), (ADD_REMOVE, 2), (REPLACE_ONE, 1), (TWO_AT_ONCE, 1)])
def test_scores_of_candidates_move_no_further_than_they_say(level: Fraction, relation: Relation, group: int) -> None:
    """The largest move of a score is attained; all scores move so far at once where records lie outside of all of them."""
    candidates, neighbours = (Fraction(0), Fraction(1)), Neighbours(relation, group=group)
    shift = QuantileScores(level, len(candidates)).shift(neighbours)
    worst = [Fraction(0)] * 3
    # Enough records on one side that no score is near 0, where its sign turns.
    for common in ((GRID[0],) * 6, (GRID[-1],) * 6, (GRID[0],) * 3 + (GRID[-1],) * 3):
        for rise, fall in neighbours.moves:
            for new in itertools.combinations_with_replacement(GRID, rise):
                for old in itertools.combinations_with_replacement(GRID, fall):
                    pair = [scores(level, candidates, (*common, *values)) for values in (new, old)]
                    move = [abs(one - other) for one, other in zip(*pair, strict=True)]
                    found = [sum(move, Fraction(0)), sum((part**2 for part in move), Fraction(0)), max(move)]
                    worst = [max(both) for both in zip(worst, found, strict=True)]
    assert norms(shift) == worst


@pytest.mark.parametrize(
    ("lower", "upper"),
    [(["-1"], ["2"]), (["1", "-1"], ["1", "2"]), (["1/2", "-2"], ["2", "-1/2"]), (["-1", "0", "-2"], ["1", "2", "1"])],
)
def test_cross_products_move_no_further_than_they_say(lower: list[str], upper: list[str]) -> None:
    """Where a record comes or goes, by just so much; where one is replaced, each sum does, and all together no more."""
    query = CrossProduct(lower, upper)
    ends = [(Fraction(low), Fraction(high)) for low, high in zip(lower, upper, strict=True)]
    axes = [sorted({low, high, min(max(low, Fraction(0)), high), (low + high) / 2}) for low, high in ends]
    pairs = list(itertools.combinations_with_replacement(range(len(ends)), 2))
    records = [[values[one] * values[other] for one, other in pairs] for values in itertools.product(*axes)]

    def longest(moves: list[list[Fraction]]) -> list[Fraction]:
        return [
            max(sum(map(abs, move), Fraction(0)) for move in moves),
            max(sum((part**2 for part in move), Fraction(0)) for move in moves),
            max(max(map(abs, move)) for move in moves),
        ]

    assert norms(query.shift(Neighbours(ADD_REMOVE))) == longest(records)
    replaced = [[a - b for a, b in zip(one, other, strict=True)] for one in records for other in records]
    shift, found = query.shift(Neighbours(REPLACE_ONE)), longest(replaced)
    assert shift.linf == found[2]
    assert all(said >= real for said, real in zip(norms(shift), found, strict=True))
    alone = [max(abs(move[place]) for move in replaced) for place in range(len(pairs))]
    assert norms(shift) == [sum(alone, Fraction(0)), sum((part**2 for part in alone), Fraction(0)), max(alone)]


SIGNED = [(["-1", "-1"], ["1", "1"]), (["1", "-1"], ["1", "1"]), (["-1", "0", "-2"], ["1", "2", "1"]), (["-2"], ["1"])]


@pytest.mark.parametrize(("lower", "upper"), SIGNED)
@pytest.mark.parametrize("group", [1, 2])
def test_what_a_cross_product_loses_at_least_is_lost_between_some_records(
    lower: list[str], upper: list[str], group: int
) -> None:
    """Columns of both signs cannot all move as far as each may: the lower end is that of a move that there is."""
    query, neighbours = CrossProduct(lower, upper), Neighbours(REPLACE_ONE, group=group)
    ends = [(Fraction(low), Fraction(high)) for low, high in zip(lower, upper, strict=True)]
    axes = [
        {min(max(low, Fraction(0)), high), *(low + (high - low) * Fraction(step, 4) for step in range(5))}
        for low, high in ends
    ]
    pairs = list(itertools.combinations_with_replacement(range(len(ends)), 2))
    records = [[values[one] * values[other] for one, other in pairs] for values in itertools.product(*axes)]
    moves = [[group * (a - b) for a, b in zip(*two, strict=True)] for two in itertools.permutations(records, 2)]
    longest = max(sum((part**2 for part in move), Fraction(0)) for move in moves), max(sum(map(abs, m)) for m in moves)
    square, total = (
        ac.account(noise.on(query), neighbours=neighbours).measure(reading).value
        for noise, reading in ((ac.Gaussian(sigma=1), "zcdp"), (ac.Laplace(scale=1), "pure"))
    )
    assert 2 * Fraction(square.lower) <= longest[0] <= 2 * Fraction(square.upper)
    assert Fraction(total.lower) <= longest[1] <= Fraction(total.upper)
    least = query.shift(neighbours).least
    assert len(ends) == 1 or (least is not None and sorted(map(abs, least.placed or ())) in map(_sizes, moves))


def _sizes(move: Sequence[Fraction]) -> list[Fraction]:
    return sorted(map(abs, move))


def test_a_budget_between_what_a_cross_product_loses_at_least_and_at_most_is_not_called_exceeded() -> None:
    """Sums of y and y^2 for y between -1 and 1 move by 2.25 together at most, and each by 2 and 1."""
    plan = ac.read_plan(
        {
            "title": "A line",
            "specification": {"neighbours": "replace-one"},
            "budget": [{"divergence": "pure", "epsilon": "2.5"}],
            "release": [
                {
                    "name": "sums",
                    "query": {"kind": "cross-product", "lower": [1, -1], "upper": [1, 1]},
                    "mechanism": {"kind": "laplace", "scale": 1},
                }
            ],
        }
    )

    assert [item["verdict"] for item in ac.certify(plan).data["budgets"]] == ["unknown"]


@pytest.mark.parametrize(("lower", "upper"), [([1, 0], [1, 3]), ([1, -1], [1, 2])])
@pytest.mark.parametrize("noise", [ac.Geometric(scale=2), ac.DiscreteGaussian(sigma=2)], ids=lambda item: item.kind)
def test_whole_noise_serves_cross_products_of_columns_with_whole_bounds(
    lower: list[int], upper: list[int], noise: ac.Mechanism
) -> None:
    for neighbours in ("replace-one", "add-remove"):
        lost = ac.account(noise.on(CrossProduct(lower, upper)), neighbours=neighbours)
        assert 0 < lost.measure("zcdp").value.upper < 100
    with pytest.raises(ac.AccountantError, match="whole"):
        ac.account(noise.on(CrossProduct(["1/2", 0], ["3/2", 3])), neighbours="add-remove")


@pytest.mark.parametrize("query", [Mean(0, 1, 10), Proportion(10), Variance(0, 1, 10)], ids=lambda query: query.kind)
def test_where_the_number_of_records_is_not_public_what_divides_by_it_is_refused(query: Query) -> None:
    for relation in (ADD_REMOVE, TWO_AT_ONCE):
        with pytest.raises(ShiftError, match=f"a {query.kind} divides by the number of records, .*'sum' and a 'count'"):
            query.shift(Neighbours(relation))


class HalfVariance(Variance):
    """Says half of what a variance moves by."""

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift.at([super()._shift(neighbours).linf / 2])


class MeanOfOne(Mean):
    """Forgets that several records may differ."""

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift.at([(self.upper - self.lower) / self.size])


class ScoresWithoutLevel(QuantileScores):
    """Takes a record that comes or goes for one half of a rank, whatever the level."""

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift(Fraction(self.candidates, 2), Fraction(self.candidates, 4), Fraction(1, 2))


class ProductsOfUppers(CrossProduct):
    """Takes the product of the upper bounds for the largest, though lower ones may be larger in size."""

    def _shift(self, neighbours: Neighbours) -> Shift:
        return CrossProduct([0] * len(self.lower), [max(0, high) for high in self.upper]).shift(neighbours)


@pytest.mark.parametrize(
    ("planted", "honest", "relation"),
    [
        (HalfVariance(0, 1, 3), Variance(0, 1, 3), REPLACE_ONE),
        (MeanOfOne(0, 1, 3), Mean(0, 1, 3), REPLACE_ONE),
        (ScoresWithoutLevel("3/4", 2), QuantileScores("3/4", 2), ADD_REMOVE),
        (ProductsOfUppers([-3, 0], [1, 1]), CrossProduct([-3, 0], [1, 1]), ADD_REMOVE),
    ],
    ids=lambda item: type(item).__name__,
)
def test_wrong_shifts_are_caught_by_the_law(planted: Query, honest: Query, relation: Relation) -> None:
    (oracle,) = [item for item in oracles() if item.item == honest.kind]
    laws.query_moves_no_further(oracle, relation, honest)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="moves further than it says"):
        laws.query_moves_no_further(oracle, relation, planted)  # type: ignore[arg-type]


def test_statistics_in_a_plan_and_in_python_cost_the_same() -> None:
    """A mean of 1,000 incomes up to 100 with Laplace noise of scale 1/5: 100/1000 over 1/5 is one half."""
    release = ac.Laplace(scale="1/5").on(ac.Mean(lower=0, upper=100, size=1000))
    assert ac.account(release, neighbours="replace-one").measure("pure").value.exact == Fraction(1, 2)
    data = {
        "title": "Income",
        "specification": {"neighbours": "replace-one"},
        "release": [
            {
                "name": "mean",
                "query": {"kind": "mean", "lower": "0", "upper": "100", "size": 1000},
                "mechanism": {"kind": "laplace", "scale": "1/5"},
            }
        ],
    }
    assert ac.account(ac.read_plan(data)).measure("pure").value.exact == Fraction(1, 2)


def test_a_quantile_is_picked_by_its_scores() -> None:
    """Gumbel noise of scale 2 on scores that move by 1/2: two move apart by 1 over 2."""
    release = ac.ReportNoisyMax(noise="gumbel", scale=2).on(ac.QuantileScores(level="1/2", candidates=50))
    assert ac.account(release, neighbours="add-remove").measure("pure").value.exact == Fraction(1, 2)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Mean(2, 1, 5), "the lower bound 2 is above the upper bound 1"),
        (lambda: Mean(0, 1, 0), "at least 1"),
        (lambda: Variance(0, 1, 1), "at least 2"),
        (lambda: Quantile(0, 1, 1), "below 1"),
        (lambda: QuantileScores("1/2", 1), "at least 2"),
        (lambda: CrossProduct([0, 0], [1]), "there are 2 lower bounds and 1 upper ones"),
        (lambda: CrossProduct([], []), "expected 1 to 200 bounds"),
        (lambda: CrossProduct([0, 2], [1, 1]), "column 2: the lower bound 2 is above the upper bound 1"),
        (lambda: ac.Mean(lower=0, upper=1, n=5), "did you mean 'size'?"),  # type: ignore[call-arg]
    ],
)
def test_wrong_parameters_are_refused(build: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message.replace("?", r"\?")):
        build()
