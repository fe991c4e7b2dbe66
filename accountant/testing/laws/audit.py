"""The law that a mechanism loses no more than it claims when it is run."""

from __future__ import annotations

from fractions import Fraction

from accountant.analysis.auditing.auditor import Auditor
from accountant.analysis.auditing.releases import claimed_epsilon
from accountant.analysis.auditing.simulation import Simulated
from accountant.numbers.exact import plain
from accountant.plugin.cases import MechanismCase
from accountant.testing.counterexamples import broken
from accountant.testing.laws.mechanism import written
from accountant.testing.places import DELTAS

# A thousand audits of honest mechanisms together raise a false alarm with probability at most 1e-10.
_CONFIDENCE = 1 - Fraction(1, 10**13)
_SAMPLES = 20_000


def audits_never_refute_the_claim(case: MechanismCase) -> None:
    """No event is seen so often on one side and so rarely on the other that the claimed loss cannot hold.

    Mechanisms that do not say how to run them pass.
    """
    mechanism = case.mechanism
    if not isinstance(mechanism, Simulated):
        return
    loss = mechanism.loss(case.shift)
    for delta in DELTAS:
        found = Auditor(delta, _SAMPLES, _CONFIDENCE).examine(mechanism, case.shift)
        claimed = claimed_epsilon(loss, delta)
        if found.epsilon > claimed.upper:
            broken(
                "a mechanism must not lose more than it claims when it is run",
                mechanism=written(case),
                shift=f"the query moves {case.shift}",
                at_delta=plain(delta),
                epsilon_that_is_claimed=claimed,
                epsilon_at_least=f"{found.epsilon:.6g}",
                event=found.event,
                seen=f"{found.seen[0]:,} and {found.seen[1]:,} times in {found.runs:,} runs on either side",
            )
