from accountant.numbers.exact import (
    ExactLike as ExactLike,
)
from accountant.numbers.exact import (
    plain as plain,
)
from accountant.numbers.exact import (
    whole as whole,
)
from accountant.numbers.interval import (
    Interval as Interval,
)
from accountant.numbers.interval import (
    float_above as float_above,
)
from accountant.numbers.interval import (
    float_below as float_below,
)
from accountant.numbers.interval import (
    larger as larger,
)
from accountant.numbers.logarithm import log_of as log_of
