"""Drawings of tables: PNG and SVG, in colours that colour-blind people can tell apart (Okabe and Ito), and never by colour alone."""

from __future__ import annotations

import io
import os
import re
import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from binyan.errors import SettingsError
from binyan.evaluation.table import Chart, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442"]
_HATCHES = ["", "///", "...", "\\\\\\", "xxx", "---", "+++"]
_MARKERS = "os^Dv*P"
_DASHES = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1))]
_INK = "#1a1b1c"  # all that is neither data nor paper; inline drawings get the text colour of their page instead
_SIGNATURE_WIDTH = 125
_INSIDE, _WIDE = 4, 9.2  # names of series that have room inside a drawing; inches across where they stand beside it
_LETTERS_ACROSS = 85  # of names below an axis
_NAME_WIDTH, _NAME_HEIGHT = 0.2, 0.05  # of the drawing, for the name of a point


def draw(table: Table, signature: bool = True) -> Figure:
    """The drawing of a table that has a chart, with its signature in small print."""
    import matplotlib
    from matplotlib.figure import Figure

    chart = table.chart
    if chart is None or not table.rows:
        raise SettingsError(f"'{table.title}' has no drawing, only a table")
    look: dict[Any, Any] = {
        "hatch.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "font.size": 9,
    }
    look |= {f"{part}color": _INK for part in ("text.", "axes.label", "axes.edge", "xtick.", "ytick.", "hatch.")}
    with matplotlib.rc_context({**look, "axes.axisbelow": True}):
        figure = Figure(figsize=(7.0, 4.6 if chart.panel else 4.2), layout="constrained")
        if chart.panel:
            axes, panel = figure.subplots(2, 1, sharex=True, height_ratios=[4, 1])
            _bars(panel, table, chart, [chart.panel])
            panel.set_ylabel(chart.panel)
            panel.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        else:
            axes = panel = figure.subplots()
        {"bars": _bars, "lines": _lines, "boxes": _boxes, "points": _points}[chart.kind](axes, table, chart, chart.y)
        axes.set_title("\n".join(textwrap.wrap(table.title, 62)), loc="left", fontweight="bold")
        axes.set_ylabel(chart.y_title or chart.y[0])
        panel.set_xlabel(chart.x)
        axes.grid(axis="y", color="#8888884d")
        series = len(axes.get_legend_handles_labels()[1])
        if series > _INSIDE:
            figure.set_size_inches(_WIDE, figure.get_figheight())
            figure.legend(loc="outside right upper", frameon=False, fontsize=8)
        elif series > 1:
            axes.legend(frameon=False, fontsize=8)
        if signature:
            lines = [part for line in table.signature.splitlines() for part in textwrap.wrap(line, _SIGNATURE_WIDTH)]
            small = "\n".join(lines[:4] + (["…"] if len(lines) > 4 else []))
            figure.supxlabel(small, fontsize=5, x=0.01, ha="left")
    return figure


def save(table: Table, path: str | os.PathLike[str]) -> None:
    """Draw to a .png or .svg file."""
    kind = os.fspath(path).rsplit(".", 1)[-1].lower()
    if kind not in ("png", "svg"):
        raise SettingsError(f"{path}: drawings are .png or .svg")
    with open(path, "wb") as out:
        _write(draw(table), out, kind)


def bare_svg(table: Table) -> str:
    """An SVG file without paper or signature, for places that show the signature themselves."""
    out = io.BytesIO()
    _write(draw(table, signature=False), out, "svg", transparent=True)
    return out.getvalue().decode()


def on_paper(svg: str) -> str:
    """A bare drawing on white, for pages of any colour."""
    return svg.replace("<svg", '<svg style="background: #fff"', 1)


