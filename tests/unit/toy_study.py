"""A study small enough to watch: what `binyan reproduce` needs of a module, and measures that fail or take long."""

from __future__ import annotations

import os
import time

import numpy as np

from binyan.errors import InputError
from binyan.evaluation import Chart, Column, Table
from binyan.experiments.experiment import Experiment, Outcome
from binyan.experiments.headline import Headline
from binyan.experiments.report_page import ReportSection

TITLE = "Toy"


def experiments():
    return [experiment(n, "double", "multiply") for n in (1, 2, 3)]


def experiment(n, label, measure, factor=2):
    return Experiment(
        study="toy", dataset=str(n), label=label, data={"n": n}, model={"factor": factor}, measure=measure
    )


def multiply(experiment, workspace):
    with open(workspace.results / "ran.log", "a") as log:  # each run leaves a line
        log.write(f"{experiment.name}\n")
    n = experiment.data["n"]
    if n == 2 and not (workspace.results / "two-works").exists():
        raise InputError("two is odd today")
    if (workspace.results / "slow").exists():
        (workspace.results / f"started-{n}").write_text(str(os.getpid()))
        time.sleep(60)
    workspace.checkpoint(experiment).write_text("half way")
    return Outcome({"product": n * experiment.model["factor"]}, f"n:{n}", {"all": np.arange(n)})


def sleep(experiment, workspace):
    """Takes a moment; leaves a line when it begins, and the number of its process when it begins and ends."""
    n = experiment.data["n"]
    with open(workspace.results / "ran.log", "a") as log:
        log.write(f"{experiment.name}\n")
    (workspace.results / f"began-{n}").write_text(str(os.getpid()))
    time.sleep(0.3)
    (workspace.results / f"ended-{n}").write_text(str(os.getpid()))
    return Outcome({"product": n * experiment.model["factor"]}, f"n:{n}")


MEASURES = {"multiply": multiply, "sleep": sleep}


def sections(results, thesis, experiments):
    done = [r for e in experiments if (r := results.get(e))]
    rows = [[str(r.experiment.data["n"]), r.figures["product"], thesis.get("toy", {}).get("product")] for r in done]
    columns = [Column("n"), Column("ours", "d"), Column("thesis", "d")]
    note = "<b>not bold</b>"
    return [
        ReportSection(
            "Products", "", [Table("Products", columns, rows, "n:1\nn:3", note, Chart("bars", "n", ["ours"]))]
        )
    ]


def headlines(experiment):
    return [Headline("product", ("product",), ("toy", "product"))]
