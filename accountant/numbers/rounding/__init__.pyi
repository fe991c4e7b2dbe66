from accountant.numbers.rounding.ball import Ball as Ball
from accountant.numbers.rounding.ball_functions import tanh as tanh
from accountant.numbers.rounding.balls import Balls as Balls
from accountant.numbers.rounding.direction import (
    LEAST as LEAST,
    ROUNDOFF as ROUNDOFF,
    TINY as TINY,
    down as down,
    nearest as nearest,
    times_down as times_down,
    times_up as times_up,
    up as up,
)
from accountant.numbers.rounding.elementary import (
    cos as cos,
    exp as exp,
    expm1 as expm1,
    log as log,
    log1p as log1p,
    log1p_or_most as log1p_or_most,
    log_added as log_added,
    log_of_sum as log_of_sum,
    logs_of_sums as logs_of_sums,
    sin as sin,
    sqrt as sqrt,
    times_exp as times_exp,
    times_expm1 as times_expm1,
)
from accountant.numbers.rounding.lumps import lowered as lowered, raised as raised
from accountant.numbers.rounding.special import (
    log_gamma as log_gamma,
    log_normal_chance as log_normal_chance,
    normal_chance as normal_chance,
    normal_density as normal_density,
    scaled_tail as scaled_tail,
    tails_by_density as tails_by_density,
)
from accountant.numbers.rounding.sums import (
    binned as binned,
    binned_rows as binned_rows,
    dot as dot,
    grouped as grouped,
    joined as joined,
    linear as linear,
    matrix_product as matrix_product,
    running as running,
    summed as summed,
    total as total,
    where as where,
)
from accountant.numbers.rounding.transforms import (
    backward_transform as backward_transform,
    forward_transform as forward_transform,
)
