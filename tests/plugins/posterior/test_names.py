"""What the plugin offers in Python is everything that it is asked to bring along, and nothing else."""

from __future__ import annotations

import accountant_posterior
from accountant_posterior import names


def test_all_names_come_along_and_each_is_the_plugins_own() -> None:
    brought: dict[str, object] = {}
    exec("from accountant_posterior import *", brought)
    del brought["__builtins__"]
    assert {"Difference", "PosteriorBound", "SETTINGS", "per_release"} <= set(brought) == set(names.__all__)
    for name, item in brought.items():
        assert getattr(accountant_posterior, name) is item
        assert getattr(item, "__module__", "accountant_posterior").startswith("accountant_posterior")
