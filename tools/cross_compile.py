"""Compile the core and its C++ tests for other systems, with the clang that the `ziglang` package brings.

    python tools/cross_compile.py x86_64-windows-gnu aarch64-macos
    python tools/cross_compile.py aarch64-linux-musl --run qemu-aarch64

Programs are linked, which shows that nothing of the system is missing; with `--run`, they are run by an emulator too.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FLAGS = ("-std=c++20", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Wshadow", "-Werror")


def compile_file(source: Path, folder: Path, target: str) -> Path:
    """The object file of one source file."""
    relative = source.relative_to(ROOT)
    result = folder / relative.with_suffix(".o")
    result.parent.mkdir(parents=True, exist_ok=True)
    zig("-target", target, *FLAGS, f"-I{ROOT / 'core'}", "-c", str(source), "-o", str(result))
    return result


def zig(*arguments: str) -> None:
    """Run zig's C++ compiler; what it says is shown only where it fails."""
    command = [sys.executable, "-m", "ziglang", "c++", *arguments]
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{process.stderr}")


def build(target: str, jobs: int) -> list[Path]:
    """Compile everything for a target; returns the test programs."""
    folder = ROOT / "build" / "cross" / target
    core = sorted((ROOT / "core").rglob("*.cpp"))
    tests = sorted((ROOT / "tests" / "cpp").glob("test_*.cpp"))
    with ThreadPoolExecutor(jobs) as pool:
        objects = dict(
            zip([*core, *tests], pool.map(lambda s: compile_file(s, folder, target), [*core, *tests]), strict=True)
        )
        library = [str(objects[source]) for source in core]
        programs = [folder / (test.stem + (".exe" if "windows" in target else "")) for test in tests]
        links = [
            ("-target", target, str(objects[t]), *library, "-o", str(p)) for t, p in zip(tests, programs, strict=True)
        ]
        list(pool.map(lambda arguments: zig(*arguments), links))
    return programs


def main() -> None:
    """Build each target, and run the programs where there is something to run them with."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="+", help="a processor and system as zig names them")
    parser.add_argument("--run", metavar="EMULATOR", help="run the test programs with this command")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="files compiled at once")
    options = parser.parse_args()
    if options.run and not shutil.which(options.run):
        sys.exit(f"{options.run} is not installed: on Debian, `apt-get install qemu-user` brings it")
    for target in options.targets:
        begin = time.monotonic()
        programs = build(target, options.jobs)
        print(f"{target}: {len(programs)} test programs built in {time.monotonic() - begin:.0f} s", flush=True)
        for program in programs if options.run else []:
            begin = time.monotonic()
            subprocess.run([options.run, str(program)], check=True)
            print(f"  {program.name}: {time.monotonic() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
