from accountant.testing.conformance import trials as trials
from accountant.testing.examples import (
    Depth as Depth,
    search as search,
)
from accountant.testing.planted import operators as operators
from accountant.testing.planting import (
    Operator as Operator,
    plant as plant,
)
from accountant.testing.trial import Trial as Trial
