"""Laws of mechanisms and their losses, each by the name that authors read: one table for what they are tried on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from accountant.testing.laws.agreement import (
    cells_agree,
    epsilon_inverts_delta,
    renyi_bounds_delta,
    supremum_ends_delta,
    tradeoff_bounds_delta,
    tradeoff_reaches_delta,
)
from accountant.testing.laws.attained import noise_loses_what_is_claimed
from accountant.testing.laws.audit import audits_never_refute_the_claim
from accountant.testing.laws.composition import adding_never_lowers, count_equals_repetition, order_is_irrelevant
from accountant.testing.laws.evidence import pairs_are_evidence
from accountant.testing.laws.lattice import lattices_hold_all_values
from accountant.testing.laws.loss import directions_are_one_pair, readings_keep_their_shape
from accountant.testing.laws.masses import cells_hold_all_mass, cells_tell_delta
from accountant.testing.laws.mechanism import (
    exact_pairs_never_beat_the_claim,
    larger_shifts_never_cost_less,
    norms_dominate_coordinates,
    written_and_read_is_equal,
)
from accountant.testing.laws.outputs import attained_losses_stay_within_the_claim
from accountant.testing.laws.variants import changed_outputs_cost_no_more, more_noise_never_costs_more

Laws = Mapping[str, Callable[..., None]]

LOSS_LAWS: Laws = {
    "readings keep their shape": readings_keep_their_shape,
    "both directions are one pair": directions_are_one_pair,
    "cells hold all of the mass": cells_hold_all_mass,
    "cells tell the delta of the formula": cells_tell_delta,
    "all values lie on the lattice": lattices_hold_all_values,
    "cells agree with formulas": cells_agree,
    "epsilon inverts delta": epsilon_inverts_delta,
    "delta ends at the supremum": supremum_ends_delta,
    "renyi bounds delta": renyi_bounds_delta,
    "trade-off bounds delta": tradeoff_bounds_delta,
    "trade-off reaches delta": tradeoff_reaches_delta,
}
"""Laws of a loss: law(loss)."""

DRAWN_LAWS: Laws = {
    "a larger shift never costs less": larger_shifts_never_cost_less,
    "norms cost no less than coordinates": norms_dominate_coordinates,
    "more noise never costs more": more_noise_never_costs_more,
    "changed outputs cost no more": changed_outputs_cost_no_more,
    "attained losses are those of outputs": attained_losses_stay_within_the_claim,
}
"""Laws of a mechanism on a shift that need no pairs, so that parameters can be drawn: law(case)."""

MECHANISM_LAWS: Laws = {
    "exact pairs say something": pairs_are_evidence,
    "exact pairs never beat the claim": exact_pairs_never_beat_the_claim,
    **DRAWN_LAWS,
    "an audit never refutes the claim": audits_never_refute_the_claim,
    "noise loses what is claimed": noise_loses_what_is_claimed,
}
"""Laws of a mechanism on a shift: law(case)."""

PLAN_LAWS: Laws = {
    "count equals repetition": count_equals_repetition,
    "written and read is equal": written_and_read_is_equal,
}
"""Laws of a release in a plan: law(case, registry)."""

COMPANY_LAWS: Laws = {
    "order is irrelevant": order_is_irrelevant,
    "one more release never costs less": adding_never_lowers,
}
"""Laws of two releases in a plan: law(case, other, registry)."""
