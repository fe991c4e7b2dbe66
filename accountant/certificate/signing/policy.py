"""Policies: whose signatures are believed, in which roles, how many of them, and until when."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from accountant.certificate.signing.keys import PublicKey
from accountant.certificate.signing.roles import Role
from accountant.display.brief import Brief
from accountant.errors import Fault, InvalidValue, PlanError, PolicyError, suggest
from accountant.values.hygiene import unusable
from accountant.values.lines import line_of
from accountant.values.reading import Reader, inside
from accountant.values.source import Written

_ROLES = tuple(role.value for role in Role)
_DATE = "a day such as 2030-12-31, without quotes"


@frozen
class TrustedKey(Brief):
    """A key, what its owner is called here, and in which roles they are believed, until when."""

    name: str
    public: PublicKey = field(repr=False)
    roles: frozenset[Role]
    until: date | None = None


@frozen
class TrustPolicy(Brief):
    """Whose signatures are believed. How many different keys must have signed in each role is in `need`."""

    until: date
    keys: tuple[TrustedKey, ...]
    need: Mapping[Role, int] = field()

    @need.validator
    def _check(self, _: object, need: Mapping[Role, int]) -> None:
        # Files are held to this: they cannot make such a policy, and Python must not either.
        if not need or any(number < 1 for number in need.values()):
            raise InvalidValue("a policy needs at least one signature in every role that it speaks of, and of one role")
        if len({item.public for item in self.keys}) < len(self.keys) or len({item.name for item in self.keys}) < len(
            self.keys
        ):
            raise InvalidValue("a policy has every key and every name once")

    @classmethod
    def load(cls, path: str | Path) -> TrustPolicy:
        """The policy in a TOML file; every fault is reported at once, each with its line."""
        try:
            written = Written.in_file(path)
            data = written.data()
        except PlanError as error:
            raise PolicyError(error.faults) from error
        try:
            return cls.read(data)
        except PolicyError as error:
            raise PolicyError(tuple(_located(fault, written) for fault in error.faults)) from error

    @classmethod
    def read(cls, data: object) -> TrustPolicy:
        """The policy in plain data."""
        reader = _PolicyReader()
        found = reader.policy(data)
        if found is None or reader.faults:
            raise PolicyError(tuple(reader.faults))
        return found

    def key(self, key_id: str) -> TrustedKey | None:
        """The key with an id, which is compared whole; None where the policy does not name it."""
        return next((item for item in self.keys if item.public.key_id == key_id), None)


class _PolicyReader(Reader):
    """Reads policies, with all their faults."""

    def policy(self, data: object) -> TrustPolicy | None:
        table = self.table(data, "trust")
        if table is None:
            return None
        self.keys(table, ("until", "key", "need"), "trust")
        until = self._until(table, "") if "until" in table else None
        if "until" not in table:
            self.missing("until", "trust", f"the last day on which it is believed, {_DATE}")
        keys, listed = [], table.get("key", [])
        for place, item in self.tables(listed, "key"):
            keys.append(self._key(item, place))
        if not listed:
            self.fault("a policy that names no key believes nobody; add a [[key]] table", "key")
        known = [item for item in keys if item is not None]
        self._distinct(keys)
        need = self._need(table.get("need"), known if len(known) == len(keys) else None)
        return None if self.faults or until is None else TrustPolicy(until, tuple(known), need)

    def _key(self, data: Mapping[str, Any], place: str) -> TrustedKey | None:
        before = len(self.faults)
        self.keys(data, ("name", "public", "roles", "until"), place)
        for key, about in (("name", "whose key it is"), ("public", "the key"), ("roles", "a list of roles")):
            if key not in data:
                self.missing(key, place, about)
        name = self._text(data, "name", place)
        public = self._text(data, "public", place)
        found = None if public is None else self.attempt(inside(place, "public"), PublicKey.parse, public)
        roles = self._roles(data["roles"], inside(place, "roles")) if "roles" in data else frozenset()
        until = self._until(data, place) if "until" in data else None
        if len(self.faults) > before or name is None or found is None:
            return None
        return TrustedKey(name, found, roles, until)

    def _text(self, data: Mapping[str, Any], key: str, place: str) -> str | None:
        if key not in data:
            return None
        faults = [fault.message for fault in unusable(data[key], place)] if isinstance(data[key], str) else []
        if not isinstance(data[key], str) or not data[key].strip():
            faults = [f"expected text, got {data[key]!r}"]
        for message in faults:
            self.fault(message, inside(place, key))
        return None if faults else str(data[key])

    def _roles(self, data: object, place: str) -> frozenset[Role]:
        if not isinstance(data, list) or not data:
            self.fault(f"expected a list of roles, of {', '.join(_ROLES)}", place)
            return frozenset()
        return frozenset(role for item in data if (role := self._role(item, place)) is not None)

    def _role(self, data: object, place: str) -> Role | None:
        if isinstance(data, str) and data in _ROLES:
            return Role(data)
        self.fault(f"unknown role {data!r}{suggest(str(data), _ROLES)}", place)
        return None

    def _until(self, data: Mapping[str, Any], place: str) -> date | None:
        given = data["until"]
        # A time of day is a date to Python, and would be compared as none.
        if isinstance(given, date) and not isinstance(given, datetime):
            return given
        self.fault(f"expected {_DATE}, got {given!r}", inside(place, "until"))
        return None

    def _distinct(self, keys: list[TrustedKey | None]) -> None:
        """A key under two names would count for two people, and a name for two keys says nothing."""
        names: dict[str, int] = {}
        publics: dict[PublicKey, int] = {}
        for index, item in enumerate(keys):
            if item is None:
                continue
            first = publics.setdefault(item.public, index)
            if first != index:
                self.fault(f"the key of {_quoted(keys[first])} again; a key belongs to one person", f"key[{index}].public")
            if names.setdefault(item.name, index) != index:
                self.fault(f"'{item.name}' is the name of another key already; tell them apart", f"key[{index}].name")

    def _need(self, data: object, keys: list[TrustedKey] | None) -> dict[Role, int]:
        """How many keys must have signed in each role. Where the keys are known, as many must be able to."""
        table = {} if data is None else self.table(data, "need")
        if table is None:
            return {}
        if not table:
            self.fault("a policy that needs no signature is kept by anything; write [need] with curator = 1", "need")
        found = {}
        for name, number in table.items():
            place, role = inside("need", name), self._role(name, inside("need", name))
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                self.fault(f"expected a whole number of at least 1, got {number!r}", place)
            elif role is not None:
                found[role] = number
                able = number if keys is None else sum(role in item.roles for item in keys)
                if able < number:
                    self.fault(f"needs {number} keys, and {able} of those listed may sign as {role}", place)
        return found


def _quoted(key: TrustedKey | None) -> str:
    return "another" if key is None else f"'{key.name}'"


def _located(fault: Fault, written: Written) -> Fault:
    place = "" if fault.place == "trust" else fault.place
    place = place if fault.key is None else inside(place, fault.key)
    return evolve(fault, file=written.name, line=line_of(written.content, place, written.language))
