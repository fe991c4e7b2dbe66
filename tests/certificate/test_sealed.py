"""Certificates of other formats: contents of somebody's own, sealed and verified as those of plans are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve, frozen

from accountant import CertificateError, Interval, Verdict
from accountant.certificate import Enclosure, Held, Sealed, Verification, enclosure, write_sealed
from accountant.certificate.seal import SEAL, seal_of, text_of

FORMAT = "example/1"


@frozen
class Bound:
    """A number that must not exceed another, and whether it does not."""

    name: str
    limit: str
    value: Enclosure
    verdict: Verdict

    def held(self) -> Iterator[Held]:
        yield Held("certificate", self.value, self.limit)


FOUND = Bound("a bound", "0.5", enclosure(Interval(0.25, 0.375)), Verdict.IMPLIED)


def verified(text: str, folder: Path, found: Bound = FOUND) -> Verification:
    (folder / "bound.json").write_text(text, encoding="utf-8")
    return Sealed.load(folder / "bound.json", FORMAT).verified(found, Bound.held)


def places(answer: Verification) -> list[str]:
    return [fault.place for fault in answer.differences]


def test_what_was_written_is_verified_digit_by_digit(tmp_path: Path) -> None:
    answer = verified(write_sealed(FORMAT, FOUND), tmp_path)
    assert (answer.verdict, answer.equal, answer.how) == (Verdict.IMPLIED, 1, "digit by digit")


@pytest.mark.parametrize(
    ("lower", "upper", "wrong"),
    [
        ("0.24", "0.38", []),
        ("0.24", "0.375", []),
        ("0.26", "0.375", ["certificate.value.lower"]),
        ("0.25", "0.37", ["certificate.value.upper"]),
        ("0.26", "0.37", ["certificate.value.lower", "certificate.value.upper"]),
        ("0.1", "0.2", ["certificate.value.upper"]),
        ("0.4", "0.45", ["certificate.value.lower"]),
        ("0.25", "0.51", ["certificate.verdict"]),
        ("0.25", "inf", ["certificate.value.upper"]),
        ("0.25", "0.3750", ["certificate.value.upper"]),
    ],
)
def test_a_number_is_verified_where_what_was_found_shows_it(
    tmp_path: Path, lower: str, upper: str, wrong: list[str]
) -> None:
    answer = verified(write_sealed(FORMAT, evolve(FOUND, value=Enclosure(lower, upper, None))), tmp_path)
    assert places(answer) == wrong
    assert answer.verdict is (Verdict.REFUTED if wrong else Verdict.IMPLIED)
    assert answer.better == ("certificate.value",)


def test_what_is_no_number_must_be_equal(tmp_path: Path) -> None:
    other = evolve(FOUND, name="another", limit="0.6", verdict=Verdict.REFUTED)
    answer = verified(write_sealed(FORMAT, other), tmp_path)
    assert places(answer) == ["certificate.name", "certificate.limit", "certificate.verdict"]


def test_a_file_that_is_not_as_it_was_written_is_refused(tmp_path: Path) -> None:
    data = json.loads(write_sealed(FORMAT, FOUND))
    assert places(verified(text_of({**data, "name": "another"}), tmp_path)) == ["certificate.name"]
    assert places(verified(text_of({**data, SEAL: "sha256:0"}), tmp_path)) == ["certificate.seal"]
    assert places(verified(json.dumps(data), tmp_path)) == ["certificate"]
    further = {**data, "more": 1}
    assert places(verified(text_of({**further, SEAL: seal_of(further)}), tmp_path)) == ["certificate.more"]


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{", '{"format": "example/2"}', '{"format": ["example/1"]}', "[" * 10**5]
)
def test_what_is_no_certificate_of_the_format_is_one_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    with pytest.raises(CertificateError, match=r"bound\.json"):
        verified(text, tmp_path)
