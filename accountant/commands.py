"""What commands of plugins share with the program's own: the option --json, plans, and how lines are printed.

A command raises an `AccountantError` for bad input, with or without --json, and returns an exit status or nothing.
"""

from __future__ import annotations

from accountant.cli.options import answers, completed, engine_option, json_option, plan_argument
from accountant.cli.output import say, say_json, say_under, visible, working
from accountant.cli.sources import Source

__all__ = [
    "Source",
    "answers",
    "completed",
    "engine_option",
    "json_option",
    "plan_argument",
    "say",
    "say_json",
    "say_under",
    "visible",
    "working",
]
