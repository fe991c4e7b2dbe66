"""Every text of reports stands in one file, and a translation has the same messages with the same parts."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from accountant import InvalidValue, Invariant, Neighbours, default_registry
from accountant.plugin import ADD_REMOVE, DIVERGENCES, REPLACE_ONE, ComparedPairs
from accountant.report import Catalogue, Edition, between, catalogue, conditions, languages, making, say, words
from accountant.report.marks import Strong

ROOT = Path(__file__).parents[2]
ENGLISH = catalogue("en")
OTHERS = [name for name in languages() if name != "en"]
SOURCES = [
    *(ROOT / "accountant" / "report").rglob("*.py"),
    *(ROOT / "accountant" / "report").rglob("*.html"),
    *(ROOT / "plugins" / "accountant_posterior" / "reports").glob("*.py"),
]


def parts(message: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(message) if name}


def forms(message: str | Mapping[str, str]) -> dict[str, str]:
    return {"": message} if isinstance(message, str) else dict(message)


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_every_message_and_no_other(language: str) -> None:
    assert set(catalogue(language).messages) == set(ENGLISH.messages)
    assert set(catalogue(language).rules) == set(ENGLISH.rules)


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_puts_in_the_same_parts(language: str) -> None:
    for key, message in ENGLISH.messages.items():
        own, other = forms(message), forms(catalogue(language).messages[key])
        assert own.keys() == other.keys(), key
        for form, text in own.items():
            left_out = {"count"} if form == "one" else set()
            assert parts(text) - left_out == parts(other[form]) - left_out, key


def literal_keys() -> Iterator[tuple[str, str]]:
    for path in SOURCES:
        for found in re.finditer(r"(?:\bsay|\bwords|\b_point)\(\s*\"([\w.]+)\"", path.read_text("utf-8")):
            if "." in found[1] and not found[1].endswith("."):
                yield path.name, found[1]


def test_every_message_that_is_said_is_in_the_catalogue() -> None:
    said = list(literal_keys())
    assert len(said) > 200
    assert [item for item in said if item[1] not in ENGLISH.messages] == []


def test_what_is_not_said_anywhere_is_not_in_the_catalogue() -> None:
    """Keys that are put together are known by their first or last words."""
    text = "\n".join(path.read_text("utf-8") for path in SOURCES)
    pieces = re.findall(r"f[\"']([\w.]+[._])\{|\"([a-z]+\.)\" ~", text)
    starts = (*(start for pair in pieces for start in pair if start), "public.guessing.picked")
    unused = [key for key in ENGLISH.messages if f'"{key}"' not in text and f"'{key}'" not in text]
    assert [key for key in unused if not key.startswith(starts)] == []


def test_whole_numbers_are_grouped_and_decimals_are_as_the_language_has_them() -> None:
    assert ENGLISH.number("1234567") == "1,234,567"
    assert ENGLISH.number("1234.5") == "1234.5"
    assert ENGLISH.number("1e-6") == "1e-6"
    assert ENGLISH.percent("76.2") == "76.2%"


def test_parts_that_are_marked_stay_marked_and_texts_are_joined() -> None:
    found = words("public.guessing.settled", topic=Strong("age"))
    assert found == ("About ", Strong("age"), ", nothing is protected from them: what is held fixed gives the answer away.")


def test_numbers_that_somebody_has_to_round_are_not_written() -> None:
    with pytest.raises(TypeError, match="whoever rounds them"):
        say("number.whole", number=Fraction(1, 3))


def test_a_language_that_nobody_translated_to_is_refused_with_those_there_are() -> None:
    with making(Edition("xx")), pytest.raises(InvalidValue, match=r"not written in 'xx'.*known: 'en'"):
        say("page.skip")


def test_in_english_datasets_are_called_what_promises_call_them() -> None:
    """Over relations, groups, attributes, exact facts, samples and claims: both say the same, word for word."""
    invariants = ((), (Invariant("people"), Invariant("births")))
    claims = ((), ("a",), ("a", "b", "c", "d", "e"))
    compared = [
        ComparedPairs(Neighbours(relation, unit, None if relation is ADD_REMOVE else names, group), exact, hidden, claimed)
        for relation, unit, names, group, exact, hidden, claimed in product(
            (ADD_REMOVE, REPLACE_ONE),
            ("person", "household"),
            (None, ["age"], ["age", "sex", "race"]),
            (1, 3),
            invariants,
            (False, True),
            claims,
        )
    ]
    for item in compared:
        assert between(item) == item.between
        assert conditions(item) == item.conditions


def test_definitions_are_called_by_their_own_titles() -> None:
    known = default_registry()[DIVERGENCES]
    titles = {key.removeprefix("definition."): text for key, text in ENGLISH.messages.items() if "definition." in key[:11]}
    assert titles == {name: definition.title for name, definition in known.items()}


def test_a_list_of_words_needs_no_comma_before_the_last() -> None:
    assert [ENGLISH.joined(["a", "b", "c"][:size], "or") for size in range(4)] == ["", "a", "a or b", "a, b or c"]


def test_a_catalogue_of_ones_own_may_stand_in_another_folder(tmp_path: Path) -> None:
    (tmp_path / "en.toml").write_text('[lists]\n[numbers]\n[units]\n[a]\nb = "hello {name}"\n', "utf-8")
    own = catalogue("en", tmp_path)
    assert isinstance(own, Catalogue)
    assert own.message("a.b") == "hello {name}"


SPANISH = catalogue("es")


def test_spanish_says_e_and_u_before_the_same_sound() -> None:
    pairs = {"edad": "sexo y edad", "ingresos": "sexo e ingresos", "hijos": "sexo e hijos", "hielo": "sexo y hielo"}
    assert {last: SPANISH.joined(["sexo", last]) for last in pairs} == pairs
    assert SPANISH.joined(["sexo", "«ingresos»"]) == "sexo e «ingresos»"
    assert [SPANISH.joined(["sexo", last], "or") for last in ("edad", "ocio", "horas")] == [
        "sexo o edad",
        "sexo u ocio",
        "sexo u horas",
    ]


def test_spanish_writes_numbers_with_a_comma_and_groups_from_five_digits_on() -> None:
    assert [SPANISH.number(text) for text in ("0.5", "1234", "12345", "1234567", "1e-6", "-1234.5")] == [
        "0,5",
        "1234",
        "12\u00a0345",
        "1\u00a0234\u00a0567",
        "1e-6",
        "-1234,5",
    ]
    assert SPANISH.percent("76.2") == "76,2\u00a0%"


def test_spanish_has_forms_for_one_and_for_many_and_units_of_its_own() -> None:
    with making(Edition("es")):
        assert say("public.published.covers", count=1) == "Esta página abarca 1 entrega de estadísticas"
        assert say("public.published.covers", count=71) == "Esta página abarca 71 entregas de estadísticas"
    assert [SPANISH.unit("person", count) for count in (1, 2)] == ["persona", "personas"]
    assert [SPANISH.unit("hogar", count) for count in (1, 2)] == ["unidad «hogar»", "unidades «hogar»"]


def test_an_edition_ends_where_it_was_made() -> None:
    with making(Edition("es")):
        assert say("page.skip") == "Ir al contenido"
    assert say("page.skip") == "Skip to the content"
