"""The kinds of engine that come with the package; what each needs is imported when one is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from accountant import InvalidValue
from accountant.plugin import EngineKind

if TYPE_CHECKING:
    from accountant.plugin import Engine

_LOCAL_CLUSTER = "local-cluster[2,1,1024]"
"""Two workers beside this process, each with one core and as many megabytes."""

_CONNECT = "sc://"


@frozen
class InProcess(EngineKind):
    """DuckDB in this process."""

    name: ClassVar[str] = "duckdb"
    meaning: ClassVar[str] = "in this process, with nothing beside it; needs the extra 'scale'"
    alone: ClassVar[str] = "duckdb"
    usual: ClassVar[bool] = True

    def at(self, address: str) -> Engine:
        from accountant_scale.engines.duck import DuckDB

        return DuckDB()


@frozen
class OnCluster(EngineKind):
    """Spark, on a cluster or in processes beside this one."""

    name: ClassVar[str] = "spark"
    meaning: ClassVar[str] = "on a Spark cluster; needs the extra 'spark' and a Java runtime"
    begins: ClassVar[tuple[str, ...]] = ("spark://", "local-cluster", "local[")
    alone: ClassVar[str] = "local[2]"

    def has(self, address: str) -> bool:
        # Whoever writes the address of a server of Spark Connect means Spark, and is told what to write.
        return super().has(address) or address.startswith(_CONNECT)

    def at(self, address: str) -> Engine:
        from accountant_scale.engines.spark import Spark

        if address == self.name:
            raise InvalidValue("'spark' alone is no address of a cluster; write spark://HOST:PORT, or local-cluster")
        if address.startswith(_CONNECT):
            raise InvalidValue(
                f"'{address}' is a server of Spark Connect, which has no RDDs, by which readings are sent to the workers; "
                "write the address of the cluster's master, spark://HOST:PORT, or local-cluster"
            )
        return Spark(_LOCAL_CLUSTER if address == "local-cluster" else address)
