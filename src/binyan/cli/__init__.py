"""The `binyan` command: a table of thin subcommands over the public API."""

from __future__ import annotations

import io
import sys

import typer

from binyan import __version__
from binyan.cli.commands import App, CommandTable
from binyan.errors import OUT_OF_MEMORY, BinyanError, NoMemoryError

# Each is a module of this package, with a function of its name or a group of commands.
COMMANDS = ("check", "demo", "explore", "rescore", "serve", "studio")
GROUPS = ("compounds", "grammar", "lm", "morph", "reproduce", "classes", "mt", "text", "vectors", "wordmap")

app = App(
    name="binyan",
    help="Probabilistic models that see inside words.",
    cls=CommandTable.over("binyan.cli", (*COMMANDS, *GROUPS)),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"binyan {__version__}")
        raise typer.Exit


@app.callback()
def _root(version: bool = typer.Option(False, "--version", callback=_version, is_eager=True)) -> None:
    """Probabilistic models that see inside words."""


def use_utf8(platform: str = sys.platform) -> None:
    """Make standard streams UTF-8 with plain line ends on Windows, where a pipe would have the code page of the system."""
    if platform == "win32":
        for stream, newline in ((sys.stdin, None), (sys.stdout, "\n"), (sys.stderr, "\n")):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", newline=newline)


def main() -> None:
    """Run the command; a BinyanError becomes one clear line and its exit code."""
    use_utf8()
    try:
        app()
    except BinyanError as error:
        typer.echo(f"binyan: {error}", err=True)
        sys.exit(error.exit_code)
    except MemoryError:
        typer.echo(f"binyan: {OUT_OF_MEMORY}", err=True)
        sys.exit(NoMemoryError.exit_code)
    except KeyboardInterrupt:
        typer.echo("binyan: interrupted; what was saved before is intact", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(141)
