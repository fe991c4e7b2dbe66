"""What an attack evaluation is, and what it is not."""

from __future__ import annotations

SIMULATED = "simulated attack, not a guarantee"
"""Said of every result here: one attacker with one method is followed, and a better one may learn more."""

BLOCK = "block"
"""The attacker who knows every record of the target's smallest area but the target's own."""
