"""Release: a named mechanism on a query, perhaps on a sample, some number of times."""

from __future__ import annotations

from attrs import field, frozen

from accountant.fields import about, at_least, at_most, text, whole
from accountant.mechanism import Mechanism
from accountant.query import Query
from accountant.sampling import Sampling


@frozen
class Release:
    """One line of a plan. `times` is the only place where repetition is counted."""

    name: str = field(converter=text, metadata=about("what the release is called"))
    mechanism: Mechanism
    query: Query | None = None
    times: int = field(
        default=1,
        converter=whole,
        validator=[at_least(1), at_most(10**18)],
        metadata=about("how often it is released, each time with fresh noise"),
    )
    sampling: Sampling | None = None
