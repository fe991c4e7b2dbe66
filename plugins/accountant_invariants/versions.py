"""How those selected exchange their values, and what becomes of one that is selected alone."""

from __future__ import annotations

from typing import Literal

Version = Literal["permute", "derange"]
Single = Literal["redraw", "keep"]
