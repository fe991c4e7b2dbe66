"""What a system does with a job."""

from __future__ import annotations

from abc import ABC, abstractmethod

from attrs import frozen
from jobs import Allocation, Calibration, Curve, Epsilon, Job, Power


class Unsupported(Exception):
    """The system has no way to state this job."""


@frozen
class Answer:
    """One interval per reading, or upper ends alone."""

    upper: tuple[float, ...]
    lower: tuple[float, ...] | None = None


class System(ABC):
    """A system under comparison. Every call starts from an empty account."""

    def answer(self, job: Job) -> Answer:
        if isinstance(job, Epsilon):
            return self.epsilon(job)
        if isinstance(job, Curve):
            return self.curve(job)
        if isinstance(job, Calibration):
            return self.calibration(job)
        if isinstance(job, Power):
            return self.power(job)
        if isinstance(job, Allocation):
            return self.allocation(job)
        raise Unsupported(f"{type(job).__name__} is not a kind of job")

    @abstractmethod
    def epsilon(self, job: Epsilon) -> Answer:
        """Epsilon at the job's delta."""

    def curve(self, job: Curve) -> Answer:
        """Delta at each of the job's epsilons."""
        raise Unsupported("no curve")

    def power(self, job: Power) -> Answer:
        """The largest power at the job's level."""
        raise Unsupported("no tests")

    def allocation(self, job: Allocation) -> Answer:
        """Epsilon at the job's delta."""
        raise Unsupported("no random allocation")

    def calibration(self, job: Calibration) -> Answer:
        """A sigma that keeps the budget, as the upper end; one that does not, as the lower."""
        raise Unsupported("no calibration")
