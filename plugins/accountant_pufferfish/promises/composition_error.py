"""CompositionError: promises that do not add up."""

from __future__ import annotations

from accountant import AccountantError


class CompositionError(AccountantError):
    """Promises relative to public information that do not add up; the message says what to do instead."""
