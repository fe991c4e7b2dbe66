"""Answers: the JSON Schema of what commands print with --json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs

from accountant.cli.options import STATED

if TYPE_CHECKING:
    import click

Schema = dict[str, Any]

_ABOUT = "What each command prints with --json stands under its name; faults and warnings are what goes to standard error."
_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_WHOLE: Schema = {"type": "integer"}
_PLAN: Schema = {"type": "object", "description": "a plan; `accountant schema plan` says which keys it has"}
_SCHEMA: Schema = {"type": "object", "description": "a JSON Schema"}


def output_schema(further: Mapping[str, click.Command]) -> Schema:
    """What commands print with --json: answers on standard output, faults and warnings on standard error.

    Each answer stands under the name of its command in `$defs`, and so do the shapes that all share.
    """
    from accountant.plan.schema import DIALECT

    stated: dict[str, Schema] = {name: getattr(command, STATED, dict)() for name, command in _each(further)}
    found = {**_answers(), **stated}
    parts = {**_shared(), **{cls.__name__: _record(cls) for cls in _records()}}
    return {"$schema": DIALECT, "title": "accountant output", "description": _ABOUT, "$defs": {**parts, **found}}


def _each(commands: Mapping[str, click.Command]) -> Iterator[tuple[str, click.Command]]:
    """Commands by their names, those of a group after its own: `swap-plan`."""
    import click

    for name, command in commands.items():
        if not isinstance(command, click.Group):
            yield name, command
            continue
        within = click.Context(command)
        inside = {f"{name}-{inner}": command.get_command(within, inner) for inner in command.list_commands(within)}
        yield from _each({inner: found for inner, found in inside.items() if found is not None})


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _many(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _table(**properties: Schema) -> Schema:
    """An object with these keys and no others; those whose names end in an underscore may be left out."""
    keys = {name.rstrip("_"): item for name, item in properties.items()}
    needed = [name for name in properties if not name.endswith("_")]
    return {"type": "object", "properties": keys, "required": needed, "additionalProperties": False}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _shared() -> dict[str, Schema]:
    """The shapes that answers have in common."""
    number, fault = _ref("number"), _ref("fault")
    return {
        "number": {
            "type": "string",
            "description": "a number as text: a decimal, a fraction of whole numbers, or inf",
            "pattern": r"^-?(inf|[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?|[0-9]+/[0-9]+)$",
        },
        "interval": _ref("Enclosure"),
        "words": {
            "type": "object",
            "description": "the words that a definition is read at, such as delta",
            "additionalProperties": number,
        },
        "fault": {
            **_table(message=_TEXT, place=_or_null(_TEXT), name_=_TEXT, file_=_TEXT, line_={**_WHOLE, "minimum": 1}),
            "description": "what is wrong, and where: the place in the data with lists counted from 0, an option, or null; "
            "the name of the release or scenario, the file and its line, where they are known",
        },
        "faults": {
            **_table(error={**_many(fault), "minItems": 1}),
            "description": "on standard error, with exit status 2 or 3",
        },
        "warnings": {
            **_table(warning={**_many(fault), "minItems": 1}),
            "description": "on standard error, with any exit status",
        },
        "budget": _table(
            divergence=_TEXT,
            name=_TEXT,
            at=_ref("words"),
            limit=number,
            spent=number,
            reserved=number,
            asked=number,
            left=number,
            fits=_FLAG,
        ),
        "reservation": _table(number=_WHOLE, state=_TEXT, releases=_many(_TEXT), key_=_TEXT, repeated=_FLAG),
    }


def _answers() -> dict[str, Schema]:
    """What each of the program's own commands prints."""
    from accountant.promise.guarantee import Verdict

    number, value, verdict = _ref("number"), _ref("CertifiedValue"), _form(Verdict)
    read = {"divergence": _TEXT, "at": _ref("words"), "value": value, "between": _TEXT}
    steps, guarantees = _many(_ref("CertifiedStep")), _many(_ref("CertifiedGuarantee"))
    return {
        "certify": _certificate(),
        "verify": _table(
            verified=_FLAG,
            verdicts=_many(verdict),
            decisions=_many(_table(of=_TEXT, verdict=verdict, why=_or_null(_TEXT))),
            differences=_many(_ref("fault")),
            recomputed_=_table(
                equal=_WHOLE, at_least_as_good=_many(_TEXT), refined=_many(_TEXT), precision=_or_null(number)
            ),
            layers_=_many(_ref("CertifiedLayer")),
            unchecked_=_many(_ref("fault")),
            trust_=_trust(),
        ),
        "sign": {"anyOf": [_signed(), _table(signed={"const": False}, differences=_many(_ref("fault")))]},
        "keys-new": _table(private=_TEXT, public_file=_TEXT, key=_TEXT, public=_TEXT),
        "keys-show": _table(key=_TEXT, public=_TEXT),
        "measure": _table(**read, meaning=_TEXT, conditions=_many(_TEXT), derivation=steps, remark_=_TEXT),
        "explain": _table(**read, derivation=steps),
        "scenario": _table(
            divergence=_TEXT,
            at=_ref("words"),
            everything=value,
            scenarios=_many(
                _table(
                    name=_TEXT,
                    attributes=_many(_TEXT),
                    closest=_ref("Closest"),
                    exposed=_many(_TEXT),
                    value=_or_null(value),
                )
            ),
        ),
        "calibrate": _table(factor=number, less=number, plan=_PLAN, guarantees=guarantees, labels=_many(_TEXT)),
        "reallocate": _table(
            minimised=_TEXT,
            share=number,
            error=value,
            common=value,
            releases=_many(
                _table(name=_TEXT, weight=number, factor=_or_null(number), before=_or_null(value), after=_or_null(value))
            ),
            plan=_PLAN,
            guarantees=guarantees,
            labels=_many(_TEXT),
        ),
        "compare": {"anyOf": [_compared_values(verdict, guarantees), _compared_files(verdict), _table(page=_TEXT)]},
        "audit": _audits(number),
        "init": _table(file=_TEXT, plan=_PLAN, next=_TEXT),
        "bridge": _table(**read, file=_or_null(_TEXT), remarks=_many(_TEXT), plan=_PLAN),
        "diff": _difference(verdict),
        "report": _table(report=_TEXT, audience=_TEXT, format=_TEXT),
        "plugins": _table(plugins=_many(_plugin())),
        "plugins-new": _table(directory=_TEXT, files=_many(_TEXT), next=_many(_TEXT)),
        "schema": _SCHEMA,
        **{f"ledger-{name}": schema for name, schema in _ledger().items()},
    }


