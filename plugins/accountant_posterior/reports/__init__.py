"""Reports that say what a promise means for one person: for the public, for policy, for technical readers."""

from accountant_posterior.reports.policy import Policy
from accountant_posterior.reports.public import PublicReport
from accountant_posterior.reports.technical import Technical
from accountant_posterior.reports.view import BEST_GUESS

REPORTS = (PublicReport(), Policy(), Technical())

__all__ = ["BEST_GUESS", "REPORTS", "Policy", "PublicReport", "Technical"]
