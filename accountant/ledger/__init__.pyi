from accountant.certificate.signing.note import (
    Note as Note,
    NoteKey as NoteKey,
    NoteSignature as NoteSignature,
)
from accountant.ledger.batch import (
    Batch as Batch,
    read_batch as read_batch,
)
from accountant.ledger.entries import Posting as Posting
from accountant.ledger.filters import Filter as Filter
from accountant.ledger.ledger import Ledger as Ledger
from accountant.ledger.lines import Line as Line
from accountant.ledger.results import (
    Forecast as Forecast,
    Quote as Quote,
    Reservation as Reservation,
    Status as Status,
)
from accountant.ledger.roles import make_roles as make_roles
from accountant.ledger.terms import (
    Terms as Terms,
    load_terms as load_terms,
    read_terms as read_terms,
)
from accountant.ledger.theorems import FOUNDATIONS as FOUNDATIONS
from accountant.ledger.transparency.checkpoint import (
    Checkpoint as Checkpoint,
    CheckpointKeys as CheckpointKeys,
)
from accountant.ledger.transparency.proof import (
    ConsistencyProof as ConsistencyProof,
    InclusionProof as InclusionProof,
)
from accountant.ledger.transparency.witness import (
    Witness as Witness,
    WitnessRefused as WitnessRefused,
)
