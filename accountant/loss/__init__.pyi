from accountant.loss.derived.mixture import MixtureLoss as MixtureLoss
from accountant.loss.derived.replaced import exchanged as exchanged
from accountant.loss.derived.sampled import SampledLoss as SampledLoss
from accountant.loss.derived.symmetrised import MirroredLoss as MirroredLoss
from accountant.loss.derived.symmetrised_order import both_orders as both_orders
from accountant.loss.engine.composition import (
    ComposedLoss as ComposedLoss,
)
from accountant.loss.engine.composition import (
    compose as compose,
)
from accountant.loss.engine.composition import (
    sides as sides,
)
from accountant.loss.engine.two_sides import enclosed as enclosed
from accountant.loss.families.atomic import (
    AtomicLoss as AtomicLoss,
)
from accountant.loss.families.atomic import (
    Atoms as Atoms,
)
from accountant.loss.families.atomic_cells import atom_cells as atom_cells
from accountant.loss.families.atomic_moments import AtomMoments as AtomMoments
from accountant.loss.families.finite import (
    NO_LOSS as NO_LOSS,
)
from accountant.loss.families.finite import (
    TOTAL_LOSS as TOTAL_LOSS,
)
from accountant.loss.families.finite import (
    FiniteLoss as FiniteLoss,
)
from accountant.loss.families.gaussian import GaussianLoss as GaussianLoss
from accountant.loss.families.linear_bounds import CutLoss as CutLoss
from accountant.loss.families.power_bounds import (
    power_bounded as power_bounded,
)
from accountant.loss.families.power_bounds import (
    power_curve as power_curve,
)
from accountant.loss.families.renyi_bounds import (
    largest_ratio as largest_ratio,
)
from accountant.loss.families.renyi_bounds import (
    log_odds as log_odds,
)
from accountant.loss.families.renyi_bounds import (
    tangent_loss as tangent_loss,
)
from accountant.loss.families.response import ResponseLoss as ResponseLoss
from accountant.loss.families.two_sided import BracketLoss as BracketLoss
from accountant.loss.readings.arrays import (
    Complexes as Complexes,
)
from accountant.loss.readings.arrays import (
    Floats as Floats,
)
from accountant.loss.readings.base import (
    ROUNDOFF as ROUNDOFF,
)
from accountant.loss.readings.base import (
    TINY as TINY,
)
from accountant.loss.readings.base import (
    Cells as Cells,
)
from accountant.loss.readings.base import (
    PrivacyLoss as PrivacyLoss,
)
from accountant.loss.readings.convex_minimum import (
    lowest_place as lowest_place,
)
from accountant.loss.readings.convex_minimum import (
    lowest_value as lowest_value,
)
from accountant.loss.readings.moments import (
    Moments as Moments,
)
from accountant.loss.readings.moments import (
    expm1 as expm1,
)
from accountant.loss.readings.moments import (
    log_of_moments as log_of_moments,
)
from accountant.loss.readings.moments import (
    uniform_fall as uniform_fall,
)
