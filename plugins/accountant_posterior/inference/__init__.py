"""Inference from noisy statistics: what a release says about the law that bounded data come from."""

from __future__ import annotations

from accountant_posterior.inference.constraints import (
    RegressionMoments,
    largest_sample_variance,
    largest_variance,
    line_possible,
    line_within,
    mean_range,
    sample_mean_range,
)
from accountant_posterior.inference.draws import Draws, effective_size, highest_density, most_likely, split_r_hat
from accountant_posterior.inference.gamma_mixture import TruncatedGammaMixture
from accountant_posterior.inference.gibbs import infer
from accountant_posterior.inference.lines.priors import ConjugateLine, FlatLine, GaussianDesign, LinePrior, WeakLine
from accountant_posterior.inference.lines.release import NoisySums
from accountant_posterior.inference.lines.sampler import LineDraws, infer_line
from accountant_posterior.inference.moments import MomentsRelease, NoisyMoments, StatedMoments
from accountant_posterior.inference.noise import GaussianNoise, LaplaceNoise, StatisticNoise
from accountant_posterior.inference.priors import Conjugate, Flat, MomentsPrior
from accountant_posterior.inference.proportions import Beta, NoisyProportion
from accountant_posterior.inference.public import PublicFigure
from accountant_posterior.inference.study import Study, study

__all__ = [
    "Beta",
    "Conjugate",
    "ConjugateLine",
    "Draws",
    "Flat",
    "FlatLine",
    "GaussianDesign",
    "GaussianNoise",
    "LaplaceNoise",
    "LineDraws",
    "LinePrior",
    "MomentsPrior",
    "MomentsRelease",
    "NoisyMoments",
    "NoisyProportion",
    "NoisySums",
    "PublicFigure",
    "RegressionMoments",
    "StatedMoments",
    "StatisticNoise",
    "Study",
    "TruncatedGammaMixture",
    "WeakLine",
    "effective_size",
    "highest_density",
    "infer",
    "infer_line",
    "largest_sample_variance",
    "largest_variance",
    "line_possible",
    "line_within",
    "mean_range",
    "most_likely",
    "sample_mean_range",
    "split_r_hat",
    "study",
]
