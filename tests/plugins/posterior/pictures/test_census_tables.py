"""Tables 2 to 6 of Kifer et al. (2022), from the plan in `examples`."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

import accountant as ac
from accountant_posterior.pictures import tables
from accountant_posterior.reports.view import View, views

ROOT = Path(__file__).parents[4]
# Table 4 as printed.
PERSONS = dict(
    zip(("US", "State", "County", "Tract", "Block group", "Block"), (104, 1440, 447, 687, 1256, 165), strict=True)
)
UNITS = {
    "US": "1/205",
    "State": "1/205",
    "County": "7/82",
    "Tract": "364/1025",
    "Block group": "1759/4100",
    "Block": "99/820",
}
# Three columns of Table 5 as printed, from the first query to the last.
QUERIES = {
    "State": "3773/4097 6/4097 6/4097 6/4097 6/4097 6/4097 12/4097 12/4097 6/4097 2/241 230/4097",
    "Tract": "1567/4102 4/2051 5/4102 5/4102 5/4102 5/4102 1933/4102 10/2051 5/4102 67/4102 241/2051",
    "Block": "5/4097 9/4097 5/4097 5/4097 5/4097 5/4097 21/4097 21/4097 5/4097 71/4097 3945/4097",
}


@cache
def census() -> tuple[View, ...]:
    return views(ac.account(ac.load_plan(ROOT / "examples" / "census-2020.toml")))


def shares() -> dict[str, dict[str, Fraction]]:
    """The exact rho of every release, by level and query."""
    found: dict[str, dict[str, Fraction]] = {}
    for name, _, _, rho, _ in tables._shares(census()[0].account):
        level, _, query = name.partition(": ")
        found.setdefault(level, {})[query] = Fraction(rho)
    return found


def test_tables_3_to_5_follow_from_what_each_release_spends() -> None:
    found = shares()
    occupancy = {
        level: next(rho for query, rho in of.items() if "OCCUPANCY" in query.upper()) for level, of in found.items()
    }
    people = {level: sum(of.values()) - occupancy[level] for level, of in found.items()}
    assert sum(people.values()) == Fraction("2.56")
    assert sum(occupancy.values()) == Fraction("0.07")
    assert {level: rho / Fraction("2.56") for level, rho in people.items()} == {
        level: Fraction(share, 4099) for level, share in PERSONS.items()
    }
    assert {level: rho / Fraction("0.07") for level, rho in occupancy.items()} == {
        level: Fraction(share) for level, share in UNITS.items()
    }
    for level, printed in QUERIES.items():
        own = sorted(rho / people[level] for query, rho in found[level].items() if "OCCUPANCY" not in query.upper())
        assert own == sorted(map(Fraction, printed.split()))


def test_tables_2_and_6_agree_with_print() -> None:
    """Print has two figures; DGM was estimated there from a million draws."""
    for view, printed in (
        (census()[0], {"these releases": (49, 74, 84), "Gaussian noise": (49, 74, 84), "any mechanism": (70, 95, 96)}),
        (census()[1], {"these releases": (3, 12, 21), "Gaussian noise": (3, 12, 21), "any mechanism": (4, 14, 24)}),
    ):
        rows = list(tables._levels(view))
        for whose, powers in printed.items():
            upper = [float(row[5]) for row in rows if row[1] == whose]
            assert [round(100 * end) for end in upper] == list(powers)
