"""Choice: the engine that a name stands for."""

from __future__ import annotations

from accountant import InvalidValue
from accountant_scale.engines.engine import Engine

_CLUSTERS = ("spark://", "local-cluster[", "local[")


def engine_of(name: str) -> Engine:
    """`duckdb`, or the address of a Spark cluster."""
    if name == "duckdb":
        from accountant_scale.engines.duck import DuckDB

        return DuckDB()
    if name.startswith(_CLUSTERS):
        from accountant_scale.engines.spark import Spark

        return Spark(name)
    raise InvalidValue(
        f"'{name}' is no engine; write 'duckdb', or the address of a Spark cluster: spark://HOST:PORT, local-cluster[...]"
    )
