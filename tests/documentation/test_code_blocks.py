"""Every ```bash and ```python block of README and docs runs as written, in order, in one fresh folder a page.

A block after the line `<!-- not run: reason -->` is shown only; the reason is for the reader of the source.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"(<!-- not run: [^\n]+ -->\n)?```(bash|python)\n(.*?)```", re.S)


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(language, code) for skipped, language, code in BLOCK.findall(page.read_text()) if not skipped]


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda p: str(p.relative_to(ROOT)))
def test_blocks_run(page, tmp_path):
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "MPLBACKEND": "agg"}
    for language, code in blocks(page):
        command = ["bash", "-euc", code] if language == "bash" else [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
