// Vectors: the neighbours of a word or a morpheme, and a map to walk about in.
import { $, ask, attempt, bar, fill, forPlace, hint, link, node, onSubmit, table, word } from "./page.js";

const SIZE = 1000;
const SVG = "http://www.w3.org/2000/svg";
let view, labels = [];

const shown = (name) => {
  const [text, label] = name.includes("/") ? [name.slice(0, name.lastIndexOf("/")), name.slice(name.lastIndexOf("/") + 1)] : [name, ""];
  return { PRE: `${text}-`, SUF: `-${text}` }[label] ?? text;
};

function choose(name) {
  $("query").value = name;
  attempt(showNeighbours);
}

function neighbourTable(title, found) {
  const columns = [
    { title, cell: (n) => node("span", {}, link(n.name, () => choose(n.name))) },
    { title: "cosine", number: true, cell: (n) => node("span", {}, bar(n.cosine / 2), " ", n.cosine.toFixed(3)) },
  ];
  return node("div", {}, table(columns, found));
}

async function showNeighbours() {
  const found = await forPlace("neighbours", ask("neighbours", { model: $("space").value, query: $("query").value }));
  const made = found.made_of.length ? [" Made of ", ...found.made_of.flatMap((m, i) => [i ? " + " : "", link(m, () => choose(m))]), "."] : [];
  const seen = found.known ? "" : "Not in the vocabulary: its vector is the sum of its morphemes.";
  const title = node("h2", {}, "Nearest to ", word(shown(found.query)));
  const tables = [neighbourTable("word", found.words), ...(found.morphemes.length ? [neighbourTable("morpheme", found.morphemes)] : [])];
  $("neighbours").replaceChildren(title, hint(seen, ...made), node("div", { class: "columns" }, ...tables));
  mark(new Set([found.query, ...found.made_of]), new Set([...found.morphemes, ...found.words].map((n) => n.name)));
}

// ---- the map

const show = () => {
  $("map").setAttribute("viewBox", view.join(" "));
  const size = 13 * Math.pow(view[2] / SIZE, 0.7) * (SIZE / Math.max(320, $("map").clientWidth));
  // The most used come first: a label that would cover one of them is a dot until one comes nearer.
  const placed = [];
  for (const { text, dot, x, y, length } of labels) {
    const box = [x - 0.3 * size * length, y - 0.6 * size, x + 0.3 * size * length, y + 0.6 * size];
    const covers = placed.some((p) => p[0] < box[2] && box[0] < p[2] && p[1] < box[3] && box[1] < p[3]);
    const marked = text.classList.contains("chosen") || text.classList.contains("near");
    if (!covers || marked) placed.push(box);
    text.classList.toggle("covered", covers && !marked);
    text.setAttribute("font-size", size);
    dot.setAttribute("r", covers && !marked ? size / 6 : 0);
  }
};

function zoom(factor, x = view[0] + view[2] / 2, y = view[1] + view[3] / 2) {
  const width = Math.min(2 * SIZE, Math.max(SIZE / 40, view[2] * factor));
  const f = width / view[2];
  view = [x - (x - view[0]) * f, y - (y - view[1]) * f, view[2] * f, view[3] * f];
  show();
}

function move(dx, dy) {
  view[0] += dx * view[2];
  view[1] += dy * view[3];
  show();
}

function mark(chosen, near) {
  for (const { name, text } of labels) {
    text.classList.toggle("chosen", chosen.has(name));
    text.classList.toggle("near", near.has(name));
  }
  if (view) show();
}

function whereIs(event) {
  const box = $("map").getBoundingClientRect();
  return [view[0] + ((event.clientX - box.left) / box.width) * view[2], view[1] + ((event.clientY - box.top) / box.height) * view[3]];
}

async function showMap() {
  const map = $("map");
  map.replaceChildren();
  $("map-hint").textContent = "Drawing the map…";
  const points = await forPlace("map", ask("vector-map", { model: $("space").value }));
  const height = SIZE * (map.clientHeight / Math.max(1, map.clientWidth) || 0.66);
  view = [-40, -20, SIZE + 80, height + 40];
  labels = points.map(({ name, text: label, kind, x, y }) => {
    const text = document.createElementNS(SVG, "text");
    text.textContent = label;
    text.setAttribute("x", x * SIZE);
    text.setAttribute("y", y * height);
    text.setAttribute("class", `kind-${kind || "none"}`);
    text.addEventListener("click", () => choose(name));
    const dot = document.createElementNS(SVG, "circle");
    dot.setAttribute("cx", x * SIZE);
    dot.setAttribute("cy", y * height);
    dot.setAttribute("class", `kind-${kind || "none"}`);
    map.append(dot, text);
    return { name, text, dot, x: x * SIZE, y: y * height, length: [...label].length };
  });
  const kinds = new Set(points.map((p) => p.kind));
  const legend = [["PRE", "prefixes un-"], ["STM", "stems"], ["SUF", "suffixes -ing"]].filter(([kind]) => kinds.has(kind));
  const told = legend.map(([kind, about]) => node("span", { class: `legend kind-${kind}` }, about));
  $("map-hint").replaceChildren(`The ${points.length} most used, those alike near each other (t-SNE). A dot is a label that has no room: come nearer. Drag or use the arrow keys; + and − zoom. `, ...told);
  show();
}

function steer() {
  const map = $("map");
  const held = new Map();
  map.addEventListener("wheel", (event) => { event.preventDefault(); zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, ...whereIs(event)); }, { passive: false });
  map.addEventListener("pointerdown", (event) => held.set(event.pointerId, event));
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) map.addEventListener(end, (event) => held.delete(event.pointerId));
  map.addEventListener("pointermove", (event) => {
    const before = held.get(event.pointerId);
    if (!before) return;
    held.set(event.pointerId, event);
    const box = map.getBoundingClientRect();
    if (held.size === 1) return move((before.clientX - event.clientX) / box.width, (before.clientY - event.clientY) / box.height);
    const other = [...held.values()].find((e) => e.pointerId !== event.pointerId);
    const apart = (e) => Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY) || 1;
    zoom(apart(before) / apart(event));
  });
  const keys = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
  map.addEventListener("keydown", (event) => {
    if (keys[event.key]) move(...keys[event.key]);
    else if (event.key === "+" || event.key === "=") zoom(1 / 1.3);
    else if (event.key === "-") zoom(1.3);
    else return;
    event.preventDefault();
  });
  $("nearer").addEventListener("click", () => zoom(1 / 1.4));
  $("farther").addEventListener("click", () => zoom(1.4));
}

export function start({ spaces }) {
  fill($("space"), spaces.map((s) => s.name));
  const change = () => { $("neighbours").replaceChildren(); attempt(showMap); };
  $("space").addEventListener("change", change);
  onSubmit("vector-form", showNeighbours);
  steer();
  return change;
}
