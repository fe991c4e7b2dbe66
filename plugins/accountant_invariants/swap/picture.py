"""Picture: a page that shows what moved. It is for those who hold the records, since no budget covers who moved."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from accountant import Interval, InvalidValue
from accountant.report import Axis, Bar, Bars, Block, Callout, Document, KeyFigure, KeyFigures, Paragraph, Table
from accountant_invariants.swap.answer import CONFIDENTIAL
from accountant_invariants.swap.design import Swapped

_MOST = 10


def picture(swapped: Swapped, by: str | None = None) -> Document:
    """What moved, by the size of strata and by one of the attributes that stay, and how the cells of a table changed."""
    design, mechanism = swapped.design, swapped.design.mechanism
    attribute = _usual(swapped) if by is None else by
    if attribute not in mechanism.rest:
        known = ", ".join(sorted(mechanism.rest))
        raise InvalidValue(f"'{attribute}' does not stay with the records; show what moved by one of {known}")
    swap = ", ".join(sorted(mechanism.swap))
    blocks: tuple[Block, ...] = (
        Callout("warning", "Confidential", (Paragraph(CONFIDENTIAL),)),
        KeyFigures(
            (
                KeyFigure(f"{int(swapped.changed.sum()):,}", f"of {design.microdata.size:,} records look different"),
                KeyFigure(_most(mechanism.epsilon), "epsilon for each record that differs, at most"),
                KeyFigure(_most(mechanism.pair), "epsilon for two that exchange their values, at most"),
            )
        ),
        _shares("Who moved, by the size of the stratum", "records in the stratum", swapped, _by_size(swapped)),
        _shares(f"Who moved, by {attribute}", attribute, swapped, _by_value(swapped, attribute)),
        _cells(swapped, attribute),
    )
    return Document(f"What swapping of {swap} moved", blocks, f"{design.microdata.path.name}, {mechanism.version}")


def _most(value: Interval) -> str:
    return value.rounded(6)[1]


@frozen(eq=False)
class _Class:
    """Some records under one label."""

    label: str
    members: NDArray[np.bool_]


def _usual(swapped: Swapped) -> str:
    """The attribute that stays with the fewest values, but more than one."""
    columns = swapped.design.microdata.columns
    many = {name: len(np.unique(columns[name].codes)) for name in sorted(swapped.design.mechanism.rest)}
    return min(many, key=lambda name: (many[name] == 1, many[name]))


def _by_size(swapped: Swapped) -> Iterable[_Class]:
    """Strata by the power of ten that their size has."""
    sizes = swapped.design.strata.sizes[swapped.design.strata.labels]
    digits = [(1, 1), (2, 9), *((10**power, 10 ** (power + 1) - 1) for power in range(1, 10))]
    for low, high in digits:
        members = (sizes >= low) & (sizes <= high)
        if members.any():
            yield _Class(f"{low:,}" if low == high else f"{low:,} to {high:,}", members)


def _by_value(swapped: Swapped, attribute: str) -> Iterable[_Class]:
    column = swapped.design.microdata.columns[attribute]
    for code in _largest(column.codes):
        yield _Class(column.values[code], column.codes == code)


def _largest(codes: NDArray[np.int64]) -> list[int]:
    """The values that most records have, the most frequent first."""
    counts = np.bincount(codes)
    return [int(code) for code in np.argsort(-counts, kind="stable")[:_MOST] if counts[code]]


def _shares(title: str, label: str, swapped: Swapped, classes: Iterable[_Class]) -> Bars:
    """Of the records of each class, how many look different."""
    bars, rows = [], []
    for item in classes:
        whole, different = int(item.members.sum()), int(swapped.changed[item.members].sum())
        bars.append(Bar(item.label, different / whole, f"{100 * different / whole:.1f} %"))
        rows.append((item.label, f"{whole:,}", f"{different:,}"))
    table = Table(title, (label, "records", "look different"), tuple(rows))
    told = "Of the records in each row, the share that looks different now."
    return Bars(title, told, Axis("share", "share", 0.0, 1.0), tuple(bars), table)


def _cells(swapped: Swapped, attribute: str) -> Table:
    """How the counts by one attribute that stays and by what is swapped changed, in the stratum that moved most.

    Both margins are as they were: rows and columns sum to nothing.
    """
    design = swapped.design
    moved = np.bincount(design.strata.labels[swapped.changed], minlength=len(design.strata.sizes))
    place = int(np.argmax(moved))
    members = np.flatnonzero(design.strata.labels == place)
    column = design.microdata.columns[attribute]
    before, after = design.swapped_values, design.swapped_values[swapped.sources]
    touched = members[swapped.changed[members]]
    rows, columns = _largest(column.codes[touched]), _largest(before[touched])
    names = {int(code): _name(swapped, int(np.flatnonzero(before == code)[0])) for code in columns}
    cells = []
    for row in rows:
        own = members[column.codes[members] == row]
        change = [int(np.count_nonzero(after[own] == code) - np.count_nonzero(before[own] == code)) for code in columns]
        cells.append((column.values[row], *(f"{number:+d}" if number else "0" for number in change)))
    title = (
        f"Changes of counts by {attribute} and what is swapped, in the stratum that moved most ({len(members):,} records)"
    )
    return Table(title, (attribute, *(names[code] for code in columns)), tuple(cells))


def _name(swapped: Swapped, record: int) -> str:
    """The swapped values that a record had, in words."""
    columns = swapped.design.microdata.columns
    return ", ".join(columns[name].values[columns[name].codes[record]] for name in sorted(swapped.design.mechanism.swap))
