// Drawing an analysis: borders between letters, labels of the parts, letters of the root; by mouse, touch or keyboard.
import { node, word } from "./page.js";
import { button, writing } from "./studio.js";
import { cut, pieces, write } from "./segments.js";
import { t } from "./texts.js";

// The letters of a root, found in the word from left to right; none where it does not fit.
function placesOf(root, atoms, within) {
  const places = new Set();
  let rest = root ?? "";
  atoms.forEach((atom, i) => {
    if (rest && within(i) && rest.startsWith(atom)) {
      places.add(i);
      rest = rest.slice(atom.length);
    }
  });
  return rest ? new Set() : places;
}

// `found` has atoms, direction, labels; `start` the segmentation and root to begin with. `save` gets what was drawn.
export function editor(found, start, save) {
  const { atoms, direction, labels } = found;
  const first = start?.segmentation ? pieces(start.segmentation, atoms) : { borders: new Set(), labels: atoms.map(() => "stem") };
  let borders, kinds, root, changed;
  const begin = () => {
    borders = new Set(first.borders);
    kinds = [...first.labels];
    root = placesOf(start?.root, atoms, (i) => !["pre", "suf"].includes(kinds[i]));
    changed = false;
  };
  begin();
  const letters = node("div", { class: "letters", dir: direction, role: "group", "aria-label": t("draw") });
  const below = node("div", { class: "pieces", dir: direction });
  const rootLine = node("p", { class: "hint", id: "root-line", "aria-live": "polite" });
  const options = labels.length ? labels : ["pre", "stem", "suf"];

  const touched = (place) => {
    changed = true;
    draw();
    letters.querySelector(`[data-place="${place}"]`)?.focus();
  };
  const toggle = (set, i, place) => {
    set.has(i) ? set.delete(i) : set.add(i);
    if (set === borders) relabel(i);
    touched(place);
  };
  // A new piece at the end of a word is a suffix by default, one at its beginning a prefix.
  function relabel(at) {
    const made = cut(atoms, borders, kinds);
    const place = made.findIndex((p) => p.begin === at);
    const has = (name) => options.includes(name);
    if (place < 0 || made[place].label !== made[place - 1]?.label || made[place].label !== "stem") return;
    const shorter = made[place].positions.length <= made[place - 1].positions.length;
    if (shorter && has("suf")) made[place].positions.forEach((i) => { kinds[i] = "suf"; });
    else if (!shorter && has("pre")) made[place - 1].positions.forEach((i) => { kinds[i] = "pre"; });
  }

  function draw() {
    const row = [];
    atoms.forEach((atom, i) => {
      if (i) row.push(node("button", { type: "button", class: "gap", "data-place": `gap-${i}`, "aria-pressed": String(borders.has(i)), "aria-label": t("borderAt", { before: atoms.slice(0, i).join("") }), onclick: () => toggle(borders, i, `gap-${i}`) }));
      row.push(node("button", { type: "button", class: "letter", "data-place": `letter-${i}`, "aria-pressed": String(root.has(i)), "aria-label": t("letter", { n: i + 1, text: atom }), onclick: () => toggle(root, i, `letter-${i}`) }, word(atom)));
    });
    letters.replaceChildren(...row);
    below.replaceChildren(...cut(atoms, borders, kinds).map((piece) => {
      const choice = node("select", { "aria-label": `${piece.text}: ${t("label")}` }, ...[...new Set([...options, piece.label])].filter(Boolean).map((l) => node("option", { selected: l === piece.label }, l)));
      choice.addEventListener("change", () => {
        piece.positions.forEach((i) => { kinds[i] = choice.value; });
        changed = true;
        draw();
      });
      return node("label", {}, word(piece.text), choice);
    }));
    const text = [...root].sort((a, b) => a - b).map((i) => atoms[i]).join("");
    rootLine.replaceChildren(...(text ? [`${t("root")}: `, word(text)] : [t("noRoot")]));
  }

  letters.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const all = [...letters.children];
    all[all.indexOf(document.activeElement) + (direction === "rtl" ? -by : by)]?.focus();
    event.preventDefault();
  });
  draw();
  const drawn = () => ({ segmentation: write(cut(atoms, borders, kinds)), root: [...root].sort((a, b) => a - b).map((i) => atoms[i]).join("") || null });
  const box = node("div", { class: "editor", id: "editor" }, node("h3", {}, t("draw")), node("p", { class: "hint" }, t("drawHint")), letters, below, rootLine,
    node("div", { class: "actions" }, button(t("saveDrawn"), () => save(drawn()), { id: "save-drawn", class: "main", ...writing() }), button(t("reset"), () => { begin(); draw(); })));
  return { box, changed: () => changed };
}
