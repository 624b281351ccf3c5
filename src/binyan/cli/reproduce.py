"""`binyan reproduce`: the thesis's experiments, on data of your own machine."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Annotated

import typer

from binyan.cli.commands import App
from binyan.cli.options import Scheduler
from binyan.json_values import finite

app = App(
    no_args_is_help=True,
    help="""Run the thesis's experiments and report them beside the thesis's figures.

    \b
    binyan reproduce list
    binyan reproduce run hpylm --only '10m/order-4' --data DATA --jobs 4
    binyan reproduce run --scheduler tcp://192.0.2.7:8786        (on the workers of a Dask cluster)
    binyan reproduce report --out report                         (then open report/index.html)
    """,
)

Names = Annotated[
    list[str] | None, typer.Argument(help="Studies, e.g. hpylm; all if none is named.", metavar="NAME...")
]
Only = Annotated[
    list[str] | None, typer.Option("--only", help="Only experiments whose name matches, e.g. 'order-4/mkn', '*/10m'.")
]
ResultsFolder = Annotated[Path, typer.Option("--results", help="Where results are kept.")]
Data = Annotated[Path | None, typer.Option("--data", help="Folder of the data; BINYAN_DATA, or ../shared/data.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_RESULTS = Path("results")


@app.command("list")
def list_(names: Names = None, only: Only = None, results: ResultsFolder = _RESULTS, json_: Json = False) -> None:
    """List experiments and which have a result."""
    from binyan.experiments.results import Results
    from binyan.experiments.study import select

    kept = Results(results)
    rows = [(e, kept.get(e)) for e in select(names or (), only or ())]
    if json_:
        shown = [{"name": e.name, "done": r is not None, "signature": str(e.signature)} for e, r in rows]
        typer.echo(json.dumps(shown, indent=1, ensure_ascii=False))
        return
    for experiment, result in rows:
        typer.echo(f"{'done   ' if result else 'missing'}  {experiment.name}")
    typer.echo(f"{sum(r is not None for _, r in rows)} of {len(rows)} done in {results}")


@app.command()
def run(
    names: Names = None,
    only: Only = None,
    results: ResultsFolder = _RESULTS,
    data: Data = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Experiments at a time, each in a process.")] = 1,
    scheduler: Scheduler = None,
    json_: Json = False,
) -> None:
    """Run the experiments that have no result yet. Stop with Ctrl-C and run again to go on."""
    from binyan.errors import BinyanError
    from binyan.experiments import runner
    from binyan.experiments.results import Result, Results
    from binyan.experiments.study import Experiment, Workshop, select
    from binyan.experiments.thesis import beside

    folder = data or Path(os.environ.get("BINYAN_DATA") or beside("shared/data"))
    chosen = select(names or (), only or ())

    kept = Results(results)
    left = sum(kept.get(e) is None for e in chosen)
    number = itertools.count(1)
    if not json_:
        typer.echo(f"{len(chosen) - left} of {len(chosen)} experiments are done, {left} to run", err=True)

    def told(experiment: Experiment, came: Result | BinyanError) -> None:
        place = f"[{next(number)}/{left}]"
        if isinstance(came, BinyanError):
            typer.echo(f"{place} failed: {experiment.name}: {came}", err=True)
        elif json_:
            typer.echo(json.dumps({"name": experiment.name, "figures": came.figures, "signature": came.signature}))
        else:
            plain = {k: v for k, v in came.figures.items() if isinstance(v, (int, float))}
            figures = "  ".join(f"{name} {value:,.6g}" for name, value in plain.items())
            typer.echo(f"{place} {experiment.name}  {figures}  ({came.seconds:.0f} s)\n  {came.signature}")

    failed = runner.run(chosen, Workshop(folder, results), jobs, told, scheduler)
    if not json_:
        typer.echo(f"next: binyan reproduce report --results {results}", err=True)
    if failed:
        raise BinyanError(f"{len(failed)} of {len(chosen)} experiments failed: {' '.join(failed)}")


@app.command()
def report(
    names: Names = None,
    results: ResultsFolder = _RESULTS,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Where the pages go; the results folder.")
    ] = None,
    thesis: Annotated[
        Path | None, typer.Option("--thesis", help="The thesis's figures (TOML); BINYAN_THESIS_TABLES.")
    ] = None,
    json_: Json = False,
) -> None:
    """All results so far beside the thesis's figures: a front page over all chapters, and a report of each, in HTML and
    Markdown.
    """
    from binyan.experiments import STUDIES, front_page
    from binyan.experiments.results import Results
    from binyan.experiments.study import study
    from binyan.experiments.thesis import thesis_tables

    figures = thesis_tables(thesis)
    kept = Results(results)
    chosen = list(names or STUDIES)
    if json_:
        parts = [
            (name, [front_page.chapter(name, kept, figures), *study(name).sections(kept, figures)]) for name in chosen
        ]
        shown = [
            {"study": name, "title": s.title, "text": s.text, "tables": [t.to_dict() for t in s.tables]}
            for name, sections in parts
            for s in sections
        ]
        typer.echo(json.dumps(finite(shown), indent=1, ensure_ascii=False))
        return
    for name in chosen:
        section = front_page.chapter(name, kept, figures)
        typer.echo(f"{section.title}: {section.text}")
    for path in front_page.write(out or results, chosen, kept, figures):
        typer.echo(path)
