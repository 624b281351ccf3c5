"""How long it takes from the command in the README to the first corrected word, as a newcomer goes: only by what the page shows.

    python benchmarks/studio_first_correction.py words.txt

Starts `binyan studio` over an empty folder, drives a real browser (Chromium and Playwright), and prints the seconds of each step. `--reading`
adds that many seconds before each click, for a person who reads. Installing is not part of it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

CHROMIUM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome")) if p), None)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def wait_for(port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the studio did not start")


def way(page: Page, words: Path, reading: float) -> list[tuple[str, float]]:
    """The steps with the seconds each took."""
    steps: list[tuple[str, float]] = []
    began = time.monotonic()

    def done(name: str) -> None:
        nonlocal began
        steps.append((name, time.monotonic() - began))
        began = time.monotonic()

    def click(name: str) -> None:
        page.wait_for_timeout(1000 * reading)
        page.get_by_role("button", name=name, exact=True).first.click()

    page.wait_for_timeout(1000 * reading)
    page.set_input_files("#file", words)
    page.get_by_role("button", name="On to the grammar").wait_for()
    done("the file is read")
    click("On to the grammar")
    page.get_by_role("button", name="Use this one").first.wait_for()
    click("Use this one")
    page.wait_for_timeout(1000 * reading)
    page.click("#learn")
    page.get_by_text("first answer after").wait_for()
    done("there is a first answer")
    click("Review the words")
    page.get_by_role("button", name="Accept", exact=True).wait_for()
    done("the first word is shown")
    page.wait_for_timeout(1000 * reading)
    page.locator("#editor .gap").first.click()
    click("Save this analysis")
    page.get_by_role("button", name="Undo").wait_for()
    done("the first word is corrected")
    return steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", type=Path)
    parser.add_argument("--reading", type=float, default=0.0, metavar="SECONDS")
    options = parser.parse_args()
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        began = time.monotonic()
        studio = subprocess.Popen(
            [sys.executable, "-m", "binyan", "studio", f"{folder}/my-language", "--no-browser", "--port", str(port)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.DEVNULL,
        )
        try:
            wait_for(port)
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(locale="en")
            page.set_default_timeout(120_000)
            page.goto(f"http://127.0.0.1:{port}/")
            page.wait_for_selector("#drop")
            steps = [("the page is open", time.monotonic() - began), *way(page, options.words, options.reading)]
            browser.close()
        finally:
            studio.terminate()
            studio.wait(30)
    for name, seconds in [*steps, ("in all", sum(seconds for _, seconds in steps))]:
        print(f"{seconds:7.1f} s  {name}")


if __name__ == "__main__":
    main()
