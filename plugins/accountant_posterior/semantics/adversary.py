"""Adversary: who updates a belief, what they know, and about which secret.

The three models of the literature give different numbers for the same account, and none implies another. A reading always
says which one it speaks of.
"""

from __future__ import annotations

from attrs import frozen

from accountant import InvalidValue, Neighbours
from accountant.plugin import ComparedPairs, joined


@frozen
class Adversary:
    """One model of an attacker.

    `guarantee` says whether readings against it hold for every attacker of that kind; a simulated attack is one attacker.
    """

    name: str
    who: str
    """Who the attacker is, in words that follow "an attacker"."""
    knows: str
    assumes: str
    guarantee: bool
    secrets: tuple[tuple[str, str], ...]
    """The secret for each relation between neighbours that the model can be read for."""

    def secret(self, neighbours: Neighbours) -> str:
        """What the attacker wants to know, in words; an error with the remedy where the neighbours do not fit."""
        for name, secret in self.secrets:
            if name == _sort(neighbours):
                return secret.format(unit=neighbours.unit, **_stakes(neighbours))
        wanted = " or ".join(f"'{name}'" for name, _ in self.secrets)
        raise InvalidValue(
            f"the {self.name} adversary has no secret between '{neighbours.relation.name}' neighbours; promise {wanted}"
        )

    def described(self, comparison: ComparedPairs, dependence: int, others: bool) -> str:
        """Who is spoken of, in words that follow "an attacker": what they know or believe, and what they do not know.

        `others` says whether some release depends on attributes that are not at stake. Those are supposed to be known: who
        believes that they go with what is at stake may learn it from them, and no promise about what is at stake says how
        much.
        """
        attributes = comparison.neighbours.attributes
        stakes = None if attributes is None else joined(sorted(attributes)) or "nothing"
        who = self.who
        if dependence > 1:
            change = "" if stakes is None else f" and differ in {stakes} only"
            who = f"in whose model at most {dependence} records, the target's among them, change with the secret{change}"
        if stakes is not None and others:
            who += f" and who knows all else about {'those records' if dependence > 1 else 'the target'} but {stakes}"
        if comparison.hidden_sample:
            who += " and who does not know who was sampled"
        return f"{who} and given everything that is published exactly" if comparison.invariants else who

    def removes_units(self, neighbours: Neighbours) -> bool:
        """Whether neighbours differ by a whole unit, so that membership itself is a secret."""
        return _sort(neighbours) == "add-remove"


def check_usual(neighbours: Neighbours) -> None:
    """Refuse neighbours of which only some that records could be are compared: what is told here is about all of them."""
    if neighbours.relation.policy is not None:
        raise InvalidValue(
            "what somebody may learn about a unit is told between 'add-remove' and 'replace-one' neighbours, not between "
            f"'{neighbours.relation.name}' ones; read the certificate or the 'summary' report, or promise one of these"
        )


def _sort(neighbours: Neighbours) -> str | None:
    """Which of the two usual relations a relation moves records like."""
    relation = neighbours.relation
    return "add-remove" if relation.by_presence else "replace-one" if relation.by_value else None


def _stakes(neighbours: Neighbours) -> dict[str, str]:
    """What is at stake: the whole record, or some attributes of it."""
    if neighbours.attributes is None:
        return {"record": "the record", "value": "a sensitive value"}
    named = joined(sorted(neighbours.attributes)) or "nothing"
    return {"record": f"the {named}", "value": f"a sensitive value of {named}"}


STRONG = Adversary(
    "strong",
    "who knows every record but the target's",
    "every record but the target's",
    "nothing about how records depend on each other, since all others are known",
    True,
    (
        ("add-remove", "whether the {unit} is in the data"),
        ("replace-one", "which of two values, or of two sets of values, {record} of the {unit} has"),
    ),
)
INDEPENDENT = Adversary(
    "independent",
    "in whose model of the population the target's record and membership are independent of all other records",
    "the mechanism, and a model of the population of their own",
    "in that model the target's record and membership are independent of all other records",
    True,
    (
        ("add-remove", "whether the {unit} is in the data and has a sensitive value"),
        ("replace-one", "whether the {unit}, who is known to be in the data, has {value}"),
    ),
)
BLOCK = Adversary(
    "block",
    "who knows every record of the smallest published group but the target's",
    "every record of the smallest published group but the target's, and a prior for the counts of larger groups",
    "that one prior, and one way to attack",
    False,
    (
        ("add-remove", "whether the {unit} has the characteristics that are counted"),
        ("replace-one", "whether the {unit} has the characteristics that are counted"),
    ),
)

ADVERSARIES = {adversary.name: adversary for adversary in (STRONG, INDEPENDENT, BLOCK)}


def adversary_named(name: str | Adversary) -> Adversary:
    """The model of that name; an error that lists the names otherwise."""
    if isinstance(name, Adversary):
        return name
    if name not in ADVERSARIES:
        raise InvalidValue(f"no adversary is called {name!r}; known: {', '.join(ADVERSARIES)}")
    return ADVERSARIES[name]


def guaranteed_against(name: str | Adversary) -> Adversary:
    """The model of that name, if worst-case readings against it exist."""
    adversary = adversary_named(name)
    if not adversary.guarantee:
        raise InvalidValue(
            f"the {adversary.name} adversary is a simulated attack: what it achieves bounds no other attacker and is no "
            "guarantee; evaluate it as an attack, or read the account for the 'strong' or the 'independent' adversary"
        )
    return adversary
