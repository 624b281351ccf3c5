"""Runs inputs through a target in a process of its own, which a watchdog ends when one input takes too long.

The input at hand is kept in memory that both processes see: a process that dies has told which input killed it.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import random
import resource
import signal
import struct
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from binyan.errors import BinyanError
from fuzz.targets import Target

CPU_SECONDS = 10.0  # per input
SPARE_BYTES = 4 << 30  # of address space beyond what a process has when it begins
_SHARED = 1 << 20
_HEAD = struct.Struct("<QQ")  # inputs run, bytes of the present input


@dataclass(frozen=True)
class Fault:
    """An input that broke a target: by an exception that is no BinyanError, by a signal, or by taking too long."""

    data: bytes
    what: str

    @property
    def name(self) -> str:
        """A file name of its own for every input."""
        return hashlib.blake2b(self.data, digest_size=6).hexdigest()


@dataclass
class Tally:
    """What fuzzing a target came to."""

    inputs: int = 0
    seconds: float = 0.0
    faults: dict[str, Fault] = field(default_factory=dict)


def fault_of(target: Target, data: bytes) -> str | None:
    """How an input breaks a target, or None where it is read or refused in plain words."""
    try:
        target.run(data)
    except BinyanError as error:
        return None if str(error).strip() else f"{type(error).__name__} without a message"
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        inside = [f"{Path(f.filename).name}:{f.name}" for f in frames if "fuzz" not in Path(f.filename).parts[-2:]]
        return f"{type(error).__name__} in {' < '.join(reversed(inside[-2:]))}"
    return None


def fuzz(target: Target, seconds: float, seed: int, keep: Callable[[Fault], None]) -> Tally:
    """Feed mutated seeds to a target for `seconds`; each kind of fault is kept once."""
    target.prepare()
    tally, start, round_ = Tally(), time.monotonic(), 0
    while (left := seconds - (time.monotonic() - start)) > 0:
        memory = mmap.mmap(-1, _SHARED)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            _work(target, left, seed * 1000 + round_, memory, writer, set(tally.faults))
        os.close(writer)
        with os.fdopen(reader, "rb") as reports:
            _take_reports(reports.read(), tally, keep)
        _, status = os.waitpid(child, 0)
        inputs, size = _HEAD.unpack_from(memory)
        tally.inputs += inputs
        if status != 0:
            fault = Fault(memory[_HEAD.size : _HEAD.size + size], _death(status))
            tally.faults.setdefault(f"{fault.what} {fault.name}", fault)
            keep(fault)
        round_ += 1
        memory.close()
    tally.seconds = time.monotonic() - start
    return tally


def _work(target: Target, seconds: float, seed: int, memory: mmap.mmap, writer: int, known: set[str]) -> None:
    """The process that runs the inputs; never returns."""
    rng = random.Random(seed)
    status = 1
    try:
        _limit_process()
        seeds, inputs, end = target.seeds, 0, time.monotonic() + seconds
        while time.monotonic() < end:
            data = target.mutate(rng, seeds)[: _SHARED - _HEAD.size]
            memory[_HEAD.size : _HEAD.size + len(data)] = data
            inputs += 1
            _HEAD.pack_into(memory, 0, inputs, len(data))
            signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
            what = fault_of(target, data)
            if what is not None and what not in known:
                known.add(what)
                record = what.encode() + b"\0" + data
                os.write(writer, len(record).to_bytes(4, "little"))
                for at in range(0, len(record), 1 << 15):
                    os.write(writer, record[at : at + (1 << 15)])
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _limit_process() -> None:
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)  # by default it ends the process
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + SPARE_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout = open(os.devnull, "w")


def _take_reports(data: bytes, tally: Tally, keep: Callable[[Fault], None]) -> None:
    at = 0
    while at + 4 <= len(data):
        size = int.from_bytes(data[at : at + 4], "little")
        what, _, content = data[at + 4 : at + 4 + size].partition(b"\0")
        fault = Fault(content, what.decode())
        if fault.what not in tally.faults:
            tally.faults[fault.what] = fault
            keep(fault)
        at += 4 + size


def _death(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "took too long" if number == signal.SIGVTALRM else f"killed by {signal.Signals(number).name}"
    return f"ended with status {os.WEXITSTATUS(status)}"


def apart(target: Target, data: bytes) -> str | None:
    """As `fault_of`, in a process of its own: what kills it does not kill this one."""
    target.prepare()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _limit_process()
        signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
        os.write(writer, (fault_of(target, data) or "").encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as report:
        what = report.read().decode()
    _, status = os.waitpid(child, 0)
    return _death(status) if status else what or None


def minimise(target: Target, fault: Fault, seconds: float = 30.0) -> Fault:
    """A smaller input with the same fault: pieces are left out as long as the fault stays. Model files stay as they are."""
    if target.is_model:
        return fault
    data, piece, end = fault.data, max(1, len(fault.data) // 2), time.monotonic() + seconds
    while piece and time.monotonic() < end:
        at, shorter = 0, False
        while at < len(data) and time.monotonic() < end:
            candidate = data[:at] + data[at + piece :]
            if apart(target, candidate) == fault.what:
                data, shorter = candidate, True
            else:
                at += piece
        if not shorter or piece > len(data):
            piece //= 2
    return Fault(data, fault.what)
