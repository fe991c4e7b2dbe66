"""Lines from noisy sums: what a second of each sampler is worth, in one run and for the same posterior.

    python benchmarks/lines.py [--records 46,400,2000] [--scale 1]

Regressors are taken to be Gaussian and nothing is constrained, so that the posterior is that of data augmentation; both
are printed, since figures of samplers that disagree are worth nothing. Time is that of the processor, of one core.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from accountant_posterior.inference import LaplaceNoise, LineDraws, NoisySums, infer_line, split_r_hat
from accountant_posterior.inference.baselines.lines import ApproximateLines, AugmentedLines, run_lines
from accountant_posterior.inference.lines.priors import ConjugateLine, GaussianDesign

CHAINS, SEED = 200, 20261118
PRIOR, DESIGN = ConjugateLine(["1/2", 0], "1/4", 2, "1/50"), GaussianDesign(4)


def released(records: int, scale: float) -> NoisySums:
    """Sums of synthetic data with Laplace noise."""
    generator = np.random.default_rng(SEED)
    x = generator.beta(2, 3, records)
    y = np.clip(0.2 + 0.6 * x + 0.1 * generator.standard_normal(records), 0, 1)
    columns = np.array([np.ones(records), x, y])
    sums = (columns @ columns.T)[np.triu_indices(3)][1:]
    noisy = sums + generator.laplace(0, scale, 5)
    return NoisySums(records, [0, 0], [1, 1], LaplaceNoise(scale), noisy.tolist())


def samplers(seen: NoisySums) -> dict[str, Callable[[], LineDraws]]:
    """Draws by each method."""
    sweeps = max(60, min(600, 40_000 // seen.count))

    def by(kind: type[ApproximateLines] | type[AugmentedLines], iterations: int) -> LineDraws:
        generator = np.random.default_rng(SEED)
        state = kind(seen, PRIOR, DESIGN, CHAINS, generator)
        return run_lines(state, generator, iterations=iterations, burn=iterations // 2)

    def ours() -> LineDraws:
        generator = np.random.default_rng(SEED)
        return infer_line(seen, PRIOR, generator, constrained=False, design=DESIGN, chains=CHAINS)

    return {
        "ours": ours,
        "data augmentation": lambda: by(AugmentedLines, sweeps),
        "Gaussian approximation": lambda: by(ApproximateLines, 400),
    }


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", default="46,400,2000")
    parser.add_argument("--scale", type=float, default=1.0)
    asked = parser.parse_args()
    print("| records | sampler | slope, 95 % | split R-hat | seconds | effective draws per second | ours beside it |")
    print("|---|---|---|---|---|---|---|")
    for records in map(int, asked.records.split(",")):
        own = 0.0
        for name, draw in samplers(released(records, asked.scale)).items():
            start = time.process_time()
            found = draw()
            seconds = time.process_time() - start
            rate = found.effective_size / seconds
            own = own or rate
            settled = max(map(split_r_hat, (*found.coefficients, found.variance)))
            low, high = np.quantile(found.coefficients[1], (0.025, 0.975))
            row = [f"{records:,}", name, f"{low:.3f} to {high:.3f}", f"{settled:.3f}", f"{seconds:.1f}", f"{rate:,.0f}"]
            print("|", " | ".join([*row, f"{own / rate:.1f} x"]), "|", flush=True)


if __name__ == "__main__":
    main()
