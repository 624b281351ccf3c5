"""`binyan explore`: a local web page over models."""

from __future__ import annotations

import os
from pathlib import Path

import typer


def explore(
    models: list[Path] = typer.Argument(
        ..., help="Model files (language models, segmenters) and folders of translation systems."
    ),
    port: int = typer.Option(8765, help="Port on this machine."),
    host: str = typer.Option(
        "127.0.0.1", help="Address to listen on; other machines can connect if it is not loopback."
    ),
    workers: int = typer.Option(1, min=1, max=64, help="Server processes (Linux); one is enough for one person."),
) -> None:
    """Open models in a local web page: type a word or a sentence and see what the models make of it.

    Example: binyan explore german.hpylm arabic.segmenter ende
    """
    from binyan.explore.loaded_models import LoadedModels
    from binyan.explore.server import serve

    if workers > 1:
        # A process whose numerical libraries have threads must not be forked; they read this when they are loaded.
        os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
    loaded = LoadedModels.load(models)
    typer.echo(f"Explorer at http://{host}:{port}/  (Ctrl-C stops it)", err=True)
    serve(loaded, host, port, workers)
