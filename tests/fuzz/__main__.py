"""`python -m fuzz`: fuzz readers for a time, or replay the cases that were found before."""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # processes are forked

import argparse
import sys
import time
from pathlib import Path

from fuzz.engine import Fault, apart, fuzz, minimise
from fuzz.targets import TARGETS, Target

CASES = Path(__file__).parent / "cases"


def main() -> int:
    """Returns 1 where anything was found."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help="names of readers, or their beginnings; all if none is given")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each reader")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="folder for inputs that break a reader")
    parser.add_argument("--replay", action="store_true", help="read the cases that were found before")
    options = parser.parse_args()
    chosen = [t for t in TARGETS.values() if not options.targets or t.name.startswith(tuple(options.targets))]
    return replay(chosen) if options.replay else run(chosen, options.seconds, options.seed, options.out)


def run(targets: list[Target], seconds: float, seed: int, out: Path) -> int:
    """Fuzz each target and print a table."""
    print(f"{'reader':<20}{'inputs':>10}{'seconds':>9}{'faults':>8}  (seed {seed})", flush=True)
    total = faults = 0
    for target in targets:
        folder = out / target.name

        def keep(fault: Fault, folder: Path = folder) -> None:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / fault.name).write_bytes(fault.data)

        tally = fuzz(target, seconds, seed, keep)
        for fault in tally.faults.values():
            small = minimise(target, fault)
            (folder / fault.name).unlink(missing_ok=True)
            (folder / small.name).write_bytes(small.data)
            print(f"  {target.name}: {fault.what}: {folder / small.name} ({len(small.data)} bytes)", flush=True)
        total, faults = total + tally.inputs, faults + len(tally.faults)
        print(f"{target.name:<20}{tally.inputs:>10,}{tally.seconds:>9.0f}{len(tally.faults):>8}", flush=True)
    print(f"{'all':<20}{total:>10,}{'':>9}{faults:>8}")
    return int(faults > 0)


def replay(targets: list[Target]) -> int:
    """Every case must be read, or refused in plain words."""
    broken = 0
    for target in targets:
        for path in sorted((CASES / target.name).glob("*")):
            what = apart(target, path.read_bytes())
            if what is not None:
                broken += 1
                print(f"{path}: {what}")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
