from accountant.numbers.exact import (
    ExactLike as ExactLike,
    plain as plain,
    whole as whole,
)
from accountant.numbers.interval import (
    Interval as Interval,
    float_above as float_above,
    float_below as float_below,
    larger as larger,
)
from accountant.numbers.logarithm import log_of as log_of
