"""A certificate is the bytes that were written: what was laid out anew, or changed and not sealed, is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from accountant import Certificate, Plan, Verdict, certify, read_plan, verify
from accountant.certificate.certificate import FORMAT
from accountant.errors import CertificateError
from tests.certificate.elsewhere import copied, sealed
from tests.plan.test_publication import PLAN


@pytest.fixture(scope="module")
def plan() -> Plan:
    return read_plan({**PLAN, "title": "é a count"})


@pytest.fixture(scope="module")
def content(plan: Plan) -> str:
    return certify(plan).to_json()


def refusal(content: str, plan: Plan) -> str:
    found = verify(Certificate.parse(content), plan)
    assert found.verdict is Verdict.REFUTED
    (fault,) = found.differences
    return str(fault)


def test_canonical_bytes_are_accepted(content: str, plan: Plan) -> None:
    assert verify(Certificate.parse(content), plan).verdict is Verdict.IMPLIED


def test_the_same_in_other_bytes_is_refused_with_the_place_and_the_remedy(content: str, plan: Plan) -> None:
    data = json.loads(content)
    others = {
        "a space": content.replace(",", ", ", 1),
        "keys in another order": json.dumps(dict(reversed(data.items())), separators=(",", ":"), ensure_ascii=False) + "\n",
        "indented": json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n",
        "escapes": json.dumps(data, sort_keys=True, separators=(",", ":")) + "\n",
        "no newline at the end": content[:-1],
        "two newlines at the end": content + "\n",
        "spaces before": " " + content,
        "carriage return": content[:-1] + "\r\n",
    }
    for what, text in others.items():
        said = refusal(text, plan)
        assert "not canonical" in said, what
        assert "certify the plan again @ certificate" in said, what


def test_a_byte_order_mark_is_refused_wherever_it_comes_from(content: str, plan: Plan, tmp_path: Path) -> None:
    assert "byte order mark" in refusal("\ufeff" + content, plan)
    file = tmp_path / "certificate.json"
    file.write_bytes(b"\xef\xbb\xbf" + content.encode())
    found = verify(Certificate.load(file), plan)
    assert "byte order mark" in str(found.differences[0])


@pytest.mark.parametrize("place", range(0, 3000, 487))
def test_a_space_anywhere_is_refused(content: str, plan: Plan, place: int) -> None:
    at = place % len(content)
    try:
        changed = Certificate.parse(content[:at] + " " + content[at:])
    except CertificateError:
        return
    assert verify(changed, plan).verdict is Verdict.REFUTED


def test_what_was_changed_and_not_sealed_is_refused_whatever_it_says(content: str, plan: Plan) -> None:
    # Wider ends are true, and yet not what was written.
    data = json.loads(content)
    data["budgets"][0]["guarantee"]["value"] |= {"upper": "0.6"}
    assert "0.6" in str(verify(Certificate(data), plan).differences[0])
    data = json.loads(content)
    data["seal"] = "sha256:" + "0" * 64
    (fault,) = verify(Certificate(data), plan).differences
    assert fault.place == "certificate.seal"
    assert "changed after it was written" in fault.message
    assert verify(Certificate({key: item for key, item in data.items() if key != "seal"}), plan).verdict is Verdict.REFUTED


def test_the_seal_does_not_make_a_wrong_certificate_right(content: str, plan: Plan) -> None:
    data = copied(Certificate.parse(content))
    data["budgets"][0]["verdict"] = "refuted"
    assert verify(sealed(data), plan).verdict is Verdict.REFUTED


@pytest.mark.parametrize("older", ["accountant-certificate/1", "accountant-certificate/99"])
def test_a_certificate_of_another_version_says_what_to_do(content: str, older: str) -> None:
    data = {**json.loads(content), "format": older}
    with pytest.raises(CertificateError, match="the version that wrote it, or certify its plan again") as caught:
        Certificate.parse(json.dumps(data))
    assert older in str(caught.value)
    assert FORMAT in str(caught.value)


@pytest.mark.parametrize("further", ["", ', "x": NaN', ', "x": "\\ud800"'])
def test_what_is_hardly_a_certificate_is_refused_without_a_traceback(further: str, plan: Plan) -> None:
    assert verify(Certificate.parse(f'{{"format": "{FORMAT}"{further}}}'), plan).verdict is Verdict.REFUTED
