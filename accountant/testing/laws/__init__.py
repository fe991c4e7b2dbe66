"""The laws: plain functions that raise AssertionError with a small counterexample.

Each theme has its own module; the tables below name the laws by what they speak about. `accountant.testing.families` puts
laws and what they are tried on together.
"""

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
from accountant.testing.laws.attained import lower_ends_are_attained, noise_loses_what_is_claimed
from accountant.testing.laws.audit import audits_never_refute_the_claim, run_answers, runs_follow_the_outputs
from accountant.testing.laws.catalogue import (
    case_speaks_of_an_item,
    conversion_names_definitions,
    definition_has_cases,
    family_has_laws,
    item_cites_registered_theorems,
    item_is_documented,
    mechanism_has_cases,
    plugin_registers_something,
    rule_names_a_definition,
)
from accountant.testing.laws.composition import (
    adding_never_lowers,
    count_equals_repetition,
    order_is_irrelevant,
)
from accountant.testing.laws.conversion import conversion_holds, conversion_never_beats_the_lens
from accountant.testing.laws.definition import (
    curves_dominate,
    directions_read_alike,
    first_reading_names_the_parameter,
    groups_never_exceed,
    larger_parameters_permit_more,
    mixtures_never_raise,
    parameters_come_back,
    post_processing_never_raises,
    readings_answer,
    readings_are_one_promise,
    stated_values_hold,
    worst_case_dominates,
)
from accountant.testing.laws.evidence import pairs_are_evidence, pairs_come_near_the_claim, parameters_can_be_drawn
from accountant.testing.laws.leak import leaks_are_told
from accountant.testing.laws.loss import (
    delta_falls,
    directions_are_one_pair,
    ends_are_in_order,
    renyi_grows,
    reverse_twice_is_the_same,
    tradeoff_is_convex,
)
from accountant.testing.laws.masses import (
    cells_hold_all_mass,
    cells_tell_delta,
    moments_agree_with_cells,
    moments_agree_with_delta,
)
from accountant.testing.laws.mechanism import (
    exact_pairs_never_beat_the_claim,
    larger_shifts_never_cost_less,
    more_noise_never_costs_more,
    norms_dominate_coordinates,
    one_more_release_never_costs_less,
    repeated_pairs_never_beat_the_claim,
    require_plan_survives,
    smaller_moves_are_dominated,
    written_and_read_is_equal,
)
from accountant.testing.laws.neighbours import moves_are_the_relation, relation_has_an_oracle
from accountant.testing.laws.outputs import (
    attained_losses_are_those_of_outputs,
    lower_ends_are_reached,
    outputs_never_beat_the_claim,
    require_evidence,
)
from accountant.testing.laws.public_facts import public_has_an_oracle, reach_covers_the_scenarios
from accountant.testing.laws.query import (
    groups_move_as_far_as_their_moves,
    query_has_an_oracle,
    query_moves_no_further,
    records_add_what_they_are_said_to,
)
from accountant.testing.laws.risk import (
    assessments_are_admissible,
    recommendations_are_admissible,
    tolerances_are_ratios,
)
from accountant.testing.laws.rule import (
    rule_counts_repetition,
    rule_ignores_order,
    rule_never_undercuts,
    rule_never_undercuts_many,
    weights_add_up,
)
from accountant.testing.laws.sampling import (
    draws_are_chances,
    insiders_know_no_less,
    samples_lose_no_more_than_claimed,
    sampling_says_how_it_draws,
)
from accountant.testing.laws.sentence import (
    meaning_is_never_false,
    meaning_names_both_sides,
    report_is_never_false,
    require_meaning,
    require_statement,
)
from accountant.testing.laws.shown import command_says_how_it_is_used, renderer_keeps_every_word
from accountant.testing.laws.theorem import exact_output_is_declared, item_stays_within_its_theorem, theorem_says_why
from accountant.testing.laws.trend import values_move_as_declared

Laws = Mapping[str, Callable[..., None]]

LOSS_LAWS: Laws = {
    "delta falls and is a probability": delta_falls,
    "trade-off falls, is convex, at most 1 - x": tradeoff_is_convex,
    "renyi grows with the order": renyi_grows,
    "lower ends are below upper ends": ends_are_in_order,
    "reversing twice changes nothing": reverse_twice_is_the_same,
    "both directions are one pair": directions_are_one_pair,
    "cells hold all of the mass": cells_hold_all_mass,
    "cells tell the delta of the formula": cells_tell_delta,
    "cells agree with formulas": cells_agree,
    "moments agree with cells": moments_agree_with_cells,
    "moments agree with delta": moments_agree_with_delta,
    "epsilon inverts delta": epsilon_inverts_delta,
    "delta ends at the supremum": supremum_ends_delta,
    "renyi bounds delta": renyi_bounds_delta,
    "trade-off bounds delta": tradeoff_bounds_delta,
    "trade-off reaches delta": tradeoff_reaches_delta,
}
"""Laws of a loss: law(loss)."""

