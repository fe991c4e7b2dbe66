"""Verification: whether a certificate follows from a plan, recomputed part by part."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from attrs import frozen

from accountant.certificate.certificate import Certificate
from accountant.certificate.certify import certify
from accountant.display.brief import Rich
from accountant.display.card import Card, Rows
from accountant.errors import Fault
from accountant.fields import expect
from accountant.plan.given import PlanLike
from accountant.promise.cards import verdict_label
from accountant.promise.guarantee import Verdict
from accountant.registry.registry import Registry, default_registry
from accountant.values.hygiene import shortened


@frozen
class Verification(Rich):
    """Whether a certificate follows from a plan, and every place where it does not."""

    verdict: Verdict
    differences: tuple[Fault, ...]

    def _card(self) -> Card:
        """Whether a certificate follows from its plan, and where it does not."""
        label = verdict_label(self.verdict.value)
        if self.verdict is Verdict.IMPLIED:
            said = "the certificate follows from the plan, every digit of it; what it decides stands in the certificate"
            return Card(said, label)
        rows = tuple((item.place, item.message) for item in self.differences)
        differ = "1 place differs" if len(rows) == 1 else f"{len(rows):,} places differ"
        title = f"the certificate does not follow from the plan: {differ}"
        return Card(title, label, (), (Rows(("place", "difference"), rows),))


def verify(certificate: Certificate, plan: PlanLike, *, registry: Registry | None = None) -> Verification:
    """Recompute a certificate from its plan and compare every part.

    Guarantee: implied only if the plan, the plugins and every digit agree.
    """
    expect(Certificate, certificate, "read one with Certificate.load")
    known = registry or default_registry()
    differences = plugin_differences(certificate, known)
    if not differences:
        differences = tuple(_differences("certificate", certificate.data, certify(plan, registry=known).data))
    return Verification(Verdict.REFUTED if differences else Verdict.IMPLIED, differences)


def plugin_differences(certificate: Certificate, registry: Registry) -> tuple[Fault, ...]:
    """Plugins that the certificate rests on and that are missing here or are not the same."""
    found: list[Fault] = []
    plugins = certificate.data.get("plugins")
    for index, stated in enumerate(plugins if isinstance(plugins, list) else []):
        place = f"certificate.plugins[{index}]"
        name = stated.get("name") if isinstance(stated, Mapping) else None
        if not isinstance(name, str) or name not in registry.plugins:
            found.append(Fault(f"the plugin '{name}' is not installed or not allowed here", place))
            continue
        here = registry.plugins[name]
        for key in ("distribution", "version", "digest"):
            if stated.get(key) != getattr(here, key):
                message = f"the plugin '{name}' has the {key} {getattr(here, key)} here, not {stated.get(key)}"
                found.append(Fault(message, f"{place}.{key}"))
    return tuple(found)


def _differences(place: str, stated: object, found: object) -> Iterator[Fault]:
    if isinstance(stated, Mapping) and isinstance(found, Mapping):
        for key in sorted({*stated, *found}):
            if key not in stated or key not in found:
                yield Fault("missing" if key not in stated else "should not be there", f"{place}.{key}")
            else:
                yield from _differences(f"{place}.{key}", stated[key], found[key])
    elif isinstance(stated, list) and isinstance(found, list):
        if len(stated) != len(found):
            yield Fault(f"has {len(stated)} items, recomputed {len(found)}", place)
        for index, (left, right) in enumerate(zip(stated, found, strict=False)):
            yield from _differences(f"{place}[{index}]", left, right)
    elif type(stated) is not type(found) or stated != found:
        yield Fault(f"says {_quoted(stated)}, recomputed {_quoted(found)}", place)


def _quoted(value: object) -> str:
    try:
        return shortened(json.dumps(value), 200)
    except RecursionError:
        return "something nested too deep"
