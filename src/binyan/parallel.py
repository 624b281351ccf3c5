"""Independent work run in processes of this machine, or on the machines of a Dask cluster: one call for both.

What is sent must be plain: a function of a module, and values or bytes (a model as its container), never an open model.
"""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from importlib.util import find_spec
from threading import Thread
from typing import Any, TypeVar

from binyan import __version__
from binyan.errors import BinyanError, MissingExtra, SettingsError
from binyan.progress import Progress, ProgressOption

Item = TypeVar("Item")
Result = TypeVar("Result")

_PATIENCE = 30  # seconds for a scheduler to answer, and for its first worker to come


def run_each(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    progress: ProgressOption = False,
    what: str = "tasks",
) -> Iterator[tuple[int, Result | BinyanError]]:
    """Run `function` on each item, at once where there are cores: the place of the item and `function(item)`, as they finish; each exactly once.

    `workers` processes of this machine at a time, by default one per core, a new one for each item; or, with the address of a
    Dask `scheduler`, its workers. A BinyanError is given as that item's result and stops nothing else; so is the loss of a
    process. On a cluster the item of a lost worker is run again elsewhere: a function that writes must write whole and find
    what it wrote. Leave the loop, or press Ctrl-C, and what has not begun is dropped.

    >>> from math import factorial
    >>> sorted(run_each(factorial, [3, 1, 2], workers=1))
    [(0, 6), (1, 1), (2, 2)]
    """
    source = _here(function, items, workers) if scheduler is None else _on_cluster(function, items, scheduler)
    with Progress(what, len(items), progress) as bar:
        for place, result in source:
            yield place, result
            bar.advance()


def _here(
    function: Callable[[Item], Result], items: Sequence[Item], workers: int | None
) -> Iterator[tuple[int, Result | BinyanError]]:
    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        futures = {pool.submit(_in_own_process, function, item): place for place, item in enumerate(items)}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _in_own_process(function: Callable[[Item], Result], item: Item) -> Result | BinyanError:
    """So that memory is given back, and can be measured, for each item alone."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=_end_with_parent) as child:
        try:
            return child.submit(_attempt, function, item).result()
        except BrokenProcessPool:
            return BinyanError(
                "its process ended without a result: killed, perhaps because memory ran out (run again to resume), or "
                "unable to start, because a script that starts work must keep it below 'if __name__ == \"__main__\":'"
            )


def _end_with_parent() -> None:
    """From now on this process ends when the one that started it does, even if that was killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _attempt(function: Callable[[Item], Result], item: Item) -> Result | BinyanError:
    try:
        return function(item)
    except BinyanError as error:
        return error


def _on_cluster(
    function: Callable[[Item], Result], items: Sequence[Item], address: str
) -> Iterator[tuple[int, Result | BinyanError]]:
    if find_spec("distributed") is None:
        raise MissingExtra("work on a cluster", "cluster")
    distributed: Any = import_module("distributed")
    killed_worker: type[Exception] = import_module("distributed.scheduler").KilledWorker

    for name in ("distributed.client", "distributed.batched", "distributed.core", "distributed.comm"):
        logging.getLogger(name).setLevel(logging.ERROR)
    with _connected(address) as client:
        # Not pure: what Dask may remember of an earlier command is not this item's result.
        futures = {
            client.submit(_attempt, function, item, pure=False, key=f"binyan-{os.urandom(6).hex()}-{place}"): place
            for place, item in enumerate(items)
        }
        try:
            for future in distributed.as_completed(list(futures), loop=client.loop):
                try:
                    yield futures[future], future.result()
                except killed_worker:
                    message = "the workers it ran on died, one after another, perhaps because memory ran out; run again to resume"
                    yield futures[future], BinyanError(message)
                except CancelledError as error:
                    raise BinyanError(
                        f"{address}: the scheduler was lost; what is finished stays, run again"
                    ) from error
        finally:
            client.cancel(list(futures), force=True)


def _connected(address: str) -> Any:
    """A client of a cluster that has workers, all with our version of Binyan."""
    distributed: Any = import_module("distributed")
    # A client that found no scheduler closes itself when it is collected. While the next one starts, both would wait for ever.
    gc.collect()
    try:
        client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"{address}: no Dask scheduler answers there ({error}); start one with 'dask scheduler', "
            "and workers with 'dask worker ADDRESS'"
        ) from error
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
        versions = client.run(_version, on_error="return")
    except TimeoutError as error:
        client.close()
        raise SettingsError(
            f"{address}: the cluster has no worker; start some with 'dask worker {address}' where Binyan is installed"
        ) from error
    for worker, version in versions.items():
        if version != __version__:
            client.close()
            raise SettingsError(
                f"{address}: worker {worker} has Binyan {version}, here is {__version__}; install the same on both"
            )
    return client


def _version() -> str:
    return __version__
