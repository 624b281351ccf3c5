"""Work on items in order, a part of which must not overlap, on several threads: the result does not depend on their number."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from typing import Generic, TypeVar

Item = TypeVar("Item")
Lent = TypeVar("Lent")


class Turns(Generic[Item, Lent]):
    """`run` does `alone(item, lent)` for all items, on any thread, and after it `in_turn(item, lent)` in the order of the items.

    `lend(item)` gives what both work on, and takes it back at the end. It is entered in the order of the items, so that it may
    wait for room that earlier items give back.
    """

    def __init__(
        self,
        lend: Callable[[Item], AbstractContextManager[Lent]],
        alone: Callable[[Item, Lent], None],
        in_turn: Callable[[Item, Lent], None],
        afterwards: Callable[[Item, Lent], None],
    ) -> None:
        self._lend, self._alone, self._in_turn, self._afterwards = lend, alone, in_turn, afterwards
        self._claim, self._changed = threading.Lock(), threading.Condition()
        self._next = self._turn = 0
        self._stopped = False

    def run(self, items: Sequence[Item], threads: int) -> None:
        """All items; after a failure or Ctrl-C nothing new is begun, and it is raised when all threads have stopped."""
        if threads == 1 or len(items) == 1:
            self._work(items)
            return
        with ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(self._work, items) for _ in range(min(threads, len(items)))]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                self._stop()
                raise

    def _work(self, items: Sequence[Item]) -> None:
        try:
            while self._one(items):
                pass
        except BaseException:
            self._stop()
            raise

    def _one(self, items: Sequence[Item]) -> bool:
        with ExitStack() as stack:
            with self._claim:
                if self._stopped or self._next == len(items):
                    return False
                place = self._next
                self._next += 1
                lent = stack.enter_context(self._lend(items[place]))
            self._alone(items[place], lent)
            with self._changed:
                self._changed.wait_for(lambda: self._turn == place or self._stopped)
            if self._stopped:
                return False
            self._in_turn(items[place], lent)
            with self._changed:
                self._turn += 1
                self._changed.notify_all()
            self._afterwards(items[place], lent)
        return True

    def _stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
