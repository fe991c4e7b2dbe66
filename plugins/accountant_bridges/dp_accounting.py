"""dp-accounting: trees of events, from live objects or from what `to_named_tuple` gives, written as JSON."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs

from accountant import PlanError
from accountant.fields import plain, shown
from accountant.plugin import Brought, Reader
from accountant_bridges.events import (
    EVENTS,
    REFUSED,
    ComposedDpEvent,
    DiscreteLaplaceDpEvent,
    EpsilonDeltaDpEvent,
    GaussianDpEvent,
    LaplaceDpEvent,
    PoissonSampledDpEvent,
    RandomizedResponseDpEvent,
    SampledWithoutReplacementDpEvent,
    SelfComposedDpEvent,
    ZCDpEvent,
)

_PACKAGE = "dp_accounting"
_SAYS = ("module_name", "class_name")
_RELATION, _LEDGER = "neighboring_relation", "ledger"
_REPLACED = "replace-one"
_RELATIONS = {"ADD_OR_REMOVE_ONE": "add-remove", "REPLACE_ONE": _REPLACED, "REPLACE_SPECIAL": "zero-out"}
_ASK = (
    "events do not say between which datasets, the accountant does: give the neighbours, 'add-remove' where it has "
    f"ADD_OR_REMOVE_ONE, '{_REPLACED}' where it has REPLACE_ONE and 'zero-out' where it has REPLACE_SPECIAL"
)
_MOST_BITS, _DEEPEST = 4096, 64
_INSTEAD = "state what it costs as a claim in the plan"

_TWICE = (
    "How far a sum moves between replaced records: by twice the norm, since multipliers of events are over the norm of one "
    "record. PLDAccountant takes it so; RdpAccountant takes it to move by the norm once, and says less."
)
_TRUST = "Why events that state a rho, or an epsilon and a delta, have it: that is taken on trust, as claims."

Sampled = PoissonSampledDpEvent | SampledWithoutReplacementDpEvent


def data_of(live: Any) -> Any:
    """The tree of an event, or that of everything which an accountant composed, with its neighbours."""
    relation = getattr(live, _RELATION, None)
    if isinstance(relation, enum.Enum):
        return {_RELATION: relation.name, _LEDGER: _tree(live.ledger)}
    return _tree(live)


def read(history: Any, neighbours: str | None) -> Brought:
    """The releases of a tree of events."""
    reader, said = _Events(), neighbours
    if isinstance(history, Mapping) and _LEDGER in history:
        reader.keys(history, (_RELATION, _LEDGER), "history")
        said = reader.relation(history.get(_RELATION), neighbours)
        reader.event(history[_LEDGER], _LEDGER)
    else:
        reader.event(history, "")
    if said is None and not reader.faults:
        reader.fault(_ASK, "history")
    reader.check(said)
    if reader.faults or said is None:
        raise PlanError(tuple(reader.faults))
    return Brought(reader.releases, said, None, tuple(reader.remarks(said)))


def _tree(live: Any, depth: int = 0) -> Any:
    """Live events as tables, as deep as any history may be. Nothing is asked of them but their fields."""
    if depth > _DEEPEST:
        return live
    if isinstance(live, (list, tuple)) and not hasattr(live, "_fields"):
        return [_tree(item, depth + 1) for item in live]
    if isinstance(live, type) or not attrs.has(type(live)):
        return live
    cls = type(live)
    fields = {member.name: _tree(getattr(live, member.name), depth + 1) for member in attrs.fields(cls)}
    return {"module_name": cls.__module__, "class_name": cls.__name__, **fields}


class _Events(Reader):
    """Walks a tree of events, and notes what they release and what is wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.releases: dict[str, dict[str, Any]] = {}
        self.met: dict[str, Any] = {}
        """The leaves of the tree by their places."""
        self.shared: list[str] = []
        """Where several events share a Poisson sample."""

    def fault(self, message: str, place: str, key: str | None = None) -> None:
        """Note one thing wrong; what is wrong with the outermost event has a place too."""
        super().fault(message, place or "event", key)

    def relation(self, said: object, asked: str | None) -> str | None:
        """The neighbours that an accountant says, which must be those that were asked for."""
        found = _RELATIONS.get(said) if isinstance(said, str) else None
        if found is None:
            self.fault(f"expected one of {', '.join(_RELATIONS)}, got {said!r}", _RELATION)
        elif asked is not None and asked != found:
            self.fault(f"the accountant says {said}, which is '{found}', and '{asked}' is asked for", _RELATION)
        return found

    def event(self, data: Any, place: str, times: int = 1) -> None:
        """Note what an event releases, so many times."""
        match self._found(data, place):
            case None:
                return
            case SelfComposedDpEvent(event=event, count=count):
                self.event(event, _below(place, "event"), times * count)
            case ComposedDpEvent(events=events):
                for where, event in self._listed(events, _below(place, "events")):
                    self.event(event, where, times)
            case PoissonSampledDpEvent() | SampledWithoutReplacementDpEvent() as sampled:
                self._sampled(sampled, place, times)
            case leaf:
                self._note(place, leaf, {**leaf.release(), "times": times})

    def _note(self, place: str, leaf: Any, release: dict[str, Any]) -> None:
        kind = type(leaf).__name__
        self.releases[place or "event"] = {"name": f"{kind} of {place}" if place else kind, **release}
        self.met[place] = leaf

    def _sampled(self, sampled: Sampled, place: str, times: int) -> None:
        """An event on a sample. Several on one sample are not several samples: only Gaussian noise adds up in one."""
        where = _below(place, "event")
        event = self._found(sampled.event, where)
        if event is None:
            return
        if isinstance(event, (GaussianDpEvent, LaplaceDpEvent, DiscreteLaplaceDpEvent)):
            release = event.release()
        else:
            precision = self._precision(event, where)
            if not precision:
                return
            if isinstance(sampled, PoissonSampledDpEvent):
                self.shared.append(place)
            release = {
                "query": {"kind": "gradient", "norm": 1},
                "mechanism": {"kind": "gaussian", "covariance": [[plain(1 / precision)]]},
            }
        self._note(place, sampled, {**release, "sampling": sampled.sampling(), "times": times})

    def _precision(self, event: Any, place: str) -> Fraction:
        """What Gaussian events on one sample come to: the sum of the reciprocals of their variances.

        Adaptive answers with Gaussian noise are together no worse than one with that precision, and it is attained.
        """
        match event:
            case None:
                return Fraction(0)
            case GaussianDpEvent(noise_multiplier=multiplier):
                return 1 / multiplier**2
            case SelfComposedDpEvent(event=inner, count=count):
                where = _below(place, "event")
                return count * self._precision(self._found(inner, where), where)
            case ComposedDpEvent(events=events):
                return self._together(self._listed(events, _below(place, "events")), place)
        self.fault(
            f"{type(event).__name__} on a sample beside others, or within another sample, is not accounted for: only "
            f"Gaussian events may share a sample; {_INSTEAD}",
            place,
        )
        return Fraction(0)

    def _together(self, listed: list[tuple[str, Any]], place: str) -> Fraction:
        total = Fraction(0)
        for where, inner in listed:
            total += self._precision(self._found(inner, where), where)
            if total.denominator.bit_length() > _MOST_BITS:
                self.fault(f"too many different multipliers share a sample; {_INSTEAD}", place)
                return Fraction(0)
        return total

    def _listed(self, events: Any, place: str) -> list[tuple[str, Any]]:
        if not isinstance(events, list) or not events:
            self.fault(f"expected a list of at least one event, got {shown(events)}", place)
            return []
        return [(f"{place}[{index}]", event) for index, event in enumerate(events)]

    def _found(self, data: Any, place: str) -> Any:
        """The event in a table, or in a list that gives its fields in order; None with a fault otherwise."""
        words = [data.get(word) for word in _SAYS] if isinstance(data, Mapping) else data
        if not isinstance(words, list) or len(words) < 2 or not all(isinstance(word, str) for word in words[:2]):
            self.fault(f"expected an event with module_name and class_name, got {shown(data)}", place)
            return None
        module, name = words[:2]
        if module.partition(".")[0] != _PACKAGE:
            self.fault(f"'{module}' is not of {_PACKAGE}; events of others are not known, {_INSTEAD}", place)
            return None
        if name not in EVENTS:
            why = REFUSED.get(name, "what it does is not known")
            self.fault(f"{name} has no counterpart here: {why}; {_INSTEAD}", place)
            return None
        cls = EVENTS[name]
        if isinstance(data, Mapping):
            return self.value(cls, {key: value for key, value in data.items() if key not in _SAYS}, place)
        fields = list(attrs.fields_dict(cls))
        if len(data) != 2 + len(fields):
            told = ", ".join(fields) or "nothing"
            self.fault(f"expected {told} after the name of {name}, got {len(data) - 2} values", place)
            return None
        return self.value(cls, dict(zip(fields, data[2:], strict=True)), place)

    def check(self, neighbours: str | None) -> None:
        """Note events that mean nothing between some neighbours."""
        for place, leaf in self.met.items() if neighbours not in (None, _REPLACED) else ():
            if isinstance(leaf, (RandomizedResponseDpEvent, SampledWithoutReplacementDpEvent)):
                named = type(leaf).__name__
                self.fault(f"{named} is about '{_REPLACED}' neighbours, and not about '{neighbours}'", place)
        # There, three laws that may depend on earlier answers are mixed two by two, and no theorem here covers that.
        for place in self.shared if neighbours == _REPLACED else ():
            self.fault(
                f"events that share a sample are not accounted for between '{_REPLACED}' neighbours; {_INSTEAD}", place
            )

    def remarks(self, neighbours: str) -> list[str]:
        """What the events do not say."""
        leaves = self.met.values()
        summed = (GaussianDpEvent, LaplaceDpEvent, PoissonSampledDpEvent, SampledWithoutReplacementDpEvent)
        moved = neighbours == _REPLACED and any(isinstance(leaf, summed) for leaf in leaves)
        trusted = any(isinstance(leaf, (ZCDpEvent, EpsilonDeltaDpEvent)) for leaf in leaves)
        return [*([_TWICE] if moved else []), *([_TRUST] if trusted else [])]


def _below(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
