"""Audits: mechanisms are run, and what they lose at least is compared with what the account says they lose at most."""

from __future__ import annotations

from accountant.auditing.auditor import Auditor, Finding
from accountant.auditing.releases import Audit, audit
from accountant.auditing.simulation import Contrasted, Scored, Simulated, SimulatedSampling

__all__ = ["Audit", "Auditor", "Contrasted", "Finding", "Scored", "Simulated", "SimulatedSampling", "audit"]