def _trust() -> Schema:
    """Whose signatures count, and for what they are not enough."""
    signer = _table(name=_TEXT, role=_TEXT, key=_TEXT, time=_TEXT)
    return _table(trusted=_FLAG, signers=_many(signer), faults=_many(_ref("fault")), notes=_many(_TEXT))


def _signed() -> Schema:
    subject = _table(part=_TEXT, name=_TEXT, sha256=_TEXT)
    return _table(
        signed={"const": True},
        signatures=_TEXT,
        key=_TEXT,
        role=_TEXT,
        result={"enum": ["PASSED", "FAILED"]},
        subjects=_many(subject),
        differences=_many(_ref("fault")),
    )


def _plugin() -> Schema:
    registers = {"type": "object", "additionalProperties": _many(_TEXT)}
    return _table(name=_TEXT, distribution=_TEXT, version=_TEXT, digest=_TEXT, registers=registers, laws=_or_null(_TEXT))


def _certificate() -> Schema:
    from accountant.certificate.contents import Contents

    contents = _record(Contents)
    return {
        **contents,
        "description": "the certificate, as it is written",
        "properties": {"format": _TEXT, "seal": _TEXT, **contents["properties"]},
        "required": ["format", "seal", *contents["required"]],
    }


def _compared_values(verdict: Schema, guarantees: Schema) -> Schema:
    published = _many(_ref("CertifiedFormula"))
    return _table(verdict=verdict, guarantees=guarantees, witness=_or_null(_TEXT), published=published)


def _compared_files(verdict: Schema) -> Schema:
    reasons = _many(_table(block=_TEXT, verdict=verdict, words=_TEXT))
    common = _many(_table(first=_TEXT, second=_TEXT, words=_many(_TEXT)))
    compared = _many(_table(first=_TEXT, second=_TEXT, verdict=verdict, reasons=reasons))
    return _table(comparisons=compared, common=common)


def _difference(verdict: Schema) -> Schema:
    """What changed from one plan to another; `before` and `after` of a change are parts of plans."""
    asked, interval = _or_null(verdict), _ref("interval")
    side = _or_null(_table(value=interval, limit=_or_null(_ref("number")), verdict=asked))
    return _table(
        kept=_FLAG,
        verdict=_table(before=asked, after=asked),
        decisions=_many(_table(of=_TEXT, before=asked, after=asked)),
        comparable=_FLAG,
        promises=_or_null(_many(_table(verdict=verdict, reasons=_many(_TEXT)))),
        costs=_many(_table(reading=_TEXT, before=side, after=side, growth=_or_null(interval))),
        changes=_many(_table(part=_TEXT, field=_TEXT, before={}, after={})),
        reordered=_FLAG,
    )


def _audits(number: Schema) -> Schema:
    found = _table(epsilon=number, event=_TEXT, seen=_many(_WHOLE), runs=_WHOLE)
    audit = _table(release=_TEXT, verdict=_TEXT, claimed_=_ref("Enclosure"), found_=found, remark_=_TEXT)
    return _table(delta=number, samples=_WHOLE, confidence=number, seed=_WHOLE, audits=_many(audit))


