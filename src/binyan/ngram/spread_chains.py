"""Chains of a Pitman-Yor sampler on the workers of a cluster. A chain is sent, and comes back, as a checkpoint."""

from __future__ import annotations

from collections.abc import Callable

from binyan import model_file
from binyan.errors import BinyanError
from binyan.model_file import ModelFile
from binyan.ngram.compound_sampling import BothWaysSampling, CompoundSampling, decomposition_in
from binyan.ngram.hpylm import HPYLMSampling
from binyan.ngram.sampling import Sampling
from binyan.progress import ProgressOption
from binyan.spread import spread


def run_on_cluster(
    sampling: Sampling, scheduler: str, save: Callable[[], None] | None, progress: ProgressOption
) -> None:
    """Every chain to the end of its schedule; `save` is called whenever one is done."""
    chains = sampling.chains
    left = [
        n for n, trace in zip(chains.numbers, chains.traces, strict=True) if len(trace) < chains.schedule.iterations
    ]
    jobs = [model_file.to_bytes(sampling.kind, *sampling.contents([number])) for number in left]
    failed: BinyanError | None = None
    for place, came in spread(run_chain, jobs, scheduler=scheduler, progress=progress, what="chains"):
        if isinstance(came, BinyanError):
            failed = came
            continue
        done = model_file.from_bytes(came)
        chains.restore(done.sections, chains.schedule, [left[place]])
        if save is not None:
            save()
    if failed is not None:
        raise failed


def run_chain(job: bytes) -> bytes:
    """The chain of a checkpoint that holds one, sampled to the end of its schedule."""
    file = model_file.from_bytes(job)
    sampling = _sampling(file)
    sampling.run(None, False, None, 0.0, progress=False)
    return model_file.to_bytes(file.kind, {}, sampling.chains.sections())


def _sampling(file: ModelFile) -> Sampling:
    [number] = [int(name.split(".")[1]) for name in file.sections if name.endswith(".trace")]
    if file.kind == HPYLMSampling.kind:
        return HPYLMSampling.from_file(file, numbers=[number])
    of_kind = {c.kind: c for c in (CompoundSampling, BothWaysSampling)}[file.kind]
    return of_kind.from_file(file, decomposition=decomposition_in(file), numbers=[number])
