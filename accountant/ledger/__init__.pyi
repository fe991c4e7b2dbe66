from accountant.ledger.batch import (
    Batch as Batch,
)
from accountant.ledger.batch import (
    read_batch as read_batch,
)
from accountant.ledger.entries import Posting as Posting
from accountant.ledger.filters import Filter as Filter
from accountant.ledger.ledger import Ledger as Ledger
from accountant.ledger.lines import Line as Line
from accountant.ledger.results import (
    Forecast as Forecast,
)
from accountant.ledger.results import (
    Quote as Quote,
)
from accountant.ledger.results import (
    Reservation as Reservation,
)
from accountant.ledger.results import (
    Status as Status,
)
from accountant.ledger.terms import (
    Terms as Terms,
)
from accountant.ledger.terms import (
    load_terms as load_terms,
)
from accountant.ledger.terms import (
    read_terms as read_terms,
)
from accountant.ledger.theorems import FOUNDATIONS as FOUNDATIONS