def _ledger() -> dict[str, Schema]:
    """What the commands of a ledger print; `history` one entry on each line."""
    budgets, made = _many(_ref("budget")), _ref("reservation")
    status = {
        "name": _TEXT,
        "title": _TEXT,
        "adaptivity": _TEXT,
        "entries": _WHOLE,
        "head": _TEXT,
        "budgets": budgets,
        "open": _many(made),
    }
    refused = _table(fits={"const": False}, message=_TEXT, budgets=budgets)
    entry = _table(number=_WHOLE, kind=_TEXT, moment=_TEXT, settles_=_WHOLE, key_=_TEXT, previous=_TEXT, digest=_TEXT)
    return {
        "open": {"anyOf": [_table(**status, terms=_PLAN), refused]},
        "quote": _table(fits=_FLAG, budgets=budgets),
        "reserve": {"anyOf": [made, refused, _table(state={"const": "cancelled"}, message=_TEXT)]},
        "commit": made,
        "cancel": made,
        "status": {"anyOf": [_table(**status), _ref("CertifiedGuarantee")]},
        "history": {**entry, "additionalProperties": True},
        "what-if": _table(accepted=_many(_TEXT), refused=_many(_TEXT), repeats=_or_null(_WHOLE), budgets=budgets),
        "verify": _table(verified=_FLAG, faults=_many(_ref("fault"))),
        "export": {"anyOf": [_table(plan=_TEXT, digest=_TEXT), _PLAN]},
        "checkpoint": _table(checkpoint=_TEXT, origin=_TEXT, size=_WHOLE, root=_TEXT, verifier=_TEXT),
        "prove": _table(proof=_TEXT, proves=_TEXT),
        "check-proof": _table(proved=_FLAG, faults=_many(_TEXT), entry_={**entry, "additionalProperties": True}),
        "witness": {
            "anyOf": [
                _table(cosigned={"const": True}, checkpoint=_TEXT, origin=_TEXT, size=_WHOLE, verifier=_TEXT),
                _table(cosigned={"const": False}, message=_TEXT),
            ]
        },
        "roles": _table(writers_=_TEXT, readers_=_TEXT),
    }


def _records() -> list[type]:
    """The value classes that answers are made of, in whatever depth."""
    from accountant.certificate.contents import CertifiedFormula, CertifiedGuarantee, Contents, Enclosure

    found: dict[type, None] = {}
    waiting: list[Any] = [Contents, CertifiedGuarantee, CertifiedFormula, Enclosure]
    while waiting:
        form = waiting.pop()
        inside = get_args(form)
        if isinstance(form, type) and attrs.has(form) and form not in found:
            found[form] = None
            inside = tuple(get_type_hints(form)[member.name] for member in attrs.fields(form))
        waiting.extend(inside)
    return sorted((cls for cls in found if cls is not Contents), key=lambda cls: cls.__name__)


def _record(cls: type) -> Schema:
    """The schema of a value class, as certificates write it."""
    from accountant.certificate.contents import Enclosure
    from accountant.certificate.data import LEFT_OUT_IF_EMPTY, THE_REST

    hints, properties, needed = get_type_hints(cls), {}, []
    members = attrs.fields(cls)
    rest = any(THE_REST in member.metadata for member in members)
    for member in members:
        if THE_REST in member.metadata:
            continue
        is_number = issubclass(cls, Enclosure) and member.name in ("lower", "upper", "exact")
        properties[member.name] = _ref("number") if is_number else _form(hints[member.name])
        if LEFT_OUT_IF_EMPTY not in member.metadata and NoneType not in get_args(hints[member.name]):
            needed.append(member.name)
    described = (cls.__doc__ or "").partition("\n")[0]
    return {
        "type": "object",
        "description": described,
        "properties": properties,
        "required": needed,
        "additionalProperties": rest,
    }


def _form(form: Any) -> Schema:
    """The schema of a type that the fields of value classes have."""
    kind = get_origin(form) or form
    if kind in (Union, UnionType):
        choices = [_form(item) for item in get_args(form) if item is not NoneType]
        return choices[0] if len(choices) == 1 else {"anyOf": choices}
    if kind is tuple:
        return _many(_form(get_args(form)[0]))
    if kind is Literal:
        return {"enum": list(get_args(form))}
    if kind in _SCALARS:
        return _SCALARS[kind]
    if issubclass(kind, Mapping):
        return {"type": "object", **({"additionalProperties": _TEXT} if get_args(form)[1] is str else {})}
    return {"enum": [item.value for item in kind]} if issubclass(kind, Enum) else _ref(kind.__name__)


_SCALARS: dict[Any, Schema] = {str: _TEXT, int: _WHOLE, bool: _FLAG}
