"""Chains of an adaptor grammar on the workers of a cluster. A chain is sent, and comes back, in the container of models."""

from __future__ import annotations

from collections.abc import Callable

from binyan import model_file
from binyan.errors import BinyanError
from binyan.morphology.adaptor import AdaptorSampler
from binyan.morphology.storage import KIND, chain_from_bytes, chain_sections, chain_to_bytes, restored_chain
from binyan.progress import ProgressOption
from binyan.spread import spread


def run_on_cluster(
    sampler: AdaptorSampler, scheduler: str, save: Callable[[], None] | None, progress: ProgressOption
) -> None:
    """Every chain to the end of the schedule; `save` is called whenever one is done."""
    left = [place for place, state in enumerate(sampler.states) if state.sweeps < sampler.settings.sweeps]
    jobs = [chain_to_bytes(sampler, sampler.states[place]) for place in left]
    failed: BinyanError | None = None
    for item, came in spread(run_chain, jobs, scheduler=scheduler, progress=progress, what="chains"):
        if isinstance(came, BinyanError):
            failed = came
            continue
        place = left[item]
        sampler.states[place] = restored_chain(sampler, model_file.from_bytes(came), sampler.states[place].number)
        if save is not None:
            save()
    if failed is not None:
        raise failed


def run_chain(job: bytes) -> bytes:
    """The chain of `chain_to_bytes`, sampled to the end of its schedule."""
    sampler = chain_from_bytes(job)
    sampler.run(progress=False)
    return model_file.to_bytes(KIND, {}, chain_sections(sampler.states[0]))
