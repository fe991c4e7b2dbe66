from accountant.testing.conformance import trials as trials
from accountant.testing.examples import (
    Depth as Depth,
    search as search,
)
from accountant.testing.trial import Trial as Trial
