"""Every ```bash and ```python block of README and docs runs as written, in order, in one fresh folder a page.

A ```text block right after such a block is what it prints, on both streams; `...` stands for any characters, or on a line of
its own for any lines. A block after the line `<!-- not run: reason -->` is shown only; the reason is for the reader of the
source.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"(<!-- not run: [^\n]+ -->\n)?```(bash|python)\n(.*?)```(?:\n\n```text\n(.*?)```)?",
    re.S,
)


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Language, code, and what it prints, of what is run."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [(language, code, shown) for skipped, language, code, shown in found if not skipped]


def matches(shown: str, printed: str) -> bool:
    lines = [
        "(.*\n)*?" if line.strip() == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n"
        for line in shown.splitlines()
    ]
    return (
        re.fullmatch("".join(lines), "".join(line.rstrip() + "\n" for line in printed.rstrip().splitlines()))
        is not None
    )


def test_what_is_shown_is_compared():
    assert (
        matches("a 1.0 s\n", "a 1.0 s\n")
        and matches("a ... s\n", "a 3.4 s\n")
        and matches("a\n...\nd\n", "a\nb\nc\nd\n")
    )
    assert not matches("a\n", "b\n") and not matches("a\n", "a\nb\n") and not matches("a.b\n", "acb\n")


@pytest.mark.posix
@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda p: str(p.relative_to(ROOT)))
def test_blocks_run(page, tmp_path):
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "MPLBACKEND": "agg",
        "COLUMNS": "100",
    }
    for language, code, shown in blocks(page):
        command = ["bash", "-euc", code] if language == "bash" else [sys.executable, "-c", code]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,  # the machine may be busy
        )
        assert done.returncode == 0, f"{code}\n{done.stdout}"
        assert not shown or matches(shown, done.stdout), f"{code}\nprints\n{done.stdout}\nand not\n{shown}"


def test_links_lead_somewhere():
    """Links of README and docs between files of the repository; pages that are made when the site is built are known."""
    results = ["index.md", *(f"{chapter}/report.md" for chapter in ("hpylm", "lbl", "adaptor", "translation"))]
    names = ["reference/commands.md", "reference/python.md", *(f"results/{name}" for name in results)]
    made = {ROOT / "docs" / name for name in names}
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith(("http:", "https:")):
                path = (page.parent / target).resolve()
                assert path.exists() or path in made, f"{page.relative_to(ROOT)} links to {target}"
