"""Form: what may stand in a plan, declared once.

The reader, the writer, the JSON Schema and the reference walk this declaration. A key that is new in plans is one line
here, beside the field of the value class that holds what it says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import attrs
from attrs import frozen

from accountant.plan.checks import Check, asks_query, names_declared, sees_laws
from accountant.promise.cohort import Cohort
from accountant.promise.domain import Domain
from accountant.promise.entities import Entity
from accountant.promise.invariant import Invariant
from accountant.promise.neighbours import NEIGHBOURS, POLICIES, Neighbours, Relation
from accountant.promise.public_facts import PUBLIC_FACTS
from accountant.promise.risk import RISK_PROFILES
from accountant.promise.specification import Budget, Knowledge, Specification
from accountant.release.claim import Claim
from accountant.release.query import QUERIES
from accountant.release.release import MECHANISMS, Release, Scope
from accountant.release.sampling import SAMPLINGS
from accountant.values.family import Family


@frozen(eq=False)
class Stated:
    """A table that names a definition and gives its parameter, or, with `curves`, several `points` that hold at once.

    It may have further keys, from whose values `build` makes what it stands for.
    """

    build: Callable[..., Any]
    curves: bool = False
    keys: tuple[Key, ...] = ()


@frozen(eq=False)
class Asked:
    """A table that names a definition and gives the words of one of its readings."""


@frozen(eq=False)
class Many:
    """A list of parts, so many at least by the schema.

    Where only the field `short` of an item is given, it may stand for the item; `alone`, an item may stand for the list.
    """

    item: Part
    least: int = 0
    short: str = ""
    alone: bool = False


@frozen(eq=False)
class Short:
    """A table with the fields of a value class, or a text that gives its field `name` alone."""

    cls: type[Any]
    name: str


@frozen(eq=False)
class KeyedTable:
    """A table with these keys, from whose values `build` makes what it stands for.

    Keys are written in this order. Faults come in it too, but those of the keys named in `first` before all others.
    An error of `build` is the fault of the key that it `blames`. Where the table is left out, `missing` is the fault.
    """

    about: str
    keys: tuple[Key, ...]
    build: Callable[..., Any]
    first: tuple[str, ...] = ()
    blames: str = ""
    missing: str = "missing"

    @property
    def reading_order(self) -> list[Key]:
        """The keys in the order in which they are read."""
        return sorted(self.keys, key=lambda key: [*self.first, key.name].index(key.name))


@frozen(eq=False)
class Joined:
    """A table with the kind and the fields of an item of a family, and further keys.

    `build` joins the item, which is then found at `item`, with what these hold.
    """

    family: Family[type[Any]]
    keys: tuple[Key, ...]
    build: Callable[..., Any]
    item: str


@frozen(eq=False)
class Either:
    """An item of a family by its name, or a table with the kind and the fields of one of another family, made into such.

    Where a kind need not be told anything, its name stands for the table.
    """

    named: Family[Any]
    kinds: Family[type[Any]]
    build: Callable[[Any], Any]
    item: Callable[[Any], Any]
    """The item of the second family in what it was made into; None where it was made otherwise."""


@frozen(eq=False)
class InRows:
    """A table that names a file, and says what each row of it stands for."""

    about: str
    row: KeyedTable


Part: TypeAlias = (
    "attrs.Attribute[Any] | type[Any] | Family[Any] | Stated | Asked | Many | Short | KeyedTable | Joined | Either | InRows"
)
"""What can stand under a key: a field of a value class, a table with the fields of a value class, an item of a family (by
name, or where the family has classes a table with its kind), or one of the forms above."""


@frozen(eq=False)
class Key:
    """One key of a table. In what the table stands for, `at` leads to what the key holds; None where others are written.

    What a key holds when it is left out is not written, except `always`. A `default` stands in for what is left out as if
    it were given. The `check` is made when the key has been read.
    """

    name: str
    part: Part
    about: str
    at: str | None = attrs.field(default=attrs.Factory(lambda self: self.name, takes_self=True))
    required: bool = False
    always: bool = False
    default: str | None = None
    check: Check | None = None

    @property
    def left_out(self) -> object:
        """What the key holds when it is left out."""
        if isinstance(self.part, attrs.Attribute):
            return self.part.default
        return () if isinstance(self.part, Many) else None


def field(cls: type[Any], name: str, *, inside: str = "", **more: Any) -> Key:
    """The key of a field of a value class, which may stand inside another."""
    member = next(member for member in attrs.fields(cls) if (member.alias or member.name) == name)
    said = {"about": member.metadata.get("about", ""), "required": member.default is attrs.NOTHING, "part": member}
    return Key(name, at=inside + member.name, **{**said, **more})


def _specification(
    *, relation: Any, unit: Any, attributes: Any, group: Any, declared: Any, domain: Domain | None, **others: Any
) -> Specification:
    return Specification(Neighbours(relation, unit, attributes, group, declared), domain=domain or Domain(), **others)


OTHERWISE: dict[type[Any], Stated] = {Claim: Stated(Claim, curves=True)}
"""The classes of families whose tables do not have their fields."""

DOMAIN = Short(Domain, "name")
RELATION = Either(NEIGHBOURS, POLICIES, Relation.of, lambda relation: relation.policy)

SPECIFICATION = KeyedTable(
    "What is promised, and between which datasets.",
    (
        field(Neighbours, "unit", inside="neighbours.", always=True),
        Key("neighbours", RELATION, "which datasets are compared", at="neighbours.relation", required=True),
        field(Neighbours, "group", inside="neighbours."),
        field(Neighbours, "attributes", inside="neighbours.", check=names_declared),
        Key("entities", Many(Entity), "who contains whom, and what may change", at="neighbours.entities.declared"),
        Key("invariants", Many(Invariant, short="name"), "statistics that are published exactly, by name or as tables"),
        field(Specification, "domain", part=DOMAIN, always=True),
        field(Specification, "attacker"),
        field(Specification, "inside"),
    ),
    _specification,
    first=("neighbours", "entities", "invariants", "domain", "unit", "attributes"),
    blames="attributes",
    missing='missing; say which neighbours are compared, for example neighbours = "replace-one"',
)

BUDGET = Stated(Budget, keys=(Key("cohort", Cohort, "the units that it is for, where it is not for all"),))
KEPT = "what is to be kept relative to it, such as one of the plan's budgets"
RELATIVE = Stated(Budget)
PUBLIC = Joined(
    PUBLIC_FACTS, (Key("budget", Many(RELATIVE, least=1), KEPT, at="budgets", required=True),), Knowledge, item="public"
)

RELEASE = KeyedTable(
    "A mechanism on a query, perhaps on a sample or in a part of the records, some number of times.",
    (
        field(Release, "name"),
        Key("query", QUERIES, "what the mechanism is applied to"),
        Key("mechanism", MECHANISMS, "how the answer is randomised", required=True, check=asks_query),
        Key("sampling", SAMPLINGS, "which records the release looks at, drawn afresh every time", check=sees_laws),
        Key("scope", Scope, "the part of the records that the release looks at"),
        field(Release, "times", always=True),
    ),
    Release,
)

ROWS = InRows("Releases in the rows of a file; texts refer to its columns as {column}.", RELEASE)

SHARED: dict[str, Part] = {
    "specification": SPECIFICATION,
    "budget": BUDGET,
    "relative": RELATIVE,
    "public": PUBLIC,
    "risk": RISK_PROFILES,
    "query": QUERIES,
    "mechanism": MECHANISMS,
    "sampling": SAMPLINGS,
    "release": RELEASE,
    "table": ROWS,
}
"""The parts that others refer to by a name."""