DRAWN_LAWS: Laws = {
    "a larger shift never costs less": larger_shifts_never_cost_less,
    "a shift bounds smaller moves": smaller_moves_are_dominated,
    "norms cost no less than coordinates": norms_dominate_coordinates,
    "more noise never costs more": more_noise_never_costs_more,
}
"""Laws of a mechanism on a shift that need no pairs, so that parameters can be drawn: law(case)."""

MECHANISM_LAWS: Laws = {
    "exact pairs say something": pairs_are_evidence,
    "exact pairs never beat the claim": exact_pairs_never_beat_the_claim,
    "repeated exact pairs never beat the repeated claim": repeated_pairs_never_beat_the_claim,
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
    "adding a release never lowers the loss": adding_never_lowers,
}
"""Laws of two releases in a plan: law(case, other, registry)."""

__all__ = [
    "COMPANY_LAWS",
    "DRAWN_LAWS",
    "LOSS_LAWS",
    "MECHANISM_LAWS",
    "PLAN_LAWS",
    "adding_never_lowers",
    "assessments_are_admissible",
    "attained_losses_are_those_of_outputs",
    "audits_never_refute_the_claim",
    "case_speaks_of_an_item",
    "cells_agree",
    "cells_hold_all_mass",
    "cells_tell_delta",
    "command_says_how_it_is_used",
    "conversion_holds",
    "conversion_names_definitions",
    "conversion_never_beats_the_lens",
    "count_equals_repetition",
    "curves_dominate",
    "definition_has_cases",
    "delta_falls",
    "directions_are_one_pair",
    "directions_read_alike",
    "draws_are_chances",
    "ends_are_in_order",
    "epsilon_inverts_delta",
    "exact_output_is_declared",
    "exact_pairs_never_beat_the_claim",
    "family_has_laws",
    "first_reading_names_the_parameter",
    "groups_move_as_far_as_their_moves",
    "groups_never_exceed",
    "insiders_know_no_less",
    "item_cites_registered_theorems",
    "item_is_documented",
    "item_stays_within_its_theorem",
    "larger_parameters_permit_more",
    "larger_shifts_never_cost_less",
    "leaks_are_told",
    "lower_ends_are_attained",
    "lower_ends_are_reached",
    "meaning_is_never_false",
    "meaning_names_both_sides",
    "mechanism_has_cases",
    "mixtures_never_raise",
    "moments_agree_with_cells",
    "moments_agree_with_delta",
    "more_noise_never_costs_more",
    "moves_are_the_relation",
    "noise_loses_what_is_claimed",
    "norms_dominate_coordinates",
    "one_more_release_never_costs_less",
    "order_is_irrelevant",
    "outputs_never_beat_the_claim",
    "pairs_are_evidence",
    "pairs_come_near_the_claim",
    "parameters_can_be_drawn",
    "parameters_come_back",
    "plugin_registers_something",
    "post_processing_never_raises",
    "public_has_an_oracle",
    "query_has_an_oracle",
    "query_moves_no_further",
    "reach_covers_the_scenarios",
    "readings_answer",
    "readings_are_one_promise",
    "recommendations_are_admissible",
    "records_add_what_they_are_said_to",
    "relation_has_an_oracle",
    "renderer_keeps_every_word",
    "renyi_bounds_delta",
    "renyi_grows",
    "repeated_pairs_never_beat_the_claim",
    "report_is_never_false",
    "require_evidence",
    "require_meaning",
    "require_plan_survives",
    "require_statement",
    "reverse_twice_is_the_same",
    "rule_counts_repetition",
    "rule_ignores_order",
    "rule_names_a_definition",
    "rule_never_undercuts",
    "rule_never_undercuts_many",
    "run_answers",
    "runs_follow_the_outputs",
    "samples_lose_no_more_than_claimed",
    "sampling_says_how_it_draws",
    "smaller_moves_are_dominated",
    "stated_values_hold",
    "supremum_ends_delta",
    "theorem_says_why",
    "tolerances_are_ratios",
    "tradeoff_bounds_delta",
    "tradeoff_is_convex",
    "tradeoff_reaches_delta",
    "values_move_as_declared",
    "weights_add_up",
    "worst_case_dominates",
    "written_and_read_is_equal",
]
