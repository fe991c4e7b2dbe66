"""The estimate from randomised responses, against all outcomes of small surveys."""

from __future__ import annotations

import math
from itertools import product

import pytest

from accountant import InvalidValue
from accountant_response import RandomisedResponse, estimate_share

SIX_TENTHS = RandomisedResponse(math.log(1.5))


def test_a_survey_of_a_hundred() -> None:
    """45 yeses at a chance of 0.6: a share of 0.25 with variance 0.061875, at most 0.0625."""
    found = estimate_share(SIX_TENTHS, 45, 100)
    assert found.share == pytest.approx(0.25, abs=1e-12)
    assert found.deviation**2 == pytest.approx(0.061875, abs=1e-12)
    assert found.largest_deviation**2 == pytest.approx(0.0625, abs=1e-12)


@pytest.mark.parametrize("truth", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)])
@pytest.mark.parametrize("kept", [0.6, 0.9])
def test_over_all_flips_it_is_the_truth_on_average(truth: tuple[int, ...], kept: float) -> None:
    mechanism = RandomisedResponse(math.log(kept / (1 - kept)))
    mean = 0.0
    for flips in product((0, 1), repeat=3):
        chance = math.prod(1 - kept if flip else kept for flip in flips)
        yes = sum(abs(answer - flip) for answer, flip in zip(truth, flips, strict=True))
        mean += chance * estimate_share(mechanism, yes, 3).share
    assert mean == pytest.approx(sum(truth) / 3, abs=1e-12)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_over_all_samples_it_spreads_as_stated(share: float) -> None:
    """Four people from a large population: the variance over who they are and what is flipped, from the binomial law."""
    chance = share * 0.6 + (1 - share) * 0.4
    law = [math.comb(4, yes) * chance**yes * (1 - chance) ** (4 - yes) for yes in range(5)]
    found = [estimate_share(SIX_TENTHS, yes, 4) for yes in range(5)]
    variance = sum(mass * (item.share - share) ** 2 for mass, item in zip(law, found, strict=True))
    assert variance == pytest.approx(chance * (1 - chance) / (4 * 0.2**2), rel=1e-12)
    assert variance <= found[0].largest_deviation ** 2 * (1 + 1e-12)


@pytest.mark.parametrize(("yes", "answers"), [(1, 0), (0, 0), (5, 4), (-1, 4)])
def test_what_is_no_survey_is_refused(yes: int, answers: int) -> None:
    with pytest.raises(InvalidValue, match="no more yeses than answers"):
        estimate_share(SIX_TENTHS, yes, answers)
