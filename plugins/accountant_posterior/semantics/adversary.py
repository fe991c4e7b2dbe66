"""Adversary: who updates a belief, what they know, and about which secret.

The three models of the literature give different numbers for the same account, and none implies another. A reading always
says which one it speaks of.
"""

from __future__ import annotations

from attrs import frozen

from accountant import InvalidValue, Neighbours

_WHOLE_UNIT = frozenset({(1, 0), (0, 1)})
_ONE_CHANGE = frozenset({(1, 1)})


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
                return secret.format(unit=neighbours.unit)
        wanted = " or ".join(f"'{name}'" for name, _ in self.secrets)
        raise InvalidValue(
            f"the {self.name} adversary has no secret between '{neighbours.relation.name}' neighbours; promise {wanted}"
        )

    def removes_units(self, neighbours: Neighbours) -> bool:
        """Whether neighbours differ by a whole unit, so that membership itself is a secret."""
        return _sort(neighbours) == "add-remove"


def _sort(neighbours: Neighbours) -> str | None:
    """Which of the two usual relations a relation moves records like."""
    moves = neighbours.relation.moves
    return "add-remove" if moves == _WHOLE_UNIT else "replace-one" if moves == _ONE_CHANGE else None


STRONG = Adversary(
    "strong",
    "who knows every record but the target's",
    "every record but the target's",
    "nothing about how records depend on each other, since all others are known",
    True,
    (
        ("add-remove", "whether the {unit} is in the data"),
        ("replace-one", "which of two values, or of two sets of values, the record of the {unit} has"),
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
        ("replace-one", "whether the {unit}, who is known to be in the data, has a sensitive value"),
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
