from accountant.finite.domain import (
    hamming as hamming,
)
from accountant.finite.domain import (
    moves as moves,
)
from accountant.finite.domain import (
    multisets as multisets,
)
from accountant.finite.domain import (
    sequences as sequences,
)
from accountant.finite.domain import (
    subsets as subsets,
)
from accountant.finite.domain import (
    symmetric_difference as symmetric_difference,
)
from accountant.finite.domination import (
    dominating as dominating,
)
from accountant.finite.domination import (
    dominating_both as dominating_both,
)
from accountant.finite.domination import (
    dominating_loss as dominating_loss,
)
from accountant.finite.exponentials import exponential as exponential
from accountant.finite.mechanism import (
    FiniteMechanism as FiniteMechanism,
)
from accountant.finite.mechanism import (
    exact_law as exact_law,
)
from accountant.finite.operations import (
    compose as compose,
)
from accountant.finite.operations import (
    compose_adaptively as compose_adaptively,
)
from accountant.finite.operations import (
    mix as mix,
)
from accountant.finite.operations import (
    post_process as post_process,
)
from accountant.finite.operations import (
    relabel as relabel,
)
from accountant.finite.operations import (
    repeat as repeat,
)
from accountant.finite.pair import Pair as Pair
from accountant.finite.readings import (
    Vacuous as Vacuous,
)
from accountant.finite.readings import (
    Worst as Worst,
)
from accountant.finite.readings import (
    delta as delta,
)
from accountant.finite.readings import (
    delta_at_ratio as delta_at_ratio,
)
from accountant.finite.readings import (
    lipschitz_epsilon as lipschitz_epsilon,
)
from accountant.finite.readings import (
    pure_epsilon as pure_epsilon,
)
from accountant.finite.readings import (
    renyi as renyi,
)
from accountant.finite.readings import (
    tradeoff as tradeoff,
)
from accountant.finite.specification import (
    DatasetPair as DatasetPair,
)
from accountant.finite.specification import (
    FiniteSpecification as FiniteSpecification,
)
from accountant.finite.table import TableMechanism as TableMechanism
