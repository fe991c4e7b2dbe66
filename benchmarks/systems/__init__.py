"""The systems that are compared. Each is a module with `system()`, imported only where its library is installed."""

from __future__ import annotations

from attrs import frozen


@frozen
class Entry:
    """Where a system is found, and what its answers are. `why` explains an answer that cannot be right."""

    module: str
    distribution: str
    setting: str
    why: str = "no bound on its error is known"

    @property
    def own(self) -> bool:
        return self.distribution == "privacy-accountant"


SYSTEMS = {
    "accountant": Entry("ours", "privacy-accountant", "default precision, both directions"),
    "accountant, 1e-7": Entry("ours_precise", "privacy-accountant", "a relative width of 1e-7 asked for, both directions"),
    "dp-accounting PLD": Entry(
        "dp_accounting_pld",
        "dp-accounting",
        "defaults, connect-the-dots for discrete Gaussians",
        "its bound covers discretisation, but not the rounding of its Fourier transform",
    ),
    "dp-accounting RDP": Entry("dp_accounting_rdp", "dp-accounting", "defaults"),
    "prv-accountant": Entry(
        "prv",
        "prv-accountant",
        "eps_error 0.01, delta_error delta/1000; discrete Gaussians given as Gaussians",
        "its bound covers discretisation, but not the rounding of its Fourier transform",
    ),
    "autodp": Entry("autodp_rdp", "autodp", "Renyi composition"),
    "opendp": Entry("opendp_zcdp", "opendp", "zCDP composition"),
    "opacus PRV": Entry("opacus_prv", "opacus", "eps_error 0.01, delta_error delta/1000; without PyTorch"),
    "opacus RDP": Entry("opacus_rdp", "opacus", "default orders; without PyTorch"),
    "PLD_accounting": Entry(
        "pld_accounting",
        "PLD_accounting",
        "default accuracy; upper ends only for Poisson samples",
        "its bound covers discretisation, but not all rounding",
    ),
    "riskcal": Entry("riskcal_pld", "riskcal", "from dp-accounting's distributions at their defaults"),
}
OURS = "accountant"
