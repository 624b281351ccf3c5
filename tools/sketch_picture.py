"""Draws docs/pictures/sketch.png: the beginning of a grammar sketch of the demonstration's words, in Chromium.

Run `python tools/sketch_picture.py CHROMIUM` with the path of Chromium; it needs playwright (extra dev).
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import sync_playwright

import binyan

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "sketch.png"
LARGEST = 60_000  # bytes


def main(chromium: str) -> None:
    """Learn, write the sketch, and draw the beginning of its page."""
    words = [word.word for word in binyan.datasets.semitic_words(1200, 1, "arabic")]
    morphology = binyan.Morphology("root-template", sweeps=100).fit(words)
    with TemporaryDirectory() as folder, sync_playwright() as browsers:
        morphology.sketch("Grammar sketch: 1,200 words", limit=5).save(Path(folder) / "sketch.html")
        browser = browsers.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 900, "height": 800})
        page.goto((Path(folder) / "sketch.html").as_uri())
        drawn = page.screenshot()
        browser.close()
    Image.open(io.BytesIO(drawn)).quantize(48).save(PICTURE, optimize=True)
    size = PICTURE.stat().st_size
    if size > LARGEST:
        sys.exit(f"{PICTURE}: {size:,} bytes are too many")


if __name__ == "__main__":
    main(*sys.argv[1:])
