"""A browser whose reviewer accepts words as quickly as she can, until the browser is killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

CHROMIUM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome")) if p), None)
FLAGS = "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync --remote-debugging-port=0"


def accept_until_killed(address: str, seconds: float, made: dict[str, str]) -> None:
    """Accept words on the page; kill the browser after `seconds` of that. What the server has confirmed goes to `made`."""
    from playwright.sync_api import Error, sync_playwright

    assert CHROMIUM is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(
            [CHROMIUM, *FLAGS.split(), f"--user-data-dir={profile}", "about:blank"],
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

        def kill() -> None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(browser.pid, signal.SIGKILL)

        try:
            with sync_playwright() as driver, contextlib.suppress(Error):
                page = driver.chromium.connect_over_cdp(f"http://127.0.0.1:{_port(profile)}").contexts[0].new_page()

                def note(answer: object) -> None:
                    if answer.url.endswith("/api/decide") and answer.status == 200:  # type: ignore[attr-defined]
                        for item in answer.request.post_data_json["items"]:  # type: ignore[attr-defined]
                            made[item["word"]] = item["segmentation"]

                page.on("response", note)
                page.set_default_timeout(20_000)
                page.goto(address)
                page.click("#tab-review")
                page.wait_for_selector("#accept")
                threading.Timer(seconds, kill).start()
                while browser.poll() is None:
                    page.click("#accept")
        finally:
            kill()
            browser.wait()


def _port(profile: str) -> int:
    end = time.monotonic() + 30
    file = Path(profile) / "DevToolsActivePort"
    while time.monotonic() < end:
        with contextlib.suppress(OSError, ValueError, IndexError):
            return int(file.read_text().splitlines()[0])
        time.sleep(0.05)
    raise RuntimeError("the browser did not start")
