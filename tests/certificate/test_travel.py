"""Certificates that were written elsewhere: other last digits are accepted where they can be shown, and nowhere else."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from attrs import evolve

from accountant import Certificate, Interval, Plan, Verdict, certify, load_plan, read_plan, verify
from accountant.certificate import Enclosure, findings
from accountant.certificate.recomputed import KnownEnds, Recomputed, number
from tests.certificate.elsewhere import (
    LAPLACE,
    at,
    copied,
    digits,
    enclosures,
    intervals,
    narrower,
    rewritten,
    sealed,
    wider,
)

pytestmark = pytest.mark.slow

GAUSSIAN: dict[str, Any] = {
    "specification": {"neighbours": "add-remove"},
    "budget": [{"divergence": "approx", "epsilon": "3", "delta": "1e-5"}],
    "release": [{"name": "a", "query": {"kind": "count"}, "mechanism": {"kind": "gaussian", "sigma": "2"}}],
}


@pytest.fixture(scope="module")
def plan() -> Plan:
    return read_plan(LAPLACE)


@pytest.fixture(scope="module")
def certificate(plan: Plan) -> Certificate:
    return certify(plan)


@pytest.mark.parametrize("relative", ["1e-15", "1e-9", "1e-3"])
def test_wider_intervals_are_verified_and_said_to_be_wider(certificate: Certificate, plan: Plan, relative: str) -> None:
    found = verify(rewritten(certificate, lambda interval: wider(interval, relative)), plan)
    assert found.verdict is Verdict.IMPLIED
    assert found.better
    assert not found.refined
    assert "which is at least as good" in found.how
    assert "precision" not in found.how


def narrower_if_wide(interval: dict[str, Any]) -> None:
    """What comes from a grid, and not from a formula, can be asked for more precisely."""
    if number(interval["upper"]) - number(interval["lower"]) > number(interval["upper"]) / 10**7:
        narrower(interval, "1e-9")


def test_narrower_intervals_are_verified_where_more_precision_shows_them(certificate: Certificate, plan: Plan) -> None:
    found = verify(rewritten(certificate, narrower_if_wide), plan)
    assert found.verdict is Verdict.IMPLIED
    assert set(found.refined) == set(found.better)
    assert "certificate.budgets[0].guarantee.value" in found.refined
    assert found.precision == Fraction(1, 10**7)
    assert "at the precision 1e-7" in found.how


def test_narrower_intervals_that_nothing_shows_are_refused(certificate: Certificate, plan: Plan) -> None:
    finer = certify(evolve(plan, precision=plan.precision / 10**4)).contents.budgets[0].guarantee.value
    data = copied(certificate)
    data["budgets"][0]["guarantee"]["value"] |= {"lower": finer.upper, "upper": finer.upper}
    (fault,) = verify(sealed(data), plan).differences
    assert fault.place == "certificate.budgets[0].guarantee.value.lower"
    assert "at the precision 1e-" in fault.message


@pytest.mark.parametrize(
    ("whole", "alone"),
    [
        (("3.287122994", "3.28712647"), ("3.043326747", "3.043351523")),
        (("3.287122999", "3.287126466"), ("3.043326749", "3.04335152")),
    ],
    ids=["numpy 1.26.0 and scipy 1.11.1", "numpy 2.4.6 and scipy 1.17.1"],
)
def test_what_the_lowest_and_the_newest_libraries_computed_is_verified_by_either(
    certificate: Certificate, plan: Plan, whole: tuple[str, str], alone: tuple[str, str]
) -> None:
    data = copied(certificate)
    guarantee = data["budgets"][0]["guarantee"]
    for value, ends in (
        (guarantee["value"], whole),
        (guarantee["derivation"][-1]["value"], whole),
        (data["releases"][0]["costs"][0], alone),
    ):
        value["lower"], value["upper"] = ends
    assert verify(sealed(data), plan).verdict is Verdict.IMPLIED


def _nudged(direction: float) -> Callable[[Interval], Interval]:
    """Another platform, whose ends are one double farther out, or farther in."""

    def nudge(value: Interval) -> Interval:
        if value.exact is not None or value.lower == value.upper:
            return value
        low, high = (math.nextafter(value.lower, -direction), math.nextafter(value.upper, direction))
        return Interval(max(low, 0.0) if value.lower == 0 else low, high)

    return nudge


@pytest.mark.parametrize("direction", [math.inf, -math.inf], ids=["outward", "inward"])
@pytest.mark.parametrize("source", [LAPLACE, GAUSSIAN, "examples/survey.toml"], ids=["grid", "formula", "survey"])
def test_one_double_more_or_less_on_another_platform_does_not_matter(
    source: Any, direction: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = load_plan(source) if isinstance(source, str) else read_plan(source)
    ends, nudge = findings._ends, _nudged(direction)
    with monkeypatch.context() as there:
        there.setattr(findings, "_ends", lambda value, digits=findings.DIGITS: ends(nudge(value), digits))
        written = certify(plan)
    assert verify(written, plan).verdict is Verdict.IMPLIED
    # And the other way round: that platform verifies what was written here.
    here = certify(plan)
    with monkeypatch.context() as there:
        there.setattr(findings, "_ends", lambda value, digits=findings.DIGITS: ends(nudge(value), digits))
        assert verify(here, plan).verdict is Verdict.IMPLIED


def test_what_is_known_exactly_has_no_other_digits() -> None:
    plan = read_plan({**LAPLACE, "budget": [{"divergence": "pure", "epsilon": "5"}]})
    certificate = certify(plan)
    exact = [(path, item) for path, item in intervals(copied(certificate)) if "exact" in item]
    assert exact
    for path, item in exact:
        for name in ("lower", "upper", "exact"):
            for down in (True, False):
                changed = copied(certificate)
                at(changed, path)[name] = next(digits(item[name], down=down))
                assert verify(sealed(changed), plan).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "text", ["4.0", "04", "4e0", "+4", " 4", "4/1", "٤", "nan", "-4", "inf", "1e400", "", "4.0000000001"]
)
def test_there_is_one_way_to_write_an_end(certificate: Certificate, plan: Plan, text: str) -> None:
    data = copied(certificate)
    data["budgets"][0]["guarantee"]["value"]["upper"] = text
    assert verify(sealed(data), plan).verdict is Verdict.REFUTED


def test_a_verdict_that_the_stated_numbers_do_not_show_is_refused(certificate: Certificate, plan: Plan) -> None:
    data = copied(certificate)
    assert data["budgets"][0]["verdict"] == "implied"
    data["budgets"][0]["guarantee"]["value"]["upper"] = "5.1"
    (fault,) = verify(sealed(data), plan).differences
    assert fault.place == "certificate.budgets[0].verdict"


def test_parameters_that_look_like_an_interval_are_equal_or_refused() -> None:
    query = {"kind": "sum", "attributes": ["income"], "lower": "0", "upper": "10"}
    release = {"name": "a", "query": query, "mechanism": {"kind": "laplace", "scale": "20"}}
    plan = read_plan({**LAPLACE, "release": [release]})
    data = copied(certify(plan))
    data["releases"][0]["query"]["upper"] = "11"
    found = verify(sealed(data), plan)
    assert [fault.place for fault in found.differences] == ["certificate.releases[0].query.upper"]


# No certificate is verified that is wrong ---------------------------------------------------------------------------------


def truth(sigma: str, delta: str) -> Fraction:
    """The epsilon of one Gaussian release, in long arithmetic, to thirty figures."""
    with mpmath.workdps(60):
        s, d = mpmath.mpf(sigma), mpmath.mpf(delta)

        def excess(epsilon: Any) -> Any:
            a, b = 1 / (2 * s) - epsilon * s, -1 / (2 * s) - epsilon * s
            return mpmath.ncdf(a) - mpmath.exp(epsilon) * mpmath.ncdf(b) - d

        low, high = mpmath.mpf(0), mpmath.mpf(10)
        for _ in range(140):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) > 0 else (low, middle)
        return Fraction(mpmath.nstr(low, 30))


def test_no_interval_is_verified_that_misses_the_truth() -> None:
    plan, whole = read_plan(GAUSSIAN), truth("2", "1e-5")
    certificate = certify(plan)
    stated = certificate.contents.budgets[0].guarantee.value
    assert number(stated.lower) <= whole <= number(stated.upper)
    random_numbers, accepted = random.Random(20), 0
    for _ in range(60):
        data = copied(certificate)
        value = data["budgets"][0]["guarantee"]["value"]
        sizes = [10.0 ** random_numbers.uniform(-11, -2) * random_numbers.choice([1, -1]) for _ in range(2)]
        value["lower"], value["upper"] = (
            Interval.of(Fraction(whole) * (1 + Fraction(size))).rounded(10)[0] for size in sorted(sizes)
        )
        if verify(sealed(data), plan).verdict is Verdict.IMPLIED:
            accepted += 1
            assert number(value["lower"]) <= whole <= number(value["upper"])
    assert accepted


def worlds(count: int) -> Iterator[tuple[Fraction, Recomputed]]:
    """A truth, an interval around it that was found, and one that was stated at random near both."""
    some = random.Random(7)
    for _ in range(count):
        true = Fraction(some.randint(1, 200), 10)
        low, high = true - Fraction(some.randint(0, 20), 10), true + Fraction(some.randint(0, 20), 10)
        ends = sorted(true + Fraction(some.randint(-30, 30), 10) for _ in range(2))
        found, stated = (
            Enclosure(*(Interval.of(end).rounded(10)[0] for end in pair), None) for pair in ((low, high), ends)
        )
        yield true, Recomputed("there", stated, found)


def accepts(item: Recomputed) -> bool:
    return item.fault() is None and not any(item.unshown(KnownEnds.of(item.found)))


def misses(accepted: Callable[[Recomputed], bool]) -> int:
    """How many stated intervals are accepted that the truth is not in."""
    return sum(
        accepted(item) and not number(item.stated.lower) <= true <= number(item.stated.upper) for true, item in worlds(1000)
    )


def test_an_interval_that_contains_the_one_found_contains_the_truth() -> None:
    assert misses(accepts) == 0
    assert sum(accepts(item) for _, item in worlds(1000)) > 20


def test_rules_that_are_almost_right_are_caught() -> None:
    def close(item: Recomputed) -> bool:
        return abs(number(item.stated.upper) - number(item.found.upper)) <= Fraction(1, 2)

    def overlaps(item: Recomputed) -> bool:
        return item.fault() is None

    def upper_only(item: Recomputed) -> bool:
        return number(item.found.upper) <= number(item.stated.upper)

    def inside(item: Recomputed) -> bool:
        stated, found = item.stated, item.found
        return number(stated.lower) >= number(found.lower) and number(stated.upper) <= number(found.upper)

    assert all(misses(rule) for rule in (close, overlaps, upper_only, inside))


def wrong_digits(certificate: Certificate) -> Iterator[tuple[tuple[Any, ...], str, str]]:
    """Every change of one digit of a certified number that makes it say more than was found."""
    for path, interval in intervals(copied(certificate)):
        for name, down in (("lower", False), ("upper", True)):
            if interval[name] != "inf":
                yield from ((path, name, text) for text in digits(interval[name], down=down))


def refused(certificate: Certificate, plan: Plan, change: tuple[tuple[Any, ...], str, str], *, seal: bool) -> bool:
    """Whether a certificate with such a digit is refused; one that is sealed anew may also be shown by more precision."""
    path, name, text = change
    data = copied(certificate)
    at(data, path)[name] = text
    found = verify(sealed(data) if seal else Certificate(data), plan)
    if found.verdict is Verdict.REFUTED:
        return True
    return seal and bool(found.refined)


def test_digits_in_the_wrong_direction_are_refused(certificate: Certificate, plan: Plan) -> None:
    changes = list(wrong_digits(certificate))
    assert len(changes) > 100
    for change in changes[:: len(changes) // 10]:
        assert refused(certificate, plan, change, seal=False)
    for change in changes[3 :: len(changes) // 6]:
        assert refused(certificate, plan, change, seal=True)


@pytest.mark.sweep
@pytest.mark.parametrize("source", ["examples/survey.toml", LAPLACE, GAUSSIAN], ids=["survey", "grid", "formula"])
@pytest.mark.parametrize("seal", [False, True], ids=["as changed", "sealed anew"])
def test_every_digit_in_the_wrong_direction_is_refused(source: Any, seal: bool) -> None:
    plan = load_plan(source) if isinstance(source, str) else read_plan(source)
    certificate = certify(plan)
    assert all(refused(certificate, plan, change, seal=seal) for change in wrong_digits(certificate))


def test_every_certified_number_is_among_those_that_are_changed(certificate: Certificate) -> None:
    assert len(list(intervals(copied(certificate)))) == len(list(enclosures(certificate.contents)))
