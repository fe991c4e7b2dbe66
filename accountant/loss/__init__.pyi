from accountant.loss.derived.both_orders import both_orders as both_orders
from accountant.loss.derived.either_order import either_order as either_order
from accountant.loss.derived.mixture import MixtureLoss as MixtureLoss
from accountant.loss.derived.replaced import (
    replaced_in_cells as replaced_in_cells,
    replaced_in_sample as replaced_in_sample,
)
from accountant.loss.derived.replaced_cells import replaced_beside as replaced_beside
from accountant.loss.derived.replaced_line import replaced_on_line as replaced_on_line
from accountant.loss.derived.sampled import SampledLoss as SampledLoss
from accountant.loss.derived.symmetrised import MirroredLoss as MirroredLoss
from accountant.loss.engine.composition import (
    ComposedLoss as ComposedLoss,
    compose as compose,
    sides as sides,
)
from accountant.loss.engine.two_sides import (
    directions as directions,
    enclosed as enclosed,
    rivalled as rivalled,
)
from accountant.loss.families.alternatives import OneOf as OneOf
from accountant.loss.families.atomic import (
    AtomicLoss as AtomicLoss,
    Atoms as Atoms,
)
from accountant.loss.families.atomic_cells import atom_cells as atom_cells
from accountant.loss.families.atomic_moments import AtomMoments as AtomMoments
from accountant.loss.families.finite import (
    NO_LOSS as NO_LOSS,
    TOTAL_LOSS as TOTAL_LOSS,
    FiniteLoss as FiniteLoss,
)
from accountant.loss.families.gaussian import GaussianLoss as GaussianLoss
from accountant.loss.families.linear_bounds import CutLoss as CutLoss
from accountant.loss.families.noise import (
    Noise as Noise,
    NormalNoise as NormalNoise,
    RealNoise as RealNoise,
    WholeNoise as WholeNoise,
)
from accountant.loss.families.power_bounds import (
    power_bounded as power_bounded,
    power_curve as power_curve,
)
from accountant.loss.families.renyi_bounds import (
    largest_ratio as largest_ratio,
    log_odds as log_odds,
    tangent_loss as tangent_loss,
)
from accountant.loss.families.response import ResponseLoss as ResponseLoss
from accountant.loss.families.rivals import (
    Event as Event,
    RivalledLoss as RivalledLoss,
)
from accountant.loss.families.two_sided import BracketLoss as BracketLoss
from accountant.loss.readings.arrays import (
    Complexes as Complexes,
    Floats as Floats,
)
from accountant.loss.readings.base import (
    Cells as Cells,
    PrivacyLoss as PrivacyLoss,
)
from accountant.loss.readings.closing import (
    delta_of_moments as delta_of_moments,
    epsilon_of_moments as epsilon_of_moments,
)
from accountant.loss.readings.convex_minimum import (
    lowest_place as lowest_place,
    lowest_value as lowest_value,
)
from accountant.loss.readings.moments import (
    Moments as Moments,
    expm1 as expm1,
    log_of_moments as log_of_moments,
    uniform_fall as uniform_fall,
)
from accountant.loss.readings.renyi_supremum import certified_supremum as certified_supremum
