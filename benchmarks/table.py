"""What the records say side by side, as text, Markdown or data."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from attrs import asdict, frozen
from jobs import Job
from measure import Record
from systems import SYSTEMS

_HEADINGS = ("system", "time", "times ours", "memory", "lower", "upper", "relative width", "agrees", "remark")


@frozen
class Row:
    """One line of the table, as numbers."""

    job: str
    system: str
    seconds: float | None
    ratio: float | None
    bytes: int | None
    memory_ratio: float | None
    lower: float | None
    upper: float | None
    width: float | None
    agrees: bool | None
    remark: str


def rows(job: Job, records: list[Record]) -> list[Row]:
    """One row per system; the first record is ours."""
    return [_row(job, record, records[0]) for record in records]


def _row(job: Job, record: Record, ours: Record) -> Row:
    seconds, other = record.seconds, ours.seconds
    agrees, remark = _agreement(job, record, ours)
    shown = _worst_point(record)
    return Row(
        job.name,
        record.system,
        seconds,
        seconds / other if seconds and other else None,
        record.bytes,
        record.bytes / ours.bytes if record.bytes and ours.bytes else None,
        record.lower[shown] if record.lower else None,
        record.upper[shown] if record.upper else None,
        width(record),
        agrees,
        remark,
    )


def _worst_point(record: Record) -> int:
    """The reading that is shown: the only one, or the last of a curve, where delta is smallest."""
    return len(record.upper) - 1 if record.upper else 0


def width(record: Record) -> float | None:
    """The largest width of any reading, relative to its upper end."""
    if record.upper is None or record.lower is None:
        return None
    return max((high - low) / abs(high) if high else 0.0 for low, high in zip(record.lower, record.upper, strict=True))


def _agreement(job: Job, record: Record, ours: Record) -> tuple[bool | None, str]:
    if record.missing or record.failure or record.upper is None:
        return None, record.missing or record.failure or ""
    if record is ours:
        return _against_reference(job, record)
    name, lower, upper = "ours", ours.lower, ours.upper
    if lower is None or upper is None:
        if job.reference is None:
            return None, "nothing to compare with"
        name, lower, upper = "the reference", [job.truth[0]], [job.truth[1]]
    faults = []
    if low := sum(theirs < mine for theirs, mine in zip(record.upper, lower, strict=True)):
        faults.append(f"upper end below the lower end of {name}{_of(low, record)}")
    if record.lower and (high := sum(theirs > mine for theirs, mine in zip(record.lower, upper, strict=True))):
        faults.append(f"lower end above the upper end of {name}{_of(high, record)}")
    if any(value < 0.0 for value in record.upper):
        faults.append("a negative upper end")
    if faults:
        evidence = f"the truth is {job.reference}" if job.reference else "our interval is the evidence"
        return False, f"{', '.join(faults)}; {evidence}: {SYSTEMS[record.system].why}"
    return True, _excess(record, upper, name)


def _against_reference(job: Job, record: Record) -> tuple[bool | None, str]:
    assert record.upper is not None
    assert record.lower is not None
    if any(low > high for low, high in zip(record.lower, record.upper, strict=True)):
        return False, "lower end above upper end"
    remark = f"first run in a fresh process {duration(record.first)}" if _cold(record) else ""
    if job.reference is None:
        return True, remark
    low, high = job.truth
    holds = record.lower[0] <= high and record.upper[0] >= low
    return holds, remark if holds else f"the reference {job.reference} lies outside"


def _cold(record: Record) -> bool:
    """Whether repetition made it much faster than it is for someone who asks once."""
    return record.first is not None and record.seconds is not None and record.first > 2.0 * record.seconds + 0.002


def _excess(record: Record, upper: list[float], name: str) -> str:
    assert record.upper is not None
    if record.lower is not None:
        return ""
    excess = max(theirs / mine - 1.0 if mine else 0.0 for theirs, mine in zip(record.upper, upper, strict=True))
    side = "above" if excess >= 0.0 else "below"
    return f"upper only, {abs(excess):.2g} {side} {name}" if abs(excess) < math.inf else "upper only"


def _of(number: int, record: Record) -> str:
    assert record.upper is not None
    return f" at {number} of {len(record.upper)} points" if len(record.upper) > 1 else ""


def duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds:.3g} s" if seconds >= 1.0 else f"{1e3 * seconds:.3g} ms"


def _memory(size: int | None) -> str:
    if size is None:
        return ""
    return f"{size / 2**20:.0f} MiB" if size >= 2**20 else "< 1 MiB"


def _cells(row: Row) -> list[str]:
    timed = row.remark if row.seconds is None and row.remark.startswith("> ") else duration(row.seconds)
    return [
        row.system,
        timed,
        "" if row.ratio is None else f"{row.ratio:.3g}",
        _memory(row.bytes),
        "" if row.lower is None else f"{row.lower:.9g}",
        "" if row.upper is None else f"{row.upper:.9g}",
        "" if row.width is None else f"{row.width:.1e}",
        {True: "yes", False: "NO", None: ""}[row.agrees],
        "" if row.remark == timed else row.remark,
    ]


def as_text(job: Job, found: list[Row]) -> str:
    """One block per job, columns aligned."""
    lines = [list(_HEADINGS), *map(_cells, found)]
    sizes = [max(len(line[column]) for line in lines) for column in range(len(_HEADINGS) - 1)]
    shown = [
        "  ".join([*(cell.ljust(size) for cell, size in zip(line, sizes, strict=False)), line[-1]]).rstrip()
        for line in lines
    ]
    return "\n".join([f"{job.name}: {job.title}", *(f"  {line}" for line in shown), ""])


def as_markdown(job: Job, found: list[Row]) -> str:
    """One section per job, for the documentation."""
    lines = [list(_HEADINGS), ["---"] * len(_HEADINGS), *map(_cells, found)]
    return "\n".join([f"**{job.title}**", "", *("| " + " | ".join(line) + " |" for line in lines), ""])


_SUMMED_UP = ("dp-accounting PLD", "prv-accountant", "PLD_accounting", "dp-accounting RDP")


def as_summary(found: dict[str, tuple[Job, list[Row]]], names: Collection[str]) -> str:
    """One row per job: what ours took and how wide it is, then how many times as long others took, and what is wrong."""
    chosen = [found[name] for name in names if name in found]
    asked = [system for system in _SUMMED_UP if any(system == row.system for _, rows_of in chosen for row in rows_of)]
    headings = ["", "time", "relative width", *asked]
    lines = [headings, ["---"] * len(headings)]
    for job, rows_of in chosen:
        rows_by = {row.system: row for row in rows_of}
        ours = rows_of[0]
        shown = [_briefly(rows_by.get(system)) for system in asked]
        lines.append([job.title, duration(ours.seconds), "" if ours.width is None else f"{ours.width:.1e}", *shown])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def as_answers(found: list[Row]) -> str:
    """One row per system that answered: both ends where it has them, and how many times as long as ours it took."""
    lines = [["", "says", "time", "times ours"], ["---"] * 4]
    for row in found:
        if row.upper is not None:
            ends = f"at most {row.upper:.9g}" if row.lower is None else f"{row.lower:.9g} to {row.upper:.9g}"
            wrong = ", too small" if row.agrees is False else ""
            lines.append([row.system, ends + wrong, duration(row.seconds), "" if row.ratio is None else f"{row.ratio:.3g}"])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _briefly(row: Row | None) -> str:
    if row is None or row.ratio is None:
        return row.remark if row is not None and row.remark.startswith(("> ", "out of")) else ""
    sides = "" if row.width is None else f", width {row.width:.1e}"
    return f"{row.ratio:.3g} times{sides}{', too small' if row.agrees is False else ''}"


def as_data(record: Record, row: Row) -> dict[str, Any]:
    """Everything that was measured, with what the table makes of it."""
    return {**asdict(record), **asdict(row)}
