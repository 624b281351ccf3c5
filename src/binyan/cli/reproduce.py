"""`binyan reproduce`: the thesis's experiments, on data of your own machine."""

from __future__ import annotations

import json
from collections import Counter
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from binyan.cli.commands import App
from binyan.cli.options import Scheduler

if TYPE_CHECKING:
    from binyan.errors import BinyanError
    from binyan.experiments.experiment import Experiment
    from binyan.experiments.results import Result

app = App(
    no_args_is_help=True,
    help="""Run the thesis's experiments and report them beside the thesis's figures.

    \b
    binyan reproduce list
    binyan reproduce run hpylm --only '10m/order-4' --data DATA --jobs 4
    binyan reproduce run --data DATA --scheduler tcp://192.0.2.7:8786      (on the workers of a Dask cluster)
    binyan reproduce report --out report                                   (then open report/index.html)
    """,
)

Names = Annotated[
    list[str] | None, typer.Argument(help="Studies, e.g. hpylm; all if none is named.", metavar="NAME...")
]
Only = Annotated[
    list[str] | None, typer.Option("--only", help="Only experiments whose name matches, e.g. 'order-4/mkn', '*/10m'.")
]
ResultsFolder = Annotated[Path, typer.Option("--results", help="Where results are kept.")]
FoundResults = Annotated[
    Path | None,
    typer.Option("--results", help="Where results are kept; by default results/ here, or else that of the checkout."),
]
Data = Annotated[Path | None, typer.Option("--data", help="Folder of the data; by default the value of BINYAN_DATA.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_RESULTS = Path("results")


@app.command("list")
def list_(names: Names = None, only: Only = None, results: ResultsFolder = _RESULTS, json_: Json = False) -> None:
    """List experiments and which have a result."""
    from binyan.experiments import listing

    rows = listing(names or (), only or (), results)
    if json_:
        typer.echo(json.dumps([row.to_dict() for row in rows], indent=1, ensure_ascii=False))
        return
    for row in rows:
        typer.echo(row)
    typer.echo(f"{sum(row.result is not None for row in rows)} of {len(rows)} done in {results}")


@app.command()
def status(
    names: Names = None,
    only: Only = None,
    results: FoundResults = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Folder of the data; results from files that have changed are then stale."),
    ] = None,
    json_: Json = False,
) -> None:
    """Show what has been run, by which version, and what is stale; `tables` shows the thesis's tables and figures."""
    from binyan.experiments import status

    rows = status(names or (), only or (), results, data)
    if json_:
        typer.echo(json.dumps([row.to_dict() for row in rows], indent=1, ensure_ascii=False))
        return
    for row in rows:
        typer.echo(row)
    states = Counter(row.state for row in rows)
    typer.echo(", ".join(f"{states[state]} {state}" for state in ("done", "stale", "missing")))
    if others := sum(row.state == "done" and not row.is_of_this_version for row in rows):
        typer.echo(f"{others} of the results are of another version; 'binyan reproduce run --again' runs them again")


@app.command()
def tables(results: FoundResults = None, json_: Json = False) -> None:
    """Show every table and figure of the thesis: how much of it has been run, and whether our figures agree."""
    from binyan.experiments import tables
    from binyan.experiments.thesis_items import summary

    rows = tables(results)
    if json_:
        typer.echo(json.dumps([row.to_dict() for row in rows], indent=1, ensure_ascii=False))
        return
    for row in rows:
        typer.echo(row)
    typer.echo(summary(rows))


@app.command()
def run(
    names: Names = None,
    only: Only = None,
    results: ResultsFolder = _RESULTS,
    data: Data = None,
    jobs: Annotated[
        int, typer.Option("--jobs", min=1, help="Experiments to run at a time, each in its own process.")
    ] = 1,
    memory: Annotated[
        str | None,
        typer.Option(
            "--memory", help="Memory they may use together, e.g. 16G; one that needs more than its share fails at once."
        ),
    ] = None,
    scheduler: Scheduler = None,
    again: Annotated[bool, typer.Option("--again", help="Run experiments that have a result, too.")] = False,
    json_: Json = False,
) -> None:
    """Run the experiments that have no result yet. Stop with Ctrl-C; run again to resume."""
    from binyan import experiments
    from binyan.experiments.experiment import data_folder

    rows = experiments.listing(names or (), only or (), results)
    folder = data_folder(data)
    left, number = sum(again or row.result is None for row in rows), count(1)
    if not json_:
        typer.echo(f"{len(rows) - left} of {len(rows)} experiments are done, {left} to run", err=True)
    summary = experiments.run(
        names or (),
        only or (),
        data=folder,
        results=results,
        jobs=jobs,
        memory=memory,
        scheduler=scheduler,
        again=again,
        on_result=lambda experiment, result: _print(experiment, result, f"[{next(number)}/{left}]", json_),
    )
    if not json_:
        typer.echo(f"next: binyan reproduce report --results {results}", err=True)
    summary.check()


def _print(experiment: Experiment, result: Result | BinyanError, place: str, as_json: bool) -> None:
    from binyan.errors import BinyanError

    if isinstance(result, BinyanError):
        typer.echo(f"{place} failed: {experiment.name}: {result}", err=True)
    elif as_json:
        typer.echo(json.dumps({"name": experiment.name, "figures": result.figures, "signature": result.signature}))
    else:
        numbers = {name: value for name, value in result.figures.items() if isinstance(value, (int, float))}
        figures = "  ".join(f"{name} {value:,.6g}" for name, value in numbers.items())
        typer.echo(f"{place} {experiment.name}  {figures}  ({result.seconds:.0f} s)\n  {result.signature}")


@app.command()
def report(
    names: Names = None,
    results: FoundResults = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Where the pages go; by default the results folder.")
    ] = None,
    thesis: Annotated[
        Path | None,
        typer.Option(
            "--thesis",
            help="A TOML file of figures to show instead of the thesis's; by default the value of BINYAN_THESIS_TABLES.",
        ),
    ] = None,
    json_: Json = False,
) -> None:
    """Report all results so far beside the thesis's figures.

    Writes a front page for all chapters and a report on each, in HTML and Markdown.
    """
    from binyan import experiments

    pages = experiments.report(names or (), results=results, thesis=thesis)
    if json_:
        typer.echo(json.dumps(pages.to_dict(), indent=1, ensure_ascii=False))
        return
    typer.echo(pages)
    for path in pages.write(out or experiments.results_folder(results)):
        typer.echo(path)
