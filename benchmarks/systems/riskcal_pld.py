"""riskcal, which reads risks of attacks from dp-accounting's distributions: the largest power of a test."""

from __future__ import annotations

from jobs import Epsilon, Power
from riskcal import analysis  # type: ignore[import-not-found]

from systems.base import Answer, System, Unsupported
from systems.dp_accounting_pld import composed


class Risks(System):
    def epsilon(self, job: Epsilon) -> Answer:
        raise Unsupported("epsilon is dp-accounting's")

    def power(self, job: Power) -> Answer:
        return Answer((1.0 - float(analysis.get_beta_from_pld(composed(job.parts), alpha=float(job.level))),))


def system() -> System:
    return Risks()
