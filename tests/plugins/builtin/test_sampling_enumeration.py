"""Samples by enumeration: every subset of small datasets in fractions, and no pair of datasets beats the claimed loss."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from math import log
from typing import ClassVar

import pytest
from attrs import frozen
from hypothesis import given, settings, strategies as st

import accountant.plugin
from accountant import Neighbours, Plan, PrivacyLoss, Release, Specification, Theorem, account
from accountant.finite import Pair, dominating, dominating_both
from accountant.loss import NO_LOSS, BracketLoss, FiniteLoss, SampledLoss, compose
from accountant.plugin import Query, Relation, Sampling, Shift
from accountant.promise.neighbours import ADD_REMOVE, REPLACE_ONE
from accountant_builtin.samplings import Poisson, WithoutReplacement

pytestmark = pytest.mark.slow

VALUES = "abc"
Records = tuple[str, ...]
Law = tuple[Fraction, ...]
Mechanism = Mapping[Records, Law]
WRITTEN = Theorem("written", "The losses are written down.", "accountant", "tests")
RELATIONS = {"add-remove": ADD_REMOVE, "replace-one": REPLACE_ONE}


def multisets(largest: int) -> list[Records]:
    return [some for size in range(largest + 1) for some in itertools.combinations_with_replacement(VALUES, size)]


@st.composite
def mechanisms(draw: st.DrawFn, largest: int, outputs: int) -> Mechanism:
    """A law on outputs for every multiset of records: some outputs are impossible, some far likelier than others."""
    weight = st.sampled_from([1, 1, 2, 3, 5, 8, 40, 0])
    laws = {}
    for records in multisets(largest):
        weights = draw(st.lists(weight, min_size=outputs, max_size=outputs).filter(any))
        laws[records] = tuple(Fraction(w, sum(weights)) for w in weights)
    return laws


def reacting(kind: str) -> Mechanism:
    """Answers 'yes' with chance 9/10 if there is a record of a kind, and with 1/10 if not."""
    likely, rare = Fraction(9, 10), Fraction(1, 10)
    return {records: (likely, rare) if kind in records else (rare, likely) for records in multisets(4)}


def pulled(largest: int, *rows: tuple[str, ...]) -> Mechanism:
    """Three laws in a row, for fewer records of one kind than of another, for as many, and for more."""
    laws = [tuple(map(Fraction, row)) for row in rows]
    return {records: laws[1 + max(-1, min(1, records.count("a") - records.count("b")))] for records in multisets(largest)}


SEESAW = (("1/10", "9/10"), ("1/2", "1/2"), ("9/10", "1/10"))


# The truth ---------------------------------------------------------------------------------------------------------------


def mixture(parts: Iterable[tuple[Fraction, Law]]) -> Law:
    weighted = [[weight * chance for chance in law] for weight, law in parts]
    return tuple(sum(column, Fraction(0)) for column in zip(*weighted, strict=True))


def subsets(sampling: Sampling, size: int) -> Iterator[tuple[Fraction, tuple[int, ...]]]:
    """Every sample with its chance."""
    if isinstance(sampling, Poisson):
        for taken in range(size + 1):
            for places in itertools.combinations(range(size), taken):
                yield sampling.rate**taken * (1 - sampling.rate) ** (size - taken), places
    else:
        assert isinstance(sampling, WithoutReplacement)
        every = list(itertools.combinations(range(size), sampling.sample))
        for places in every:
            yield Fraction(1, len(every)), places


def law(mechanism: Mechanism, records: Records, sampling: Sampling) -> Law:
    """The law of the mechanism on a sample of a dataset."""
    return mixture(
        (chance, mechanism[tuple(sorted(records[k] for k in places))]) for chance, places in subsets(sampling, len(records))
    )


def neighbours(size: int, relation: Relation) -> Iterator[tuple[Records, Records]]:
    """Neighbouring datasets, the one with the record first where one has it and the other has not."""
    for records in itertools.combinations_with_replacement(VALUES, size):
        for k, value in enumerate(records):
            rest = records[:k] + records[k + 1 :]
            if relation == ADD_REMOVE:
                yield records, rest
            else:
                yield from ((records, (*rest, other)) for other in VALUES if other != value)


def truths(mechanism: Mechanism, sampling: Sampling, size: int, relation: Relation) -> Iterator[Pair]:
    for left, right in neighbours(size, relation):
        yield Pair(zip(law(mechanism, left, sampling), law(mechanism, right, sampling), strict=True))


# The claim ---------------------------------------------------------------------------------------------------------------


def between(mechanism: Mechanism, sizes: set[int]) -> Callable[[Relation], PrivacyLoss]:
    """The smallest loss that dominates the mechanism on samples of such sizes."""

    def loss(relation: Relation) -> PrivacyLoss:
        pairs = [
            Pair(zip(mechanism[tuple(sorted(left))], mechanism[tuple(sorted(right))], strict=True))
            for size in sizes
            for left, right in neighbours(size, relation)
            if {len(left), len(right)} <= sizes
        ]
        if not pairs:
            return NO_LOSS
        return dominating(pairs) if relation == ADD_REMOVE else dominating_both(pairs)

    return loss


def claimed(mechanism: Mechanism, sampling: Sampling, size: int, relation: Relation) -> PrivacyLoss:
    sizes = {sampling.sample} if isinstance(sampling, WithoutReplacement) else set(range(size + 1))
    return sampling.loss(between(mechanism, sizes), Neighbours(relation))


def above(loss: PrivacyLoss) -> Pair:
    """The pair that upper ends are taken from; all of these are finite."""
    side = loss.dominating()
    assert isinstance(side, FiniteLoss)
    return Pair(side.atoms)


def product(*pairs: Pair) -> Pair:
    whole = Pair([(1, 1)])
    for pair in pairs:
        whole = Pair((p * r, q * s) for p, q in whole.atoms for r, s in pair.atoms)
    return whole


def beaten(claim: Pair, truth: Pair) -> Fraction:
    """By how much the truth exceeds the claim at most; both are linear between likelihood ratios of either."""
    ratios = {p / q for pair in (claim, truth) for p, q in pair.atoms if q}
    return max(truth.delta(ratio) - claim.delta(ratio) for ratio in ratios | {Fraction(0)})


def worst(claim: Pair, pairs: Iterable[Pair], relation: Relation) -> Fraction:
    """The largest excess over all pairs: of replaced records in both orders, otherwise each in its own."""
    excesses = [Fraction(-1)]
    for pair in pairs:
        excesses.append(beaten(claim, pair))
        excesses.append(beaten(claim if relation == REPLACE_ONE else claim.reverse(), pair.reverse()))
    return max(excesses)


SAMPLINGS = {
    "half of them": (2, Poisson("1/2")),
    "one in ten": (2, Poisson("1/10")),
    "most": (3, Poisson("4/5")),
    "one of three": (3, WithoutReplacement(1, 3)),
    "two of three": (3, WithoutReplacement(2, 3)),
    "two of four": (4, WithoutReplacement(2, 4)),
}


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("named", SAMPLINGS)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_no_pair_of_datasets_beats_the_claim(named: str, relation: str, data: st.DataObject) -> None:
    size, sampling = SAMPLINGS[named]
    mechanism = data.draw(mechanisms(size, 3))
    loss = claimed(mechanism, sampling, size, RELATIONS[relation])
    assert worst(above(loss), truths(mechanism, sampling, size, RELATIONS[relation]), RELATIONS[relation]) <= 0


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("sampling", [Poisson("3/10"), WithoutReplacement(1, 2)], ids=["poisson", "fixed"])
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_no_pair_of_datasets_beats_the_claim_of_several_releases(
    sampling: Sampling, relation: str, data: st.DataObject
) -> None:
    """Three releases of two mechanisms: what composes is a pair, not a curve at each epsilon."""
    compared = RELATIONS[relation]
    first, second = (data.draw(mechanisms(2, 2)) for _ in range(2))
    losses = [claimed(mechanism, sampling, 2, compared) for mechanism in (first, second)]
    claim = product(*(above(losses[k]) for k in (0, 0, 1)))
    pairs = [truths(mechanism, sampling, 2, compared) for mechanism in (first, second)]
    whole = compose([(losses[0], 2), (losses[1], 1)])
    for left, right in zip(*pairs, strict=True):
        truth = product(left, left, right)
        assert beaten(claim, truth) <= 0
        # The engine's own composition says no less.
        for ratio in (Fraction(1), Fraction(3, 2), Fraction(4)):
            assert Fraction(whole.delta(Fraction(log(ratio)) - Fraction(1, 10**12)).upper) >= truth.delta(ratio)


# Somebody who knows the draw ----------------------------------------------------------------------------------------------


@frozen
class Related(Query):
    """A query that moves by how datasets are related and by nothing else."""

    kind: ClassVar[str] = "related"
    theorem: ClassVar[Theorem] = WRITTEN

    def _shift(self, neighbours: Neighbours) -> Shift:
        return Shift.along([1] if neighbours.relation == ADD_REMOVE else [1, 1])


@frozen
class Enumerated(accountant.plugin.Mechanism):
    """A mechanism whose losses were found by enumeration, for each relation."""

    kind: ClassVar[str] = "enumerated"
    theorem: ClassVar[Theorem] = WRITTEN

    one_record: PrivacyLoss
    one_change: PrivacyLoss

    def loss(self, shift: Shift) -> PrivacyLoss:
        return self.one_record if shift.l1 == 1 else self.one_change


def promised(mechanism: Mechanism, sampling: Sampling, size: int, relation: Relation, attacker: str) -> PrivacyLoss:
    """What an account says of a mechanism on a sample."""
    sizes = {sampling.sample} if isinstance(sampling, WithoutReplacement) else set(range(size + 1))
    written = Enumerated(between(mechanism, set(range(size + 1)))(ADD_REMOVE), between(mechanism, sizes)(REPLACE_ONE))
    release = Release("sampled", written, Related(), sampling=sampling)
    return account(Plan("law", Specification(Neighbours(relation), attacker=attacker), (release,))).entries[0].loss


def drawn_alike(mechanism: Mechanism, sampling: Sampling, size: int, relation: Relation) -> Iterator[Pair]:
    """The mechanism on every two samples that were drawn alike from two neighbours, and differ."""

    def pair(left: Iterable[str], right: Iterable[str]) -> Pair:
        return Pair(zip(*(mechanism[tuple(sorted(records))] for records in (left, right)), strict=True))

    for first, second in neighbours(size, relation):
        rest = list((Counter(first) & Counter(second)).elements())
        (present,) = (Counter(first) - Counter(rest)).elements()
        others = list((Counter(second) - Counter(rest)).elements())
        fixed = isinstance(sampling, WithoutReplacement)
        for taken in [sampling.sample - 1] if isinstance(sampling, WithoutReplacement) else range(size):
            for places in itertools.combinations(range(len(rest)), taken):
                same = [rest[k] for k in places]
                left_out = [rest[k] for k in range(len(rest)) if k not in places]
                for other in [[value] for value in left_out] if fixed and not others else [others]:
                    yield pair([*same, present], [*same, *other])


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("named", SAMPLINGS)
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_an_insider_is_promised_what_the_worst_draw_gives_and_an_outsider_no_more(
    named: str, relation: str, data: st.DataObject
) -> None:
    size, sampling = SAMPLINGS[named]
    compared, mechanism = RELATIONS[relation], data.draw(mechanisms(size, 3))
    claim = above(promised(mechanism, sampling, size, compared, "insider"))
    pairs = list(drawn_alike(mechanism, sampling, size, compared))
    assert worst(claim, pairs, compared) <= 0
    assert worst(claim, truths(mechanism, sampling, size, compared), compared) <= 0
    every = [*pairs, *(pair.reverse() for pair in pairs)] if claim.reverse() == claim else pairs
    for ratio in {p / q for p, q in claim.atoms if q}:
        assert claim.delta(ratio) == max(pair.delta(ratio) for pair in every)


def test_an_insider_who_is_said_to_compare_the_datasets_is_beaten() -> None:
    """One of two: 'yes' has the chance 1/100, 1/10 or 9/10, each about ten times as likely as the one before.

    Somebody who does not know which of the two was drawn sees 91/200 against 1/100, more than any further record does.
    """
    mechanism = pulled(2, ("1/100", "99/100"), ("1/10", "9/10"), ("9/10", "1/10"))
    sampling = WithoutReplacement(1, 2)
    wrong = above(between(mechanism, {0, 1, 2})(ADD_REMOVE))
    sound = above(promised(mechanism, sampling, 2, ADD_REMOVE, "insider"))
    for known in (drawn_alike, truths):
        pairs = list(known(mechanism, sampling, 2, ADD_REMOVE))
        assert worst(sound, pairs, ADD_REMOVE) <= 0
        assert worst(wrong, pairs, ADD_REMOVE) > 0


# What the lower end stands for --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sampling", "relation", "size"),
    [
        (WithoutReplacement(1, 3), REPLACE_ONE, 3),
        (WithoutReplacement(3, 4), REPLACE_ONE, 4),
        (WithoutReplacement(2, 3), ADD_REMOVE, 3),
        (Poisson("1/5"), ADD_REMOVE, 2),
        (Poisson("1/5"), REPLACE_ONE, 2),
    ],
    ids=["one of three", "three of four", "two of three, one less", "poisson, one less", "poisson"],
)
def test_the_lower_end_is_attained(sampling: Sampling, relation: Relation, size: int) -> None:
    """A mechanism that reacts to one kind of record, on a dataset with one such record and on one without."""
    mechanism = reacting("a")
    loss = claimed(mechanism, sampling, size, relation)
    without = ("b",) * (size if relation == REPLACE_ONE else size - 1)
    left, right = (law(mechanism, records, sampling) for records in (("a", *("b",) * (size - 1)), without))
    attained = FiniteLoss(zip(left, right, strict=True))
    assert attained == loss.dominated()
    # At every epsilon >= 0 it is the upper end as well.
    claim, truth = above(loss), Pair(attained.atoms)
    ratios = [p / q for p, q in (*claim.atoms, *truth.atoms) if q and p >= q]
    assert all(claim.delta(ratio) == truth.delta(ratio) for ratio in ratios)


def test_records_that_pull_apart_attain_the_poisson_pair() -> None:
    """Three laws in a row, absent in the middle: between replaced records both sides are mixtures."""
    mechanism = pulled(1, ("1/6", "1/3", "1/2"), ("1/4", "1/2", "1/4"), ("1/2", "1/3", "1/6"))
    sampling = Poisson("1/4")
    loss = claimed(mechanism, sampling, 1, REPLACE_ONE)
    left, right = (law(mechanism, records, sampling) for records in (("a",), ("b",)))
    assert above(loss) == Pair(FiniteLoss(zip(left, right, strict=True)).atoms)


# What would be wrong ------------------------------------------------------------------------------------------------------


def test_directions_that_are_composed_apart_are_beaten() -> None:
    """One release is worst in one order and the next in the other: together they beat both orders of either, squared."""
    sampling = WithoutReplacement(1, 10)
    single = SampledLoss.of(between(reacting("a"), {1})(REPLACE_ONE), Fraction(1, 10))
    assert isinstance(single, FiniteLoss)
    forward = Pair(single.atoms)
    backward = forward.reverse()
    records = (("a", *("c",) * 9), ("b", *("c",) * 9))
    releases = [
        Pair(zip(*(law(mechanism, dataset, sampling) for dataset in records), strict=True))
        for mechanism in (reacting("a"), reacting("b"))
    ]
    truth, ratio = product(*releases), Fraction(41, 25)
    planted = max(product(forward, forward).delta(ratio), product(backward, backward).delta(ratio))
    assert truth.delta(ratio) > planted + Fraction(1, 100)
    sound = [above(claimed(mechanism, sampling, 10, REPLACE_ONE)) for mechanism in (reacting("a"), reacting("b"))]
    assert beaten(product(*sound), truth) <= 0


def planted_rate(sampling: Sampling, relation: Relation, size: int, wrong: Fraction) -> Fraction:
    """By how much the claim with another rate is beaten."""
    mechanism = reacting("a")
    sizes = {sampling.sample} if isinstance(sampling, WithoutReplacement) else set(range(size + 1))
    base = between(mechanism, sizes)(REPLACE_ONE if isinstance(sampling, WithoutReplacement) else relation)
    loss = SampledLoss.of(base, wrong)
    assert isinstance(loss, FiniteLoss)
    claim = above(loss) if relation == ADD_REMOVE else Pair(dominating_both([Pair(loss.atoms)]).atoms)
    return worst(claim, truths(mechanism, sampling, size, relation), relation)


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_share_of_another_population_is_beaten(relation: str) -> None:
    sampling = WithoutReplacement(2, 3)
    assert planted_rate(sampling, RELATIONS[relation], 3, Fraction(2, 3)) <= 0
    assert planted_rate(sampling, RELATIONS[relation], 3, Fraction(2, 4)) > 0


def test_the_rate_of_a_smaller_sample_is_beaten() -> None:
    assert planted_rate(Poisson("1/4"), ADD_REMOVE, 2, Fraction(1, 4)) <= 0
    assert planted_rate(Poisson("1/4"), ADD_REMOVE, 2, Fraction(1, 5)) > 0


def test_the_loss_between_other_samples_is_beaten() -> None:
    """Fixed samples differ by a replaced record even where the datasets differ by one more, and Poisson samples do not."""
    mechanism = pulled(2, *SEESAW)
    sampling, losses = WithoutReplacement(1, 2), between(mechanism, {0, 1})
    sound = SampledLoss.of(losses(REPLACE_ONE), Fraction(1, 2))
    wrong = SampledLoss.of(losses(ADD_REMOVE), Fraction(1, 2))
    pairs = list(truths(mechanism, sampling, 2, ADD_REMOVE))
    assert worst(above(sound), pairs, ADD_REMOVE) <= 0
    assert worst(above(wrong), pairs, ADD_REMOVE) > 0


def test_a_replaced_record_that_is_taken_for_an_absent_one_is_beaten() -> None:
    mechanism = pulled(2, *SEESAW)
    sampling, losses = Poisson("1/3"), between(mechanism, {0, 1, 2})
    absent = SampledLoss.of(losses(ADD_REMOVE), sampling.rate)
    assert isinstance(absent, FiniteLoss)
    wrong = dominating_both([Pair(absent.atoms)])
    pairs = list(truths(mechanism, sampling, 2, REPLACE_ONE))
    assert worst(Pair(wrong.atoms), pairs, REPLACE_ONE) > 0
    assert worst(above(claimed(mechanism, sampling, 2, REPLACE_ONE)), pairs, REPLACE_ONE) <= 0


def test_mirror_images_that_are_missing_are_beaten() -> None:
    """All that is not above 0 taken as one outcome: a pair too, but not one that dominates the other order."""
    mechanism, sampling = reacting("a"), WithoutReplacement(1, 4)
    base = SampledLoss.of(between(mechanism, {1})(REPLACE_ONE), Fraction(1, 4))
    assert isinstance(base, FiniteLoss)
    kept = [(p, q) for p, q in base.atoms if p > q]
    rest = tuple(1 - sum(side, Fraction(0)) for side in zip(*kept, strict=True))
    planted = Pair([*kept, rest])
    assert worst(planted, truths(mechanism, sampling, 4, REPLACE_ONE), REPLACE_ONE) > 0
    loss = claimed(mechanism, sampling, 4, REPLACE_ONE)
    assert isinstance(loss, BracketLoss)
    assert worst(above(loss), truths(mechanism, sampling, 4, REPLACE_ONE), REPLACE_ONE) <= 0
