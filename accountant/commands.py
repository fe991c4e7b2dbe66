"""What commands of plugins share with the program's own: the option --json, plans, how lines are printed, files written and
long work done in parts.

A command raises an `AccountantError` for bad input, with or without --json, and returns an exit status or nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from accountant.cli.folders import Form, folder_option, new_folder, write_page, write_table
from accountant.cli.grids import GridKey, StudyGrid, read_grid
from accountant.cli.options import Commands, answers, completed, engine_option, json_option, plan_argument
from accountant.cli.output import say, say_json, say_under, visible, working, write_whole
from accountant.cli.parts import Plain, done_in_parts, forgotten, kept_beside, kept_seed
from accountant.cli.sources import PlanSource

if TYPE_CHECKING:
    from accountant.plan.plan import Plan

__all__ = [
    "Commands",
    "Form",
    "GridKey",
    "Plain",
    "PlanSource",
    "StudyGrid",
    "answers",
    "completed",
    "done_in_parts",
    "engine_option",
    "folder_option",
    "forgotten",
    "json_option",
    "kept_beside",
    "kept_seed",
    "new_folder",
    "plan_argument",
    "plan_text",
    "read_grid",
    "say",
    "say_json",
    "say_under",
    "visible",
    "working",
    "write_page",
    "write_table",
    "write_whole",
]


def plan_text(plan: Plan) -> str:
    """A plan as TOML that says of every part what it means. Guarantee: reading it gives an equal plan."""
    from accountant.plan.commented import commented
    from accountant.registry.registry import default_registry

    return commented(plan, default_registry())
