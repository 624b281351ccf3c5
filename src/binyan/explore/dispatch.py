"""Where a question is answered: at once, by a thread, or by one of the few threads for what takes long."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Answer = TypeVar("Answer")

AT_ONCE = 0.005  # seconds: handing a question to a thread takes about a tenth of that
LONG = 0.25  # seconds: what takes more waits among its like
MOST_WAITING = 64  # long questions, asked and not answered
LONGEST_WAIT = 20.0  # seconds until a question is given up by the one who asks


class BusyError(Exception):
    """Too much was asked at once, or an answer takes too long."""


class Dispatcher:
    """Runs questions so that none keeps the others waiting.

    A question may have a measure: something that decides how long it takes, such as a model and the number of a word's atoms. What
    was quick before with the same measure is answered at once; what took long goes to threads of its own. The first question of a
    measure is tried by a thread that waits for no long ones, and others like it wait until it is known how long they take.
    """

    def __init__(self) -> None:
        # Queries change nothing and leave the interpreter lock in their loops; more threads than cores only wait for it.
        cores = os.cpu_count() or 1
        self._threads = ThreadPoolExecutor(min(8, cores + 1), thread_name_prefix="explorer")
        self._long = ThreadPoolExecutor(max(1, min(4, cores // 2)), thread_name_prefix="explorer-long")
        self._first = ThreadPoolExecutor(1, thread_name_prefix="explorer-first")
        self._slowest: dict[Any, float] = {}
        self._tried: set[Any] = set()
        self._waiting = 0

    async def run(self, answer: Callable[[], Answer], measure: Any = None) -> Answer:
        """The answer; BusyError where too many wait, or it does not come in time."""
        if measure is None:
            return await self._within(self._threads, answer)
        if measure not in self._slowest:
            if measure not in self._tried:
                return await self._try(answer, measure)
            await self._known(measure)
        if self._slowest.get(measure, LONG) < AT_ONCE:
            return self._timed(answer, measure)
        if self._slowest.get(measure, LONG) < LONG:
            return await self._within(self._threads, lambda: self._timed(answer, measure))
        if self._waiting >= MOST_WAITING:
            raise BusyError("too many long words or sentences wait for an answer; try again later")
        self._waiting += 1
        return await self._within(self._long, lambda: self._timed(answer, measure), self._done)

    async def _try(self, answer: Callable[[], Answer], measure: Any) -> Answer:
        if len(self._tried) >= MOST_WAITING:
            raise BusyError("too many words or sentences of new lengths wait for an answer; try again later")
        self._tried.add(measure)
        return await self._within(
            self._first, lambda: self._timed(answer, measure), lambda _: self._tried.discard(measure)
        )

    async def _known(self, measure: Any) -> None:
        """Wait until the first question of a measure is answered, in whatever event loop it was asked."""
        end = time.monotonic() + LONGEST_WAIT
        while measure in self._tried:
            if time.monotonic() > end:
                raise BusyError("the answer takes too long; try a shorter word or sentence, or later")
            await asyncio.sleep(AT_ONCE)

    def _done(self, _: Any) -> None:
        self._waiting -= 1

    def _timed(self, answer: Callable[[], Answer], measure: Any) -> Answer:
        start = time.perf_counter()
        try:
            return answer()
        finally:
            seconds = time.perf_counter() - start
            # One slow answer among many quick ones may be the machine's fault: the figure falls again, slowly.
            self._slowest[measure] = max(seconds, 0.8 * self._slowest.get(measure, 0.0))

    async def _within(
        self, pool: ThreadPoolExecutor, answer: Callable[[], Answer], done: Callable[[Any], None] | None = None
    ) -> Answer:
        future = asyncio.get_running_loop().run_in_executor(pool, answer)
        if done is not None:
            future.add_done_callback(done)
        try:
            return await asyncio.wait_for(asyncio.shield(future), LONGEST_WAIT)
        except TimeoutError:
            future.cancel()
            raise BusyError("the answer takes too long; try a shorter word or sentence, or later") from None
