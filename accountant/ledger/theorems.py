"""What ledgers rest on."""

from __future__ import annotations

from accountant.promise.theorem import Theorem

FILTER = Theorem(
    "filter",
    "If releases stop before a sum that holds under full adaptivity passes a cap fixed in advance, all of them together "
    "satisfy the cap, and whatever the cap implies.",
    "accountant",
    "explanation/ledger",
    ("the cap was fixed before the first release", "fresh randomness in every release"),
    assurance="proved-here",
)

LEAKY_FILTER = Theorem(
    "leaky-filter",
    "If each release satisfies its charge except with a chance that is charged to a slack, and the charges stay within a "
    "cap and the slack, all of them together satisfy the cap except with a chance of the slack.",
    "accountant",
    "explanation/ledger",
    ("the cap and the slack were fixed before the first release", "fresh randomness in every release"),
    assurance="proved-here",
)

VOUCHED = Theorem(
    "fixed-plan",
    "No release and no parameter was chosen after seeing an output, because those who write to the ledger say so.",
    "accountant",
    "explanation/ledger",
    assurance="claimed",
)

FOUNDATIONS = tuple(value for value in list(globals().values()) if isinstance(value, Theorem))
