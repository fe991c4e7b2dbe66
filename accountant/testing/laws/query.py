"""Laws of queries: what a query is said to move by is held against all small datasets."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from attrs import evolve

from accountant.errors import AccountantError, ShiftError
from accountant.numbers.exact import exact, plain
from accountant.plugin.oracles import QueryOracle
from accountant.promise.neighbours import Neighbours, Relation
from accountant.release.query import Query, Shift
from accountant.testing.counterexamples import broken
from accountant.testing.small_pairs import Pair, all_pairs, kinds
from accountant.values.writing import in_words, kind_data

_MOST_RECORDS, MOST_KINDS = 3, 4
_FEWER_RECORDS, _MORE_KINDS = 2, 12

Dataset = tuple[Any, ...]
Move = tuple[Fraction, ...]


def query_has_an_oracle(cls: type[Query], oracle: QueryOracle | None) -> None:
    """A query that says itself how far it moves is compared with what it computes."""
    if oracle is None and not cls.stated:
        broken(
            f"nothing says what the query '{cls.kind}' computes, so its shift cannot be tried",
            remedy=f'yield QueryOracle("{cls.kind}", answer=lambda query, records: [...], records=lambda query: [...]) '
            "from accountant_conformance_cases",
        )


def query_moves_no_further(oracle: QueryOracle, relation: Relation, query: Query) -> None:
    """Between no two small neighbours does the answer move further than the query says."""
    small = [_answered(oracle, query, records, most) for records, most in _looked_at(oracle, query)]
    for neighbours in _all_neighbours(oracle, relation, query):
        shift = shift_of(query, neighbours)
        if shift is None:
            continue
        attained = shift.coordinates is None or neighbours.group > 1 or neighbours.attributes is not None or shift.is_zero
        moves = (_moves(answered, pairs, neighbours) for answered, pairs in small)
        for left, right, move in itertools.chain.from_iterable(moves):
            require_within(query, neighbours, shift, (left, right), move)
            attained = attained or _same(move, shift.coordinates or ())
        if not attained:
            broken(
                f"the query '{query.kind}' names a worst move that no two datasets have",
                query=in_words(kind_data(query)),
                neighbours=_written(neighbours),
                shift_that_is_said=str(shift),
                remedy=f"list the extreme records among the first {_MORE_KINDS} of the oracle's 'records', or return norms "
                "without 'coordinates'",
            )


def require_within(
    query: Query, neighbours: Neighbours, shift: Shift, datasets: tuple[Dataset, Dataset], move: Move
) -> None:
    """An answer moves no further than is said between two datasets."""
    fault = _further(shift, move)
    if fault is not None:
        broken(
            f"the query '{query.kind}' moves further than it says: {fault}",
            query=in_words(kind_data(query)),
            neighbours=_written(neighbours),
            first=_shown(datasets[0]),
            second=_shown(datasets[1]),
            answer_moves=_vector(move),
            shift_that_is_said=str(shift),
            look_at="'_shift'",
        )


def groups_move_as_far_as_their_moves(relation: Relation, query: Query, size: int) -> None:
    """Where a group differs, the query moves no less than for one, and not as if only one did where more records count.

    What it says of so many records at once may be more than they move, so that is not held against the group itself.
    """
    group = Neighbours(relation, group=size)
    apart = evolve(relation, name="apart", moves=group.moves)
    together, one = shift_of(query, group), shift_of(query, Neighbours(relation))
    at_once = shift_of(query, Neighbours(apart))
    if together is None or one is None or query.stated:
        return
    # Where the group makes no difference, more records at once must make none either.
    forgotten = at_once if _covers(one, together) else None
    for name, least in (("as far as one of them", one), ("as far as all records that may differ at once", forgotten)):
        if least is not None and not _covers(together, least):
            broken(
                f"a group must move the query '{query.kind}' at least {name}",
                query=in_words(kind_data(query)),
                neighbours=_written(group),
                shift_of_the_group=str(together),
                must_cover=str(least),
                look_at="'_shift': 'neighbours.moves' holds the moves of the whole group",
            )


def records_add_what_they_are_said_to(oracle: QueryOracle, query: Query) -> None:
    """What `records` says that a record adds to an answer is what it adds, whatever the other records are."""
    known = query.records()
    if known is None:
        return
    allowed = {_unordered(vector) for vector in known.vectors}
    for others in _datasets(_records(oracle, query), _MOST_RECORDS - 1):
        for record in _records(oracle, query):
            beside = answer_of(oracle, query, others), answer_of(oracle, query, (*others, record))
            alone = answer_of(oracle, query, ()), answer_of(oracle, query, (record,))
            if None in beside or None in alone:
                continue
            added, lone = difference(*beside), difference(*alone)
            inside = _unordered(added) in allowed if known.all_of_them else _between(added, known.vectors)
            if added != lone or not inside:
                broken(
                    f"a record must add to '{query.kind}' what 'records' says, whatever the others are",
                    query=in_words(kind_data(query)),
                    others=_shown(others),
                    record=_shown((record,))[1:-1],
                    adds=_vector(added),
                    adds_alone=_vector(lone),
                    said=", ".join(_vector(vector) for vector in known.vectors),
                    look_at="'records'",
                )


def _all_neighbours(oracle: QueryOracle, relation: Relation, query: Query) -> Iterator[Neighbours]:
    for group in (1, 2, 3):
        yield Neighbours(relation, group=group)
    named = next((record for record in _records(oracle, query) if isinstance(record, Mapping)), {})
    if relation.edits:
        yield from (Neighbours(relation, attributes=[name]) for name in named)


def shift_of(query: Query, neighbours: Neighbours) -> Shift | None:
    """What a query says, None where it refuses such neighbours."""
    try:
        return query.shift(neighbours)
    except ShiftError:
        return None
    except AccountantError as error:
        raise AssertionError(
            f"'{query.kind}' must refuse neighbours that it cannot handle by a ShiftError: {error}"
        ) from error


def _records(oracle: QueryOracle, query: Query) -> Dataset:
    return tuple(itertools.islice(oracle.records(query), MOST_KINDS))


def _datasets(records: Dataset, largest: int) -> Iterator[Dataset]:
    for size in range(largest + 1):
        yield from itertools.combinations_with_replacement(records, size)


def _looked_at(oracle: QueryOracle, query: Query) -> Iterator[tuple[Dataset, int]]:
    """Records, and how many of them a dataset has at most: a few kinds of them, and where there are more fewer of these."""
    many = tuple(itertools.islice(oracle.records(query), _MORE_KINDS))
    yield many[:MOST_KINDS], _MOST_RECORDS
    if len(many) > MOST_KINDS:
        yield many, _FEWER_RECORDS


def _answered(
    oracle: QueryOracle, query: Query, records: Dataset, most: int
) -> tuple[list[tuple[Dataset, Move | None]], tuple[Pair, ...]]:
    """All small datasets of some records with their answers, and the pairs of them."""
    return [(dataset, answer_of(oracle, query, dataset)) for dataset in _datasets(records, most)], all_pairs(
        kinds(records), most
    )


def _moves(
    answered: Sequence[tuple[Dataset, Move | None]], pairs: Iterable[Pair], neighbours: Neighbours
) -> Iterator[tuple[Dataset, Dataset, Move]]:
    """All small neighbours, smallest first, with how far the answer moves; those with the same two answers once."""
    reached = {move for size in range(1, neighbours.group + 1) for move in evolve(neighbours, group=size).moves}
    numbers: dict[Move | None, int] = {}
    known = [numbers.setdefault(answer, len(numbers)) for _, answer in answered]
    seen: set[tuple[int, int]] = set()
    for one, other, apart in pairs:
        (left, before), (right, after) = answered[one], answered[other]
        answers = known[one], known[other]
        if before is None or after is None:
            continue
        if apart in reached and answers not in seen and _differs_within(left, right, neighbours):
            seen.add(answers)
            yield left, right, difference(before, after)


def answer_of(oracle: QueryOracle, query: Query, dataset: Dataset) -> Move | None:
    """What a query computes of a dataset, in exact numbers; None where there is no such dataset."""
    found = oracle.answer(query, dataset)
    return None if found is None else tuple(exact(value) for value in found)


def difference(before: Move | None, after: Move | None) -> Move:
    """How far each coordinate of an answer moves."""
    assert before is not None
    assert after is not None
    if len(before) != len(after):
        broken("an answer must have as many coordinates whatever the data", one=_vector(before), other=_vector(after))
    return tuple(new - old for old, new in zip(before, after, strict=True))


def _differs_within(left: Dataset, right: Dataset, neighbours: Neighbours) -> bool:
    """Whether the records that are gone can be matched with those that appear so that each differs where it may only."""
    allowed = neighbours.attributes
    if allowed is None:
        return True
    gone, new = _left_over(left, right), _left_over(right, left)
    return any(
        all(_edited(*pair, allowed) for pair in zip(gone, order, strict=True)) for order in itertools.permutations(new)
    )


def _left_over(dataset: Dataset, other: Dataset) -> Dataset:
    """The records of a dataset that another one does not have, as often as it lacks them."""
    lacking = Counter(map(repr, dataset)) - Counter(map(repr, other))
    records = {repr(record): record for record in dataset}
    return tuple(records[key] for key in lacking.elements())


def _edited(old: Any, new: Any, allowed: frozenset[str]) -> bool:
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return False
    return {name for name in old if old[name] != new.get(name)} <= allowed


def _further(shift: Shift, move: Move) -> str | None:
    """In what a move exceeds what is said, in words."""
    real = Shift.along(move)
    for name, field in (("l1", "in_l1"), ("l2_squared", "l2_squared"), ("linf", "linf")):
        found, said = getattr(real, field), getattr(shift, field)
        if said is not None and found > said:
            return f"{name} is {plain(found)}, said to be at most {plain(said)}"
    if shift.coordinates is not None and not _below(move, shift.coordinates):
        return "more coordinates move, or others further, than the worst move does"
    if shift.gathered is not None and not _shared_out(move, shift.gathered):
        return "it does not share out what 'gathered' moves"
    if shift.placed is not None and (
        len(shift.placed) != len(move) or any(abs(a) > abs(b) for a, b in zip(move, shift.placed, strict=True))
    ):
        return "a coordinate moves further than 'placed' says"
    if shift.gathered is not None and any(value.denominator > 1 for value in move):
        return "it does not move by whole numbers, as 'gathered' says"
    if shift.one_sided and min(move, default=0) < 0 < max(move, default=0):
        return "it is not one-sided: one coordinate rises and another falls"
    return None


def _sizes(move: Move) -> list[Fraction]:
    return sorted((abs(value) for value in move if value), reverse=True)


def _below(move: Move, worst: Move) -> bool:
    """Whether a move is the worst one in some of its coordinates, or less, up to renaming."""
    real, most = _sizes(move), _sizes(worst)
    return len(real) <= len(most) and all(a <= b for a, b in zip(real, most, strict=False))


def _shared_out(move: Move, gathered: Move) -> bool:
    """Whether no few coordinates of a move hold more than as many of `gathered` do."""
    real, most = _sizes(move), _sizes(gathered)
    return all(sum(real[:count]) <= sum(most[:count]) for count in range(1, len(real) + 1))


def _same(move: Move, worst: Move) -> bool:
    nonzero = sorted(value for value in move if value)
    return nonzero in (sorted(worst), sorted(-value for value in worst))


def _covers(shift: Shift, least: Shift) -> bool:
    in_l1 = shift.in_l1 is None or (least.in_l1 is not None and shift.in_l1 >= least.in_l1)
    return in_l1 and shift.l2_squared >= least.l2_squared and shift.linf >= least.linf


def _unordered(vector: Move) -> Move:
    return tuple(sorted(value for value in vector if value))


def _between(added: Move, vectors: tuple[Move, ...]) -> bool:
    """Whether every coordinate lies between the least and the most that some record adds anywhere."""
    values = [value for vector in vectors for value in vector]
    return all(min(values) <= value <= max(values) for value in added)


def _written(neighbours: Neighbours) -> str:
    within = "" if neighbours.attributes is None else f", which may differ in {', '.join(sorted(neighbours.attributes))}"
    group = "" if neighbours.group == 1 else f", groups of {neighbours.group}"
    return f"{neighbours.relation.name}{group}{within}"


def _vector(move: Move) -> str:
    return f"({', '.join(map(plain, move))})"


def _shown(dataset: Dataset) -> str:
    return f"[{', '.join(str(dict(record) if isinstance(record, Mapping) else record) for record in dataset)}]"
