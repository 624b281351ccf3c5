"""Keeps the worker of a project running as long as the server does."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

_AGAIN = 1.0  # seconds before a worker that has ended is started again
_PATIENCE = 20.0  # seconds that a worker has to save what it has learnt


class Supervisor:
    """Starts the worker, and starts it again where it ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="studio-supervisor", daemon=True)

    def start(self) -> None:
        """Start the worker."""
        self._thread.start()

    @property
    def process(self) -> subprocess.Popen[bytes] | None:
        """The worker's process, once it has begun."""
        return self._process

    def stop(self) -> None:
        """End the worker; what it was learning is saved and goes on next time."""
        self._ending.set()
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)
            if process.poll() is None:
                process.kill()
        self._thread.join(_PATIENCE)

    def _watch(self) -> None:
        while not self._ending.is_set():
            self._process = subprocess.Popen(
                [sys.executable, "-m", "binyan.studio.worker", str(self._folder), str(os.getpid())],
                stdin=subprocess.DEVNULL,
            )
            while self._process.poll() is None and not self._ending.is_set():
                time.sleep(0.1)
            self._ending.wait(_AGAIN)
