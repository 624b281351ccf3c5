"""A map of morpheme or word vectors in the plane by t-SNE (thesis, figure 4.7): a drawing, or a page to explore."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from binyan.errors import InputError, MissingExtra, SettingsError
from binyan.files import PathLike, replacing, write_text

if TYPE_CHECKING:
    from binyan.log_bilinear.vectors import Vectors

_COLOURS = {"PRE": "#d95f02", "STM": "#1b9e77", "SUF": "#7570b3", "": "#555555"}


def plot(vectors: Vectors, path: PathLike, number: int, morphemes: bool, seed: int) -> int:
    """Draw a map of the `number` most used morphemes or words to a file, by its name; how many vectors it shows."""
    kind = Path(path).suffix
    if kind not in (".html", ".png", ".svg", ".pdf"):
        raise SettingsError(f"{path}: name the file .html, .png, .svg or .pdf")
    names, matrix = chosen(vectors, number, morphemes)
    places = plane(matrix, seed)
    if kind == ".html":
        signature = vectors.model.signature().extended(tsne_seed=seed, side=vectors.settings.side)
        write_page(names, places, path, str(signature))
    else:
        draw(names, places, path)
    return len(names)


def chosen(vectors: Vectors, number: int, morphemes: bool) -> tuple[list[str], NDArray[np.float32]]:
    """The `number` morphemes in most words, affixes first in the drawing; or the most frequent words."""
    names, matrix = vectors.table(morphemes)
    if not names:
        raise InputError("the model has no morphemes; draw its words, or train a model with +c, +o or ++")
    if morphemes:
        uses = np.array(list(vectors.model.factor_map.uses.values()))
        order = np.argsort(-uses, kind="stable")[:number]
    else:
        order = np.arange(1, min(number, len(names)))  # the vocabulary is sorted by frequency, after the specials
    return [names[i] for i in order], matrix[order]


def plane(matrix: NDArray[np.float32], seed: int = 1) -> NDArray[np.float64]:
    """Coordinates (n, 2) by t-SNE on cosines."""
    if find_spec("sklearn") is None:
        raise MissingExtra("a map of vectors", "neural")
    from sklearn.manifold import TSNE

    if len(matrix) < 3:
        raise InputError(f"a map needs at least 3 vectors, not {len(matrix)}")
    perplexity = min(30.0, (len(matrix) - 1) / 3)
    tsne = TSNE(2, metric="cosine", init="random", perplexity=perplexity, random_state=seed)
    return np.asarray(tsne.fit_transform(matrix), np.float64)


def draw(names: Sequence[str], places: NDArray[np.float64], path: PathLike) -> None:
    """Draw the map to a PNG, SVG or PDF file, by its name."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(12, 9))
    for name, (x, y) in zip(names, places, strict=True):
        axes.text(x, y, _display_name(name), color=_COLOURS[_label(name)], fontsize=7, ha="center", va="center")
    axes.set_xlim(places[:, 0].min() * 1.05, places[:, 0].max() * 1.05)
    axes.set_ylim(places[:, 1].min() * 1.05, places[:, 1].max() * 1.05)
    axes.set_axis_off()
    with replacing(path) as part:
        figure.savefig(part, format=Path(path).suffix.removeprefix("."), dpi=150, bbox_inches="tight")
    pyplot.close(figure)


def draw_svg(
    names: Sequence[str], places: NDArray[np.float64], colours: Sequence[str], legend: Mapping[str, str]
) -> str:
    """The map as an SVG picture, complete in itself; names that would cover earlier ones are dots."""
    width, height, size, below = 900.0, 640.0, 12.0, 40.0
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-50 -15 {width + 100:.0f} {height + 30 + below:.0f}" role="img" '
        'font-family="system-ui, sans-serif"><title>Map of vectors</title>'
    ]
    boxes: list[tuple[float, float, float, float]] = []
    for point, colour in zip(points(names, places), colours, strict=True):
        x, y, text = point["x"] * width, point["y"] * height, point["text"]
        half = 0.29 * size * len(text) + 1
        box = (x - half, y - 0.6 * size, x + half, y + 0.6 * size)
        if any(b[0] < box[2] and box[0] < b[2] and b[1] < box[3] and box[1] < b[3] for b in boxes):
            lines.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"><title>{escape(text)}</title></circle>'
            )
            continue
        boxes.append(box)
        where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="middle" dominant-baseline="middle"'
        lines.append(f'<text {where} font-size="{size:g}" fill="{colour}">{escape(text)}</text>')
    for i, (name, colour) in enumerate(legend.items()):
        x = width * (i + 0.5) / len(legend)
        lines.append(
            f'<text x="{x:.1f}" y="{height + below:.0f}" text-anchor="middle" font-size="13" font-weight="600" fill="{colour}">'
            f"{escape(name)}</text>"
        )
    return "\n".join([*lines, "</svg>"]) + "\n"


