"""Sampling from posteriors: the schedule of a run, its chains (here or on a cluster), and whether they have converged."""

from binyan.sampling.chains import ChainSampler, run_chains
from binyan.sampling.convergence import r_hat
from binyan.sampling.run import Run
from binyan.sampling.schedule import ChainSettings, Schedule

__all__ = ["ChainSampler", "ChainSettings", "Run", "Schedule", "r_hat", "run_chains"]
