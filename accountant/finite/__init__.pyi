from accountant.finite.domain import (
    hamming as hamming,
    moves as moves,
    multisets as multisets,
    sequences as sequences,
    subsets as subsets,
    symmetric_difference as symmetric_difference,
)
from accountant.finite.domination import (
    dominating as dominating,
    dominating_both as dominating_both,
    dominating_loss as dominating_loss,
    one_of as one_of,
)
from accountant.finite.exponentials import exponential as exponential
from accountant.finite.mechanism import (
    FiniteMechanism as FiniteMechanism,
    exact_law as exact_law,
)
from accountant.finite.operations import (
    compose as compose,
    compose_adaptively as compose_adaptively,
    mix as mix,
    post_process as post_process,
    relabel as relabel,
    repeat as repeat,
)
from accountant.finite.pair import Pair as Pair
from accountant.finite.readings import (
    Vacuous as Vacuous,
    Worst as Worst,
    delta as delta,
    delta_at_ratio as delta_at_ratio,
    lipschitz_epsilon as lipschitz_epsilon,
    pure_epsilon as pure_epsilon,
    renyi as renyi,
    tradeoff as tradeoff,
)
from accountant.finite.specification import (
    DatasetPair as DatasetPair,
    FiniteSpecification as FiniteSpecification,
)
from accountant.finite.table import (
    TableMechanism as TableMechanism,
    rows_loss as rows_loss,
)
