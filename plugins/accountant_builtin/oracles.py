"""What the usual queries compute, tables say and neighbours are, in one line each, for the laws to hold them to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any, cast

from accountant.finite import TableMechanism
from accountant.plugin import ADD_REMOVE, REPLACE_ONE, MechanismOracle, Oracle, QueryOracle, RelationOracle
from accountant_builtin.combinators import Mixture, Part, PostProcessed
from accountant_builtin.queries import Count, Gradient, Histogram, Sum
from accountant_builtin.statistics import CrossProduct, Mean, Proportion, Quantile, QuantileScores, Variance

Record = Mapping[str, int]


def oracles() -> Iterable[Oracle]:
    """Of every query that does not take its shift from the plan, of tables, and of every relation."""
    yield QueryOracle(Count.kind, lambda query, records: [sum(_all_ones(query, record) for record in records)], _people)
    yield QueryOracle(Histogram.kind, _cells, _people)
    yield QueryOracle(Sum.kind, lambda query, records: [_total(query, records)], _people)
    yield QueryOracle(Gradient.kind, _summed, _of_all_kinds)
    yield QueryOracle(Mean.kind, _mean, _people)
    yield QueryOracle(Proportion.kind, _share, _people)
    yield QueryOracle(Variance.kind, _spread, _people, instances=lambda: _bounded(Variance, size=(2, 3)))
    yield QueryOracle(Quantile.kind, _quantile, _people)
    yield QueryOracle(QuantileScores.kind, _scores, _of_all_kinds, instances=_candidates)
    yield QueryOracle(CrossProduct.kind, _products, _of_more_kinds, instances=_columns)
    yield MechanismOracle(TableMechanism.kind, law=_row, answers=lambda table: range(len(table.rows)))
    yield MechanismOracle(Mixture.kind, law=_lot, answers=lambda _: range(2), instances=_mixtures)
    yield MechanismOracle(PostProcessed.kind, law=_merged, answers=lambda _: range(2), instances=_processed)
    yield RelationOracle(ADD_REMOVE.name, lambda first, second: _gone(first, second) == (0, 1))
    yield RelationOracle(REPLACE_ONE.name, lambda first, second: _gone(first, second) == (1, 1))


def _row(table: TableMechanism, answer: Fraction) -> Mapping[Hashable, Fraction]:
    return dict(enumerate(table.rows[int(answer)]))


def _lot(mixture: Mixture, answer: Fraction) -> Mapping[Hashable, Fraction]:
    """The output, and which of several tables it is from."""
    tables = [(part.chance, part.mechanism) for part in mixture.parts]
    return {
        (place, output): share * chance
        for place, (share, table) in enumerate(tables)
        for output, chance in _row(cast(TableMechanism, table), answer).items()
    }


def _merged(processed: PostProcessed, answer: Fraction) -> Mapping[Hashable, Fraction]:
    """Whether the output of a table is the first one."""
    first = cast(TableMechanism, processed.mechanism).rows[int(answer)][0]
    return {True: first, False: 1 - first}


_TABLES = tuple(
    TableMechanism(rows) for rows in ((("3/4", "1/4"), ("1/3", "2/3")), (("1/2", "0", "1/2"), ("1/5", "1/5", "3/5")))
)


def _mixtures() -> Any:
    from hypothesis import strategies as st

    shares, table = st.sampled_from((Fraction(1, 3), Fraction(1, 100), Fraction(1, 2))), st.sampled_from(_TABLES)
    return st.builds(lambda share, one, other: Mixture((Part(share, one), Part(1 - share, other))), shares, table, table)


def _processed() -> Any:
    from hypothesis import strategies as st

    return st.builds(lambda table: PostProcessed(table, "asking whether it is the first"), st.sampled_from(_TABLES))


def _people(query: Any) -> Iterator[Record]:
    """Records with values 0 and 1, of attributes that the query looks at and one that it does not."""
    seen = sorted(query.attributes or ())[:1]
    for values in product((1, 0), repeat=len(seen) + 1):
        yield dict(zip([*seen, "another"], values, strict=True))


def _of_all_kinds(query: Any) -> Iterator[Record]:
    """Four records that a query tells apart where it looks at everything, two where it looks at one attribute."""
    own = sorted(query.attributes or ())[:1]
    names = [*own, *(name for name in ("another", "further") if name not in own)][:2]
    for values in product((1, 0), repeat=2):
        yield dict(zip(names, values, strict=True))


def _of_more_kinds(query: Any) -> Iterator[Record]:
    """Eight records that a query tells apart where it looks at everything."""
    for record in _of_all_kinds(query):
        yield from ({**record, "more": value} for value in (1, 0))


def _looked_at(query: Any, record: Record) -> tuple[int, ...]:
    return tuple(record.get(name, 1) for name in sorted(record if query.attributes is None else query.attributes))


def _all_ones(query: Any, record: Record) -> bool:
    return all(_looked_at(query, record))


def _cells(query: Any, records: tuple[Record, ...]) -> list[int]:
    cells = dict.fromkeys(_looked_at(query, record) for record in _people(query))
    return [sum(_looked_at(query, record) == cell for record in records) for cell in cells]


def _worth(query: Any, record: Record) -> Fraction:
    return query.upper if _all_ones(query, record) else query.lower  # type: ignore[no-any-return]


def _summed(query: Any, records: tuple[Record, ...]) -> list[Fraction]:
    """The sum of vectors as long as they may be, in directions that depend on what is looked at.

    Two are opposite, and one rises in one coordinate and falls in another.
    """
    ways = [(Fraction(1), Fraction(0)), (Fraction(-1), Fraction(0)), (Fraction(3, 5), Fraction(-4, 5))]
    ways.append((Fraction(0), Fraction(1)))
    kinds = list(dict.fromkeys(_looked_at(query, record) for record in _of_all_kinds(query)))
    chosen = [ways[kinds.index(_looked_at(query, record))] for record in records]
    return [query.norm * sum((way[place] for way in chosen), Fraction(0)) for place in (0, 1)]


def _total(query: Any, records: tuple[Record, ...]) -> Fraction:
    return sum((_worth(query, record) for record in records), Fraction(0))


def _mean(query: Any, records: tuple[Record, ...]) -> list[Fraction] | None:
    """The mean of as many records as there are, of which some may be null and add nothing."""
    return None if len(records) > query.size else [_total(query, records) / query.size]


def _share(query: Any, records: tuple[Record, ...]) -> list[Fraction] | None:
    """The share of those that satisfy the condition, of as many records as there are."""
    ones = sum(_all_ones(query, record) for record in records)
    return None if len(records) > query.size else [Fraction(ones, query.size)]


def _spread(query: Any, records: tuple[Record, ...]) -> list[Fraction] | None:
    """The variance of as many records as there are, all of which have a value."""
    if len(records) != query.size:
        return None
    mean = _total(query, records) / query.size
    return [sum(((_worth(query, record) - mean) ** 2 for record in records), Fraction(0)) / query.size]


def _quantile(query: Any, records: tuple[Record, ...]) -> list[Fraction]:
    values = sorted(_worth(query, record) for record in records)
    enough = (value for place, value in enumerate(values, start=1) if place >= query.level * len(values))
    return [next(enough, query.lower)]


def _scores(query: Any, records: tuple[Record, ...]) -> list[Fraction]:
    """Of candidates 1, 2, ... where a value is below all of them, between the first two, or above all."""
    values = [
        query.candidates + 1 if _all_ones(query, record) else Fraction(3 * any(_looked_at(query, record)), 2)
        for record in records
    ]
    return [
        -abs(
            (1 - query.level) * sum(value < place for value in values)
            - query.level * sum(value > place for value in values)
        )
        for place in range(1, query.candidates + 1)
    ]


def _products(query: Any, records: tuple[Record, ...]) -> list[Fraction]:
    """Of records as far from 0 as may be, as near, at all upper or lower bounds, and at one and the other by turns."""
    ends = list(zip(query.lower, query.upper, strict=True))
    kinds = list(dict.fromkeys(_looked_at(query, record) for record in _of_more_kinds(query)))
    ways = [
        [max(pair, key=abs) for pair in ends],
        [min(max(low, Fraction(0)), high) for low, high in ends],
        list(query.upper),
        list(query.lower),
        *([pair[(place + first) % 2] for place, pair in enumerate(ends)] for first in (0, 1)),
        *([pair[place == turned] for place, pair in enumerate(ends)] for turned in (0, 1)),
    ]
    chosen = [ways[kinds.index(_looked_at(query, record))] for record in records]
    places = combinations_with_replacement(range(len(ends)), 2)
    return [sum((values[one] * values[other] for values in chosen), Fraction(0)) for one, other in places]


def _bounded(cls: Any, **chosen: Any) -> Any:
    """Queries with bounds of either sign, and one of these parameters."""
    from hypothesis import strategies as st

    bounds = st.tuples(*(st.fractions(-3, 3, max_denominator=4) for _ in range(2))).map(sorted)
    others = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in chosen.items()})
    return st.builds(lambda ends, more: cls(lower=ends[0], upper=ends[1], **more), bounds, others)


def _candidates() -> Any:
    from hypothesis import strategies as st

    levels = st.sampled_from((Fraction(1, 2), Fraction(1, 10), Fraction(3, 4)))
    return st.builds(QuantileScores, level=levels, candidates=st.integers(2, 4))


def _columns() -> Any:
    from hypothesis import strategies as st

    column = st.tuples(*(st.fractions(-3, 3, max_denominator=4) for _ in range(2))).map(sorted)
    columns = st.lists(column, min_size=1, max_size=3)
    return columns.map(lambda found: CrossProduct([low for low, _ in found], [high for _, high in found]))


def _gone(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[int, int]:
    """How many records of each dataset the other does not have."""
    before, after = Counter(first), Counter(second)
    return (before - after).total(), (after - before).total()
