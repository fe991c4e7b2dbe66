"""Errors that strangers made in plugins of their own, each with the law that was sharpened by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from attrs import field, frozen

from accountant.loss import GaussianLoss
from accountant.release.query import QUERIES
from accountant.testing import plant, trials
from accountant.testing.laws import equal_losses_read_alike
from tests.laws import honest
from tests.laws.kills import PLUGIN, Plant, plants
from tests.laws.quick import QUICK

pytestmark = pytest.mark.slow

SEVERAL = "outputs of several coordinates and releases never beat the claim"
CAUGHT = {
    "mechanism laplace: numbers said to be closer and no oracle": "published numbers are as far off as is said",
    "sampling strata: all neighbours refused": "samples lose no more than is claimed",
    "sampling strata: large datasets only": "samples lose no more than is claimed",
    "command odds: number made up": "commands say how they are used",
    "composition rule epsilons-add: all but five releases forgotten": "rules never undercut the exact product",
    "composition rule epsilons-add: merged though something is lost": "rules that merge lose nothing",
    "neighbour policy clock: a step too few": "policies lead as far as they say",
    "neighbour policy clock: one way only": "policies join neighbours",
    "neighbour relation replace-couple: fewer named": "moves are the relation",
    "public information twins: open secrets called decided": "reach covers the scenarios",
    "renderer csv-lines: quotes left out": "renderers keep every word",
    "renderer csv-lines: first line of a listing only": "renderers keep every word",
    "report one-number: untraceable": "reports are never false",
    "risk profile at-most-times: other neighbours called kept": "assessments are admissible",
    "sampling strata: groups hidden": "samples lose no more than is claimed",
    "theorem all-or-nothing-loss: key misspelt": "theorems say why they hold",
    "bridge spent: last digits cut": "nothing in a history is overlooked",
    "bridge spent: true taken for one": "nothing in a history is overlooked",
    "bridge spent: neighbours ignored": "histories become plans",
    "command odds: asked again for ever": "commands say how they are used",
    "command odds: example of another option": "commands say how they are used",
    "command odds: missing file overlooked": "commands say how they are used",
    "command odds: numbers taken as text": "commands say how they are used",
    "command odds: refusal without a status": "commands say how they are used",
    "command odds: verdict on what is not there": "commands say how they are used",
    "command odds: words for json": "commands say how they are used",
    "command odds: written though refused": "commands say how they are used",
    "composition rule couplings-multiply: scope exceeded": "items stay within their theorems",
    "composition rule couplings-multiply: lower ends composed": "rules never undercut the exact product",
    "composition rule couplings-multiply: releases beyond a hundred forgotten": "rules never undercut many releases",
    "conversion pinsker: tiny values taken for nothing": "conversions never beat what is attained",
    "divergence approx: number left out of the meaning": "meanings are never false",
    "divergence approx: slack called a failure": "properties hold as declared",
    "divergence total-variation: half said of the whole": "meanings are never false",
    "divergence fdp: group forgotten of a curve": "groups keep what they cost",
    "divergence fdp: lower end of a curve too high": "worst case of a curve dominates",
    "divergence total-variation: times said of a difference": "meanings are never false",
    "mechanism halves: far moves start again": "a larger shift never costs less",
    "mechanism box: answers rounded when run": "runs follow the outputs",
    "mechanism box: broken moves cut and no oracle": "an audit never refutes the claim",
    "mechanism box: falling answers forgotten": "a larger shift never costs less",
    "mechanism box: noise shared when run": "runs follow the outputs",
    "mechanism box: noise squared when scaled": "more noise never costs more",
    "mechanism box: one sided moves halved": SEVERAL,
    "mechanism box: farthest of several possible moves": SEVERAL,
    "mechanism laplace: l2 norm where nothing bounds l1": SEVERAL,
    "mechanism gaussian: losses kept by words": SEVERAL,
    "mechanism geometric: values said to be twice as far apart": "all values lie on the lattice",
    "mechanism laplace: twice the move said to be attained": "attained losses are those of outputs",
    "mechanism box: same noise whenever run": "runs follow the outputs",
    "mechanism box: wide noise cut when run": "an audit never refutes the claim",
    "mechanism halves: equal coordinates counted once": SEVERAL,
    "query both: null records forgotten": "queries move no further than they say",
    "query weighted-sum: broken moves gathered": "queries move no further than they say",
    "query gradient: one coordinate of several": "queries move no further than they say",
    "query gradient: one sided though not": "queries move no further than they say",
    "query hour-sum: policies forgotten": "queries move no further than they say",
    "query weighted-sum: large parameters halved": "queries move no further than they say",
    "renderer csv-lines: boxes in sections left out": "renderers keep every word",
    "renderer csv-lines: explorers left out": "renderers keep every word",
    "renderer csv-lines: imprint left out": "renderers keep every word",
    "renderer csv-lines: links left out": "renderers keep every word",
    "renderer csv-lines: numbers in sentences left out": "renderers keep every word",
    "renderer latex: comment sign not protected": "renderers keep every word",
    "renderer csv-lines: cells turned round": "renderers keep every word",
    "renderer csv-lines: digits cut": "renderers keep every word",
    "renderer csv-lines: first key figure only": "renderers keep every word",
    "renderer csv-lines: letters of others left out": "renderers keep every word",
    "renderer csv-lines: long tables cut": "renderers keep every word",
    "renderer csv-lines: rows sorted": "renderers keep every word",
    "renderer csv-lines: said once only": "renderers keep every word",
    "renderer csv-lines: signs left out": "renderers keep every word",
    "renderer csv-lines: wide tables cut": "renderers keep every word",
    "renderer csv-lines: words glued": "renderers keep every word",
    "renderer html: marks not protected": "renderers keep every word",
    "renderer csv-lines: tones left out": "renderers keep every word",
    "report one-number: nothing said where nothing is promised": "reports are never false",
    "report one-number: another language promised": "reports are never false",
    "report one-number: another unit named": "reports are never false",
    "report one-number: at least said of at most": "reports are never false",
    "report one-number: budget called kept": "reports are never false",
    "report one-number: conditions left out": "reports are never false",
    "report one-number: every attribute named": "reports are never false",
    "report one-number: no risk promised": "reports are never false",
    "risk profile at-most-times: beliefs that decide nothing": "recommendations are admissible",
    "risk profile at-most-times: nobody asked": "assessments are admissible",
    "risk profile at-most-times: exceeded where it is not known": "assessments are admissible",
    "risk profile at-most-times: small tolerances taken for larger": "recommendations are admissible",
    "risk profile at-most-times: lower end compared": "assessments are admissible",
    "risk profile at-most-times: rare leak ignored": "assessments are admissible",
    "risk profile at-most-times: second step forgotten": "assessments are admissible",
    "sampling all-or-nothing: large rates turned round": "samples lose no more than is claimed",
    "sampling strata: small rates hide everything": "samples lose no more than is claimed",
}


@cache
def _planted() -> Mapping[str, Plant]:
    beside = (Plant(each.operator, "gradient") for each in plants() if each.operator.family is QUERIES)
    return {str(each): each for each in (*plants(), *beside)}


@pytest.mark.parametrize("error", CAUGHT)
def test_the_law_that_an_error_sharpened_notices_it(error: str) -> None:
    each = _planted()[error]
    registry = plant(each.operator, each.item, honest.registry())
    tried = [trial for trial in trials(PLUGIN, registry=registry, depth=QUICK) if trial.law == CAUGHT[error]]
    # What is drawn comes last, and most of these are seen there.
    assert any(map(_fails, reversed(tried)))


def _fails(trial: Any) -> bool:
    try:
        trial()
    except AssertionError:
        return True
    return False


@frozen
class Rounded(GaussianLoss):
    """A loss that is equal to every other one whose parameter is the same up to the point."""

    mu_squared: Fraction = field(eq=int)


@pytest.mark.parametrize(("parameters", "alike"), [(("1.2", "1.9"), False), (("1.2", "2.1"), True)])
def test_losses_that_are_called_equal_lose_the_same(parameters: Sequence[str], alike: bool) -> None:
    losses = [Rounded(Fraction(value)) for value in parameters]
    if alike:
        equal_losses_read_alike(losses)
    else:
        with pytest.raises(AssertionError, match="equal must lose the same"):
            equal_losses_read_alike(losses)
