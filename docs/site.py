"""Pages of the site that are made when it is built: commands, Python reference, and the texts at the top of the repository."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "binyan"
# Parts of the package in the order a reader meets them; what a part is called.
PARTS = {
    "model": "All models",
    "language_model": "All language models",
    "scores": "Scores",
    "text": "Text",
    "segmentation": "Segmentation",
    "ngram": "N-gram models",
    "log_bilinear": "Log-bilinear models",
    "recurrent": "Recurrent models",
    "mixture": "Mixtures",
    "sampling": "Sampling",
    "clustering": "Word classes",
    "grammar": "Grammars",
    "morphology": "Morphology",
    "translation": "Translation",
    "evaluation": "Evaluation",
    "experiments": "Experiments",
    "datasets": "Data to try things on",
    "parallel": "Many machines",
    "settings": "Settings",
    "files": "Files",
    "model_file": "Model files",
    "signature": "Signatures",
    "progress": "Progress",
    "errors": "Errors",
}
COPIED = {
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made here."""
    made = {"reference/commands.md": commands(), **dict(python_pages()), **dict(results_pages())}
    for name, place in COPIED.items():
        made[place] = _linked((ROOT / name).read_text(encoding="utf-8"))
    for path, content in made.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Equations become MathML, which browsers draw without a script."""
    from latex2mathml.converter import convert

    def equation(match: re.Match[str]) -> str:
        lines = [line for line in match[1].split("\n\n") if line.strip()]
        return "".join(f'<div class="equation">{convert(line, display="block")}</div>\n' for line in lines)

    return re.sub(r"^```math\n(.*?)^```$", equation, markdown, flags=re.S | re.M)


def results_pages() -> Iterator[tuple[str, str]]:
    """The committed results beside the thesis's: the same pages that `binyan reproduce report` writes, with their plots."""
    from binyan import experiments

    with TemporaryDirectory() as folder:
        experiments.report(results=ROOT / "results").write(folder)
        for path in sorted(Path(folder).rglob("*")):
            if path.suffix in (".md", ".svg"):
                yield f"results/{path.relative_to(folder).as_posix()}", path.read_text(encoding="utf-8")


def commands() -> str:
    """Every command with its help, arguments and options, as the commands themselves have them."""
    import typer.main

    from binyan.cli import app

    parts = ["# Commands\n", "As `binyan COMMAND --help` prints them; this page is made from the commands.\n"]
    for path, command in _commands("binyan", typer.main.get_command(app)):
        level = "#" * min(1 + len(path.split()), 4)
        parts.append(f"{level} {path} {{ #{path.replace(' ', '-').replace('+', 'p')} }}\n")
        parts.append(_help(command.help or ""))
        rows = [row for parameter in command.params if (row := _row(parameter))]
        if rows and not hasattr(command, "commands"):
            parts.append("\n".join(["| option | | |", "|---|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def _commands(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, child in sorted(getattr(command, "commands", {}).items()):
        yield from _commands(f"{path} {name}", child)


def _help(text: str) -> str:
    """Paragraphs as they are; examples, which follow a \\b or begin with the command's name, as code."""
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in block.replace("\b", "").splitlines() if line.strip()]
        code = [line for line in lines if line.startswith(("binyan ", "torchrun ", "Example: ", "echo "))]
        prose = [line for line in lines if line not in code and line != "Examples:"]
        if prose:
            blocks.append(" ".join(_safe(line) for line in prose) + "\n")
        if code:
            blocks.append("```\n" + "\n".join(line.removeprefix("Example: ") for line in code) + "\n```\n")
    return "\n".join(blocks)


def _row(parameter: Any) -> str:
    if getattr(parameter, "hidden", False) or "help" in parameter.name.split("_"):
        return ""
    is_option = parameter.param_type_name == "option"
    names = ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts]) if is_option else ""
    placeholder = parameter.metavar or ("" if getattr(parameter, "is_flag", False) else parameter.name.upper())
    shown = f"{names} {_safe(placeholder)}" if names else f"`{placeholder}`"
    notes = [parameter.help or ""] if getattr(parameter, "help", None) else []
    if parameter.required:
        notes.append("*Required.*")
    elif parameter.default not in (None, False, (), []) and not callable(parameter.default):
        notes.append(f"Default: `{parameter.default}`.")
    first, *rest = notes or [""]
    return f"| {shown.strip()} | {_safe(first)} | {' '.join(rest)} |".replace("\n", " ")


def python_pages() -> Iterator[tuple[str, str]]:
    """An index, and a page a part of the package."""
    index = ["# Python\n", "Made from the docstrings; their examples run as tests.\n"]
    for part, title in PARTS.items():
        place = PACKAGE / part
        modules = sorted(place.rglob("*.py")) if place.is_dir() else [PACKAGE / f"{part}.py"]
        dotted = [".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in modules]
        dotted = [name.removesuffix(".__init__") for name in dotted]
        body = "\n".join(f"::: {name}\n" for name in dotted)
        yield f"reference/python/{part}.md", f"# {title}\n\n{body}"
        about = _summary(PACKAGE / part / "__init__.py" if place.is_dir() else modules[0])
        index.append(f"- [{title}](python/{part}.md): {about}")
    yield "reference/python.md", "\n".join(index) + "\n"


def _summary(path: Path) -> str:
    found = re.match(r'"""(.*?)(\n\n|""")', path.read_text(encoding="utf-8"), re.S)
    return _safe(" ".join(found[1].split())) if found else ""


def _linked(text: str) -> str:
    """Links between the files at the top of the repository, as the site has them."""
    for name, place in {**COPIED, "README.md": "index.md"}.items():
        text = text.replace(f"({name})", f"({place})")
    return text.replace("(docs/", "(")


def _safe(text: str) -> str:
    return html.escape(text, quote=False).replace("|", "&#124;").replace("*", "&#42;").replace("_", "&#95;")