def inline_svg(table: Table, svg: str | None = None) -> str:
    """An <svg> element for a page that shows the table's signature: transparent, its ink the page's text colour.

    `svg` is the bare drawing of the table where there is one.
    """
    svg = svg or bare_svg(table)
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)  # these ids would repeat on a page with several drawings
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"([^>]*?) width="[^"]*"', r"\1\2", svg)
    svg = svg.replace("<svg", f'<svg role="img" aria-label="{table.title.replace(chr(34), "")}"', 1)
    return svg.replace(_INK, "currentColor")


def _write(figure: Figure, out: Any, kind: str, **options: Any) -> None:
    import matplotlib

    # Text as text, and the same bytes for the same table.
    salt = figure.axes[0].get_title(loc="left")
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": salt, "font.family": "sans-serif"}):
        figure.savefig(out, format=kind, dpi=160, metadata={"Date": None} if kind == "svg" else None, **options)


def _series(table: Table, chart: Chart, y: Any) -> dict[str, dict[Any, float]]:
    """Name of a series -> x -> y, from columns (`y`) or from the rows that share a label (`chart.series`)."""
    xs = table.column(chart.x)
    if chart.series is None:
        series = {name: dict(zip(xs, table.column(name), strict=True)) for name in y}
    else:
        series = {}
        for name, x, value in zip(table.column(chart.series), xs, table.column(y[0]), strict=True):
            series.setdefault(name, {})[x] = value
        series = dict(sorted(series.items()))
    return {name: {x: v for x, v in points.items() if v is not None} for name, points in series.items()}


def _bars(axes: Axes, table: Table, chart: Chart, y: Any) -> None:
    series = _series(table, chart, y)
    drawn = {x for points in series.values() for x in points}
    labels = [x for x in dict.fromkeys(table.column(chart.x)) if x in drawn]
    panel = list(y) == [chart.panel]
    width = 0.8 / len(series)
    for number, (name, points) in enumerate(series.items()):
        places = [labels.index(x) + (number - (len(series) - 1) / 2) * width for x in points]
        colour = "#999999" if panel else _COLOURS[number % len(_COLOURS)]
        bars = axes.bar(
            places,
            list(points.values()),
            width * 0.92,
            color=colour,
            hatch=_HATCHES[number % len(_HATCHES)],
            edgecolor=_INK,
            linewidth=0.6,
            label=name,
        )
        if not panel and len(labels) * len(series) <= 16:
            form = next(c.format for c in table.columns if c.name == (y[0] if chart.series else name))
            axes.bar_label(bars, [format(v, form) for v in points.values()], fontsize=7, padding=2)
    _name_places(axes, labels)
    axes.axhline(0, color=_INK, linewidth=0.8)
    axes.margins(y=0.12)


def _boxes(axes: Axes, table: Table, chart: Chart, y: Any) -> None:
    """Boxes from the first to the third quartile, a line at the median, a circle at the mean, crosses beyond 3 times the box."""
    names = table.column(chart.series) if chart.series else [y[0]] * len(table.rows)
    values: dict[str, dict[Any, list[float]]] = {}
    for name, x, value in zip(names, table.column(chart.x), table.column(y[0]), strict=True):
        if value is not None:
            values.setdefault(name, {}).setdefault(x, []).append(value)
    labels = list(dict.fromkeys(table.column(chart.x)))
    width = 0.8 / max(len(values), 1)
    for number, (name, boxes) in enumerate(values.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        drawn = axes.boxplot(
            list(boxes.values()),
            positions=[labels.index(x) + (number - (len(values) - 1) / 2) * width for x in boxes],
            widths=width * 0.8,
            whis=3.0,
            showmeans=True,
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": colour, "hatch": _HATCHES[number % len(_HATCHES)], "edgecolor": _INK},
            medianprops={"color": _INK, "linewidth": 1.5},
            meanprops={"marker": "o", "markerfacecolor": "white", "markeredgecolor": _INK},
            flierprops={"marker": "x", "markeredgecolor": _INK},
        )
        drawn["boxes"][0].set_label(name)
    _name_places(axes, labels)
    axes.axhline(0, color=_INK, linewidth=0.8)


def _name_places(axes: Axes, labels: Sequence[Any]) -> None:
    """Names below the axis, slanted where two would touch."""
    axes.set_xticks(range(len(labels)), labels)
    lengths = [len(str(label)) for label in labels]
    if max(map(sum, pairwise(lengths)), default=0) / 2 + 1 > _LETTERS_ACROSS / len(labels):
        axes.tick_params(axis="x", labelrotation=30)
        for label in axes.get_xticklabels():
            label.set(horizontalalignment="right", rotation_mode="anchor")


def _lines(axes: Axes, table: Table, chart: Chart, y: Any) -> None:
    series = _series(table, chart, y)
    most = max(map(len, series.values()))
    for number, (name, points) in enumerate(series.items()):
        turn = number // len(_COLOURS)  # where colours repeat, dashes and markers do not
        axes.plot(
            list(points),
            list(points.values()),
            color=_COLOURS[number % len(_COLOURS)],
            linestyle=_DASHES[(number + turn) % len(_DASHES)],
            marker=_MARKERS[(number + 2 * turn) % len(_MARKERS)],
            markevery=max(1, most // 12),
            markersize=5,
            label=name,
        )
    if chart.log_x:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: _short(value))
    if most <= 12:
        axes.set_xticks(sorted({x for points in series.values() for x in points}))
        axes.minorticks_off()
    if all(abs(v) >= 1e4 for points in series.values() for v in points.values()):
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    _marks(axes, chart)


def _points(axes: Axes, table: Table, chart: Chart, y: Any) -> None:
    """One point for each row, its name beside it; names that would cover each other are moved up."""
    rows = zip(table.column(chart.series or chart.x), table.column(chart.x), table.column(y[0]), strict=True)
    points = sorted((value, x, str(name)) for name, x, value in rows if value is not None)
    values, places, names = zip(*points, strict=True)
    axes.plot(places, values, "o", color=_COLOURS[0], markersize=6)
    if chart.log_x:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: _short(value))
    axes.margins(x=0.05, y=0.08)
    left, right = axes.get_xlim()
    axes.set_xlim(
        left, right * (right / left) ** 0.35 if chart.log_x else right + 0.35 * (right - left)
    )  # room for names
    placed: list[tuple[float, float]] = []
    to_share = axes.transScale + axes.transLimits
    for name, place, value in zip(names, places, values, strict=True):
        across, level = to_share.transform((place, value))
        up = level
        while any(abs(across - a) < _NAME_WIDTH and abs(up - u) < _NAME_HEIGHT for a, u in placed):
            up += _NAME_HEIGHT / 4
        placed.append((across, up))
        line = {"arrowstyle": "-", "linewidth": 0.5, "color": _INK} if up > level else None
        how: dict[str, Any] = {"textcoords": "axes fraction", "va": "center", "fontsize": 8, "arrowprops": line}
        axes.annotate(name, (place, value), xytext=(across + 0.015, up), **how)
    _marks(axes, chart)


def _marks(axes: Axes, chart: Chart) -> None:
    for label, place in chart.marks.items():
        axes.axvline(place, color=_INK, linestyle=":", linewidth=1)
        axes.annotate(
            label,
            (place, 0.02),
            xycoords=("data", "axes fraction"),
            xytext=(4, 0),
            textcoords="offset points",
            fontsize=8,
        )


def _short(number: float) -> str:
    for size, letter in ((1e9, "b"), (1e6, "m"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:g}"
