"""Grouped CSV: the rows of a large CSV file, counted block by block.

Where no cell is quoted and pyarrow is installed, the columns of a block are counted at once; from the first block on where
that is not so, the rows one by one. The groups are the same.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import IO, Any

from accountant.errors import Fault, PlanError
from accountant.progress import reached
from accountant.values.columns import MOST_FAULTS, counted
from accountant.values.groups import Cells, Found
from accountant.values.rows import checked_header, uneven
from accountant.values.source import not_utf8

_BLOCK = 2**24
_CHUNK = 2**14
_MOST_IN_CHUNK = 2**26

Numbered = tuple[list[str], int]
"""A row, and the line that it ends on."""


def count_csv(file: IO[bytes], found: Found, size: int) -> str:
    """Count the rows of a CSV file; the digest of the bytes that were read."""
    raw = _Watched(file, found, size)
    try:
        _count(raw, found)
    except UnicodeDecodeError as error:
        raise PlanError((Fault(f"'{found.path.name}' {_broken(file)}", found.place),)) from error
    except csv.Error as error:
        raise PlanError((Fault(f"'{found.path.name}' cannot be read: {error}", found.place),)) from error
    return raw.digest


def _broken(file: IO[bytes]) -> str:
    """Where a file is not UTF-8: it is read again, since decoders read ahead."""
    file.seek(0)
    decoder, lines = codecs.getincrementaldecoder("utf-8")(), 0
    while block := file.read(_BLOCK):
        try:
            decoder.decode(block)
        except UnicodeDecodeError as error:
            return not_utf8(error, lines)
        lines += block.count(b"\n")
    return "ends within a character"


def _count(raw: _Watched, found: Found) -> None:
    head = raw.line()
    if not _plain(head) or not head.strip() or not head.endswith(b"\n"):
        _by_rows(raw, found, None, 0, head)
        return
    columns = checked_header(next(csv.reader([head.decode("utf-8-sig")])), found.path, found.place)
    found.asked(columns)
    lines, rest = 1, b""
    while block := raw.read(_BLOCK):
        whole, mark, rest = (rest + block).rpartition(b"\n")
        if not mark and len(rest) > _MOST_IN_CHUNK:
            raise raw.too_long()
        if mark and not _by_columns(whole + mark, found, columns, lines):
            _by_rows(raw, found, columns, lines, whole + mark + rest)
            return
        lines += whole.count(b"\n") + len(mark)
    if rest and not _by_columns(rest, found, columns, lines):
        _by_rows(raw, found, columns, lines, rest)


def _plain(block: bytes) -> bool:
    """Whether commas and ends of lines are nothing but that."""
    return b'"' not in block and block.count(b"\r") == block.count(b"\r\n")


class _Watched(io.RawIOBase):
    """A file that knows what was read of it, and is not read on where a few rows take too much."""

    def __init__(self, file: IO[bytes], found: Found, size: int) -> None:
        self._file, self._found, self._size = file, found, max(1, size)
        self._hash, self._read, self._since = hashlib.sha256(), 0, 0
        self._first = b""

    @property
    def digest(self) -> str:
        """The digest of all that was read."""
        return self._hash.hexdigest()

    def line(self) -> bytes:
        """The first line."""
        return self._seen(self._file.readline(_MOST_IN_CHUNK))

    def read(self, size: int = -1, /) -> bytes:
        return self._seen(self._file.read(size))

    def again(self, content: bytes) -> None:
        """Read this once more, before what is left."""
        self._first = content

    def rows_read(self) -> None:
        """Note that some rows are whole: what they took counts no more."""
        self._since = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        if self._first:
            content, self._first = self._first[: len(buffer)], self._first[len(buffer) :]
        else:
            content = self.read(len(buffer))
        self._since += len(content)
        if self._since > _MOST_IN_CHUNK:
            raise self.too_long()
        buffer[: len(content)] = content
        return len(content)

    def too_long(self) -> PlanError:
        """The error of a file whose rows are too long to be read."""
        message = f"'{self._found.path.name}' has rows of more than {_MOST_IN_CHUNK // _CHUNK:,} bytes"
        return PlanError((Fault(message, self._found.place),))

    def _seen(self, content: bytes) -> bytes:
        self._hash.update(content)
        self._read += len(content)
        reached(self._read / self._size)
        return content


def _by_columns(block: bytes, found: Found, columns: Sequence[str], lines: int) -> bool:
    """Count whole lines at once; False, with nothing counted, where they must be read one by one."""
    if not _plain(block):
        return False
    try:
        import pyarrow
        from pyarrow import csv as arrow

        block.decode()
        shown = list(found.wanted) or [columns[0]]
        table = arrow.read_csv(
            pyarrow.BufferReader(block),
            arrow.ReadOptions(column_names=list(columns), block_size=len(block) + 1),
            arrow.ParseOptions(quote_char=False),
            arrow.ConvertOptions(
                column_types=dict.fromkeys(shown, pyarrow.string()), include_columns=shown, strings_can_be_null=False
            ),
        )
    except (ImportError, ValueError):  # what is wrong with a row is told where rows are read
        return False
    simple = block.count(b"\n") + (not block.endswith(b"\n")) == table.num_rows
    ends = () if simple else [number for number, line in enumerate(block.splitlines(), start=1) if line]
    groups = counted(table.columns[: len(found.wanted)], table.num_rows)
    found.add(table.num_rows, groups, lambda place: lines + (ends[place] if ends else place + 1))
    return True


def _by_rows(raw: _Watched, found: Found, columns: Sequence[str] | None, lines: int, first: bytes) -> None:
    """Count what is left of a file row by row, beginning with what was read already."""
    raw.again(first)
    raw.rows_read()
    text = io.TextIOWrapper(io.BufferedReader(raw, 2**20), encoding="utf-8" if lines else "utf-8-sig", newline="")
    reader = csv.reader(text)
    numbered = ((row, lines + reader.line_num) for row in reader if row)
    count_rows(numbered, found, columns, raw.rows_read)


def count_rows(
    numbered: Iterator[Numbered],
    found: Found,
    columns: Sequence[str] | None = None,
    whole: Callable[[], None] = lambda: None,
) -> None:
    """Count rows one by one; the first names the columns unless these are known. `whole` is told when some are whole."""
    known = checked_header(next(numbered, ([], 0))[0], found.path, found.place) if columns is None else tuple(columns)
    seen = list(map(known.index, found.asked(known)))
    faults: list[Fault] = []
    while len(faults) < MOST_FAULTS and (chunk := list(islice(numbered, _CHUNK))):
        whole()
        wrong = list(_uneven(chunk, known, found))
        faults += wrong[: MOST_FAULTS - len(faults)]
        ends = [line for _, line in chunk]
        found.add(len(chunk), () if faults else _groups(chunk, seen), ends.__getitem__)
    if faults:
        raise PlanError(tuple(faults))


def _uneven(chunk: Sequence[Numbered], columns: Sequence[str], found: Found) -> Iterator[Fault]:
    for number, (row, line) in enumerate(chunk, start=found.rows + 1):
        if len(row) != len(columns):
            yield uneven(found.path, len(row), number, len(columns), found.place, line)


def _groups(chunk: Sequence[Numbered], seen: Sequence[int]) -> Iterator[tuple[Cells, int, int]]:
    cells = [tuple(row[place] for place in seen) for row, _ in chunk]
    first = {key: place for place, key in reversed(list(enumerate(cells)))}
    yield from ((key, count, first[key]) for key, count in Counter(cells).items())
