from accountant.testing.laws.accuracy import (
    errors_are_as_said as errors_are_as_said,
    errors_are_seen as errors_are_seen,
)
from accountant.testing.laws.agreement import (
    cells_agree as cells_agree,
    epsilon_inverts_delta as epsilon_inverts_delta,
    renyi_bounds_delta as renyi_bounds_delta,
    supremum_ends_delta as supremum_ends_delta,
    tradeoff_bounds_delta as tradeoff_bounds_delta,
    tradeoff_reaches_delta as tradeoff_reaches_delta,
)
from accountant.testing.laws.attained import (
    lower_ends_are_attained as lower_ends_are_attained,
    noise_loses_what_is_claimed as noise_loses_what_is_claimed,
)
from accountant.testing.laws.audit import (
    audits_never_refute_the_claim as audits_never_refute_the_claim,
    run_answers as run_answers,
    runs_are_independent as runs_are_independent,
    runs_follow_the_outputs as runs_follow_the_outputs,
    runs_of_any_parameters_keep_the_claim as runs_of_any_parameters_keep_the_claim,
    scaled_noise_is_as_wide as scaled_noise_is_as_wide,
)
from accountant.testing.laws.bridge import (
    bridge_has_an_oracle as bridge_has_an_oracle,
    histories_run_nothing as histories_run_nothing,
    history_becomes_a_plan as history_becomes_a_plan,
    history_costs_what_happened as history_costs_what_happened,
    hostile_histories_are_refused_in_words as hostile_histories_are_refused_in_words,
    known_histories_become_known_releases as known_histories_become_known_releases,
    nothing_in_a_history_is_overlooked as nothing_in_a_history_is_overlooked,
)
from accountant.testing.laws.catalogue import (
    case_speaks_of_an_item as case_speaks_of_an_item,
    conversion_names_definitions as conversion_names_definitions,
    definition_has_cases as definition_has_cases,
    family_has_laws as family_has_laws,
    is_usual as is_usual,
    item_is_documented as item_is_documented,
    mechanism_has_cases as mechanism_has_cases,
    plugin_registers_something as plugin_registers_something,
    rule_names_a_definition as rule_names_a_definition,
    usual_item_is_alone as usual_item_is_alone,
)
from accountant.testing.laws.command import command_says_how_it_is_used as command_says_how_it_is_used
from accountant.testing.laws.composition import (
    ALL as ALL,
    Turn as Turn,
    adding_never_lowers as adding_never_lowers,
    count_equals_repetition as count_equals_repetition,
    equal_losses_read_alike as equal_losses_read_alike,
    order_is_irrelevant as order_is_irrelevant,
)
from accountant.testing.laws.conversion import (
    conversion_holds as conversion_holds,
    conversion_never_beats_the_lens as conversion_never_beats_the_lens,
)
from accountant.testing.laws.definition import (
    curves_dominate as curves_dominate,
    directions_read_alike as directions_read_alike,
    failures_are_chances as failures_are_chances,
    first_reading_names_the_parameter as first_reading_names_the_parameter,
    larger_parameters_permit_more as larger_parameters_permit_more,
    mixtures_never_raise as mixtures_never_raise,
    parameters_come_back as parameters_come_back,
    post_processing_never_raises as post_processing_never_raises,
    readings_answer as readings_answer,
    readings_are_one_promise as readings_are_one_promise,
    stated_values_hold as stated_values_hold,
    worst_case_dominates as worst_case_dominates,
)
from accountant.testing.laws.engines import (
    engine_counts_what_is_there as engine_counts_what_is_there,
    engine_gives_every_row as engine_gives_every_row,
    engine_leaves_nothing_half_done as engine_leaves_nothing_half_done,
    engine_reads_cells_as_they_are_written as engine_reads_cells_as_they_are_written,
    engine_spreads_in_order as engine_spreads_in_order,
)
from accountant.testing.laws.evidence import (
    pairs_are_evidence as pairs_are_evidence,
    pairs_come_near_the_claim as pairs_come_near_the_claim,
    parameters_can_be_drawn as parameters_can_be_drawn,
)
from accountant.testing.laws.groups import groups_never_exceed as groups_never_exceed
from accountant.testing.laws.languages import (
    report_is_written_in_its_languages as report_is_written_in_its_languages,
    report_says_where_nothing_is_promised as report_says_where_nothing_is_promised,
    report_tells_groups_from_one as report_tells_groups_from_one,
)
from accountant.testing.laws.leak import leaks_are_told as leaks_are_told
from accountant.testing.laws.loss import (
    directions_are_one_pair as directions_are_one_pair,
    readings_keep_their_shape as readings_keep_their_shape,
)
from accountant.testing.laws.masses import (
    cells_hold_all_mass as cells_hold_all_mass,
    cells_tell_delta as cells_tell_delta,
    moments_agree as moments_agree,
)
from accountant.testing.laws.mechanism import (
    exact_pairs_never_beat_the_claim as exact_pairs_never_beat_the_claim,
    larger_shifts_never_cost_less as larger_shifts_never_cost_less,
    norms_dominate_coordinates as norms_dominate_coordinates,
    require_plan_survives as require_plan_survives,
    written_and_read_is_equal as written_and_read_is_equal,
)
from accountant.testing.laws.neighbours import (
    moves_are_the_relation as moves_are_the_relation,
    relation_has_an_oracle as relation_has_an_oracle,
)
from accountant.testing.laws.noise import noise_is_that_of_the_outputs as noise_is_that_of_the_outputs
from accountant.testing.laws.outputs import (
    attained_losses_are_those_of_outputs as attained_losses_are_those_of_outputs,
    lower_ends_are_reached as lower_ends_are_reached,
    outputs_never_beat_the_claim as outputs_never_beat_the_claim,
    require_evidence as require_evidence,
    some_listed_move_comes_near as some_listed_move_comes_near,
)
from accountant.testing.laws.plain_words import meaning_is_what_is_measured as meaning_is_what_is_measured
from accountant.testing.laws.policies import (
    policies_join_neighbours as policies_join_neighbours,
    policies_lead_as_far_as_they_say as policies_lead_as_far_as_they_say,
    policy_has_an_oracle as policy_has_an_oracle,
)
from accountant.testing.laws.public_facts import (
    public_has_an_oracle as public_has_an_oracle,
    reach_covers_the_scenarios as reach_covers_the_scenarios,
)
from accountant.testing.laws.query import (
    groups_move_as_far_as_their_moves as groups_move_as_far_as_their_moves,
    query_has_an_oracle as query_has_an_oracle,
    query_moves_no_further as query_moves_no_further,
    records_add_what_they_are_said_to as records_add_what_they_are_said_to,
)
from accountant.testing.laws.query_policies import (
    query_and_policy_share_attributes as query_and_policy_share_attributes,
    query_moves_no_further_by_policies as query_moves_no_further_by_policies,
)
from accountant.testing.laws.risk import (
    assessments_are_admissible as assessments_are_admissible,
    recommendations_are_admissible as recommendations_are_admissible,
    some_beliefs_are_asked_about as some_beliefs_are_asked_about,
)
from accountant.testing.laws.rule import (
    merging_loses_nothing as merging_loses_nothing,
    rule_counts_repetition as rule_counts_repetition,
    rule_ignores_order as rule_ignores_order,
    rule_keeps_what_is_tiny as rule_keeps_what_is_tiny,
    rule_never_undercuts as rule_never_undercuts,
    rule_never_undercuts_different as rule_never_undercuts_different,
    rule_never_undercuts_many as rule_never_undercuts_many,
    rule_reads_upper_ends as rule_reads_upper_ends,
    weights_add_up as weights_add_up,
)
from accountant.testing.laws.sampling import (
    draws_are_chances as draws_are_chances,
    insiders_know_no_less as insiders_know_no_less,
    samples_lose_no_more_than_claimed as samples_lose_no_more_than_claimed,
    sampling_says_how_it_draws as sampling_says_how_it_draws,
    some_samples_are_tried as some_samples_are_tried,
)
from accountant.testing.laws.sentence import (
    meaning_is_never_false as meaning_is_never_false,
    meaning_names_both_sides as meaning_names_both_sides,
    report_is_never_false as report_is_never_false,
    require_meaning as require_meaning,
    require_statement as require_statement,
)
from accountant.testing.laws.shown import renderer_keeps_every_word as renderer_keeps_every_word
from accountant.testing.laws.tables import (
    COMPANY_LAWS as COMPANY_LAWS,
    DRAWN_LAWS as DRAWN_LAWS,
    LOSS_LAWS as LOSS_LAWS,
    MECHANISM_LAWS as MECHANISM_LAWS,
    PLAN_LAWS as PLAN_LAWS,
    Laws as Laws,
)
from accountant.testing.laws.theorem import (
    exact_output_is_declared as exact_output_is_declared,
    item_stays_within_its_theorem as item_stays_within_its_theorem,
    theorem_says_why as theorem_says_why,
)
from accountant.testing.laws.trend import values_move_as_declared as values_move_as_declared
from accountant.testing.laws.variants import (
    changed_outputs_cost_no_more as changed_outputs_cost_no_more,
    more_noise_never_costs_more as more_noise_never_costs_more,
    one_more_release_never_costs_less as one_more_release_never_costs_less,
)
