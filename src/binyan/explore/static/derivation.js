// The picture of a derivation: the sentence above, its translation below, rules as boxes within boxes, and lines between words that answer each other.
import { direction, hint, node, table, word } from "./page.js";

const SVG = "http://www.w3.org/2000/svg";
const GAPS = ["①", "②"];

export const score = (x) => x.toFixed(2).replace(/^-0\.00$/, "0.00").replace("-", "−");

// The words of a step and of its parts as nested boxes; `side` is "source" or "target".
function boxes(steps, i, side, choose) {
  const step = steps[i];
  let at = step[`${side}_span`][0];
  const inside = step[side].map((symbol) => {
    if (typeof symbol === "number") {
      const part = step.parts[symbol - 1];
      at = steps[part][`${side}_span`][1];
      return boxes(steps, part, side, choose);
    }
    const button = node("button", { type: "button", class: "token", "data-at": at, "data-of": i }, word(symbol));
    for (const event of ["click", "focus", "pointerenter"]) button.addEventListener(event, () => choose(i));
    at += 1;
    return button;
  });
  return node("span", { class: `step ${step.kind}`, "data-step": i }, ...inside);
}

function sideOf(symbols) {
  const parts = symbols.flatMap((symbol, i) => [i ? " " : "", typeof symbol === "number" ? (GAPS[symbol - 1] ?? `[${symbol}]`) : symbol]);
  return symbols.length ? node("bdi", { class: "side", dir: direction(symbols.filter((s) => typeof s !== "number").join(" ")) }, ...parts) : node("span", { class: "soft" }, "nothing");
}

// What a step is and how its score came about.
function about(step, weights) {
  const said = { glue: "Glue", copy: "Copied", rule: `Rule ${step.rule}` }[step.kind];
  const what = {
    glue: () => [`: ${step.parts.length} ${step.parts.length === 1 ? "part" : "parts"} in the order of the sentence`],
    copy: () => [": no rule translates ", word(step.source.join(" "))],
    rule: () => [": ", sideOf(step.source), " → ", sideOf(step.target)],
  }[step.kind]();
  const rows = Object.entries(step.features).map(([name, value]) => ({ name, value, weight: weights[name] ?? 0 }));
  rows.sort((a, b) => Math.abs(b.value * b.weight) - Math.abs(a.value * a.weight));
  const columns = [
    { title: "feature", cell: (f) => f.name },
    { title: "value", number: true, cell: (f) => score(f.value) },
    { title: "weight", number: true, cell: (f) => score(f.weight) },
    { title: "adds", number: true, cell: (f) => score(f.value * f.weight) },
  ];
  const title = node("p", { class: "rule-title" }, node("strong", {}, said), ...what, " ", node("span", { class: "soft" }, `adds ${score(step.score)}`));
  return [title, rows.length ? node("details", {}, node("summary", {}, "Features"), table(columns, rows)) : null];
}

function drawLinks(svg, picture, alignment) {
  const frame = svg.getBoundingClientRect();
  const middle = (line, at) => {
    const box = line.querySelector(`[data-at="${at}"]`).getBoundingClientRect();
    return box.left + box.width / 2 - frame.left;
  };
  const [above, below] = picture.querySelectorAll(".line");
  svg.replaceChildren(
    ...alignment.map(([source, target]) => {
      const line = document.createElementNS(SVG, "line");
      const places = { x1: middle(above, source), y1: 0, x2: middle(below, target), y2: frame.height };
      for (const [name, value] of Object.entries(places)) line.setAttribute(name, value);
      line.dataset.link = `${source}-${target}`;
      return line;
    }),
  );
}

// The picture of a translation with what is chosen in it; `weights` are those of its features.
export function derivation(words, translation, weights) {
  const { steps, alignment } = translation;
  const detail = node("div", { class: "rule-detail", "aria-live": "polite" });
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "links");
  svg.setAttribute("aria-hidden", "true");
  let chosen = 0;
  const mark = () => {
    picture.querySelectorAll("[data-step]").forEach((box) => box.classList.toggle("chosen", chosen > 0 && +box.dataset.step === chosen));
    const own = (line) => new Set([...line.querySelectorAll(`[data-of="${chosen}"]`)].map((token) => +token.dataset.at));
    const [source, target] = [...picture.querySelectorAll(".line")].map(own);
    svg.querySelectorAll("line").forEach((line) => {
      const [s, t] = line.dataset.link.split("-").map(Number);
      line.classList.toggle("chosen", source.has(s) && target.has(t));
    });
  };
  const choose = (i) => {
    if (chosen === i) return;
    chosen = i;
    mark();
    const open = detail.querySelector("details")?.open;
    detail.replaceChildren(...about(steps[i], weights).filter(Boolean));
    if (open && detail.querySelector("details")) detail.querySelector("details").open = true;
  };
  const line = (text, side, label) => node("div", { class: "line", dir: direction(text), role: "group", "aria-label": label }, boxes(steps, 0, side, choose));
  const picture = node("div", { class: "derivation" }, line(words.join(" "), "source", "The sentence"), svg, line(translation.text, "target", "Its translation"));
  detail.replaceChildren(...about(steps[0], weights).filter(Boolean));
  const redraw = () => {
    if (!picture.isConnected) return;
    drawLinks(svg, picture, alignment);
    mark();
  };
  new ResizeObserver(redraw).observe(picture);
  return [node("div", { class: "scroll", tabindex: "0", dir: direction(words.join(" ")) }, picture), hint("Choose a word to see the rule that made it."), detail];
}
