"""Source: plain data in files and texts, read as it is written and written in one way."""

from __future__ import annotations

import codecs
import json
import re
import tomllib
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import IO, Any, Literal

from attrs import frozen

from accountant.errors import Fault, PlanError

LARGEST_FILE = 64 * 2**20
_MOST_DOTS = 256
_LONGEST_NUMBER = 1000


def canonical(data: object) -> str:
    """Plain data as JSON with sorted keys and no spaces: equal data, equal bytes."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@frozen
class Written:
    """A text that holds plain data: its language, what it is called, and the folder of its files, if there is one."""

    content: str
    language: Literal["json", "toml"]
    name: str
    folder: Path | None

    @classmethod
    def in_file(cls, source: str | Path) -> Written:
        """The text of a file, whose name says its language."""
        path = Path(source)
        return cls(file_text(path), "json" if path.suffix.lower() == ".json" else "toml", str(path), path.parent)

    @classmethod
    def unnamed(cls, content: str, name: str) -> Written:
        """A text that no file name says the language of: JSON if it begins as an object does."""
        return cls(content, "json" if content.lstrip().startswith("{") else "toml", name, None)

    def data(self) -> Any:
        """The plain data."""
        return parse(self.content, self.language, self.name)


def load_data(source: str | Path) -> Any:
    """The plain data in a TOML or JSON file."""
    return Written.in_file(source).data()


def parse(content: str, language: Literal["json", "toml"], place: str) -> Any:
    """The plain data in a text, whose numbers are read as they are written."""
    try:
        return _parse_json(content) if language == "json" else _parse_toml(content)
    except InvalidOperation as error:
        raise PlanError((Fault("cannot be parsed: the exponent of a number is out of range", place),)) from error
    except RecursionError as error:
        raise PlanError((Fault("cannot be parsed: nested too deep", place),)) from error
    except ValueError as error:
        hints = _language_hint(language, place) + _comma_hint(content)
        raise PlanError((Fault(f"cannot be parsed as {language.upper()}: {error}{hints}", place),)) from error


def _language_hint(language: str, place: str) -> str:
    """What is said where a file may be written in a language that its name does not say."""
    if language == "json" or Path(place).suffix.lower() in ("", ".toml"):
        return ""
    return "; a file whose name does not end in .json is read as TOML"


_COMMA = re.compile(r"[=:]\s*(?P<whole>[+-]?\d+),(?P<part>\d+)\s*(#.*|[,}].*)?$", re.MULTILINE)


def _comma_hint(content: str) -> str:
    """What may be wrong with a text that cannot be parsed: a number with a decimal comma."""
    found = _COMMA.search(content)
    if found is None:
        return ""
    line = content.count("\n", 0, found.start()) + 1
    return f"; line {line} may have a decimal comma: write {found['whole']}.{found['part']}"


def file_text(path: Path) -> str:
    """The text of a file. The size is checked while reading, since devices and pipes do not tell theirs."""
    try:
        with path.open("rb") as file:
            return decoded(file, str(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise PlanError((Fault(f"cannot be read: {reason}", str(path)),)) from error


def decoded(file: IO[bytes], name: str) -> str:
    """The text in what is left of a file."""
    content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise PlanError((Fault(f"larger than {LARGEST_FILE:,} bytes", name),))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PlanError((Fault(not_utf8(error), name),)) from error


def not_utf8(error: UnicodeDecodeError, before: int = 0) -> str:
    """Why some bytes are not read as text, and what to do; some lines may stand `before` them."""
    if (not before and error.object[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or 0 in error.object[:2]:
        return "is text in UTF-16; save it as UTF-8"
    line = before + error.object.count(b"\n", 0, error.start) + 1
    return f"is not text in UTF-8: there is a byte in line {line} that cannot be read; save it as UTF-8"


def _parse_toml(content: str) -> Any:
    # The parser takes quadratic time for a key of many parts.
    if any(run.group().count(".") > _MOST_DOTS for run in re.finditer(r"""[\w\-"' \t.]+""", content)):
        raise ValueError(f"a key of more than {_MOST_DOTS} parts")
    return tomllib.loads(content, parse_float=Decimal)


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose keys are all different: of two equal ones a reader would see one and a parser the other."""
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise ValueError(f"the key {key!r} is given twice")
        table[key] = value
    return table


def _parse_json(content: str) -> Any:
    def number(digits: str) -> int | Decimal:
        return int(digits) if len(digits) <= _LONGEST_NUMBER else Decimal(digits)

    return json.loads(content, parse_float=Decimal, parse_int=number, object_pairs_hook=unique_keys)