def write_page(names: Sequence[str], places: NDArray[np.float64], path: PathLike, signature: str) -> None:
    """Write the map as one HTML file that needs nothing else: wheel and drag move the map, a box finds names."""
    rows = [[p["text"], p["x"], p["y"], _COLOURS[p["kind"]]] for p in points(names, places)]
    data = json.dumps(rows, ensure_ascii=False).replace("<", "\\u003c")
    note = signature.replace("&", "&amp;").replace("<", "&lt;")
    write_text(path, _PAGE.replace("__POINTS__", data).replace("__NOTE__", note))


def points(names: Sequence[str], places: NDArray[np.float64]) -> list[dict[str, Any]]:
    """Each vector's name, the text to show (un-, -ing), its kind (PRE, STM, SUF or none), and its place.

    x and y are in the unit square, y downwards.
    """
    low, high = places.min(0), places.max(0)
    scaled = (places - low) / np.where(high > low, high - low, 1)
    return [
        {"name": n, "text": _display_name(n), "kind": _label(n), "x": round(float(x), 4), "y": round(float(1 - y), 4)}
        for n, (x, y) in zip(names, scaled, strict=True)
    ]


def _label(name: str) -> str:
    label = name.rsplit("/", 1)[-1] if "/" in name else ""
    return label if label in _COLOURS else ""


def _display_name(name: str) -> str:
    """Affixes with the hyphen of their side: un-, -ing."""
    text, label = name.rsplit("/", 1) if "/" in name and _label(name) else (name, "")
    return {"PRE": f"{text}-", "SUF": f"-{text}"}.get(label, text)


_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Map of vectors</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<style>body{margin:0;font:14px system-ui,sans-serif}header{padding:8px 12px}svg{width:100vw;height:86vh;cursor:move}
text{text-anchor:middle;dominant-baseline:middle}text.found{font-weight:bold;fill:#c00}
footer{padding:4px 12px;color:#666;font-size:11px;overflow-wrap:anywhere}</style></head><body>
<header><label>Find <input id="find" dir="auto" autocomplete="off"></label> <span id="count" role="status"></span>
&nbsp; prefixes <b style="color:#d95f02">un-</b>, stems <b style="color:#1b9e77">stem</b>, suffixes <b style="color:#7570b3">-ing</b>
</header><svg id="map" role="img" aria-label="Map of vectors"></svg><footer>__NOTE__</footer>
<script>
const points = __POINTS__, svg = document.getElementById("map"), size = 1000;
let view = [-20, -20, size + 40, size + 40];
const show = () => svg.setAttribute("viewBox", view.join(" "));
const nodes = points.map(([name, x, y, colour]) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", "text");
  node.textContent = name; node.setAttribute("x", x * size); node.setAttribute("y", y * size); node.setAttribute("fill", colour);
  svg.append(node); return node;
});
const scale = () => nodes.forEach(n => n.setAttribute("font-size", 11 * Math.sqrt(view[2] / size)));
svg.addEventListener("wheel", e => {
  e.preventDefault();
  const box = svg.getBoundingClientRect(), f = e.deltaY > 0 ? 1.15 : 1 / 1.15;
  const x = view[0] + (e.clientX - box.left) / box.width * view[2], y = view[1] + (e.clientY - box.top) / box.height * view[3];
  view = [x - (x - view[0]) * f, y - (y - view[1]) * f, view[2] * f, view[3] * f]; show(); scale();
}, {passive: false});
svg.addEventListener("pointermove", e => {
  if (!e.buttons) return;
  const box = svg.getBoundingClientRect();
  view[0] -= e.movementX / box.width * view[2]; view[1] -= e.movementY / box.height * view[3]; show();
});
document.getElementById("find").addEventListener("input", e => {
  const q = e.target.value; let n = 0;
  nodes.forEach((node, i) => { const hit = q && points[i][0].includes(q); node.classList.toggle("found", hit); n += hit ? 1 : 0; });
  document.getElementById("count").textContent = q ? n + " found" : "";
});
show(); scale();
</script></body></html>
"""
