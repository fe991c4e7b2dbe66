from accountant.testing.examples import search as search
from accountant.testing.trial import (
    Trial as Trial,
    trials as trials,
)
