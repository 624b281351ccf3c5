// Results: lexica with glosses, paradigms, interlinear text, downloads with their command lines.
import { $, attempt, forPlace, node, table, whole, word } from "./page.js";
import { act, ask, button, heading, state, tell, withToken, writing } from "./studio.js";
import { t } from "./texts.js";

const PAGE = 50;
const view = { place: "morphemes", label: "", contains: "", offset: 0 };

function glossField(row, name) {
  const input = node("input", { value: row[name], maxlength: name === "gloss" ? 200 : 2000, dir: "auto", "aria-label": `${t(name)}: ${row.text}`, "data-gloss": name === "gloss" ? `${row.text}/${row.label}` : null, ...writing() });
  input.addEventListener("change", () => attempt(async () => {
    const done = await act("gloss", { morpheme: row.text, label: row.label, gloss: row.gloss, note: row.note, [name]: input.value, base: row.version });
    row[name] = input.value;
    row.version = done.version;
    tell(t("saved"));
  }));
  return input;
}

async function lexicon() {
  const found = await forPlace("lexicon", ask("lexicon", { ...view, limit: PAGE }));
  const label = $("label-of");
  label.replaceChildren(node("option", { value: "" }, t("all")), ...found.labels.map((l) => node("option", { selected: l === view.label }, l)));
  const columns = [
    { title: t("text"), cell: (r) => word(r.text) }, { title: t("labelColumn"), cell: (r) => r.label },
    { title: t("words"), number: true, cell: (r) => whole(r.words) }, { title: t("tokens"), number: true, cell: (r) => whole(r.tokens) },
    { title: t("gloss"), cell: (r) => glossField(r, "gloss") }, { title: t("note"), cell: (r) => glossField(r, "note") },
  ];
  const turn = (by) => () => attempt(async () => { view.offset = Math.max(0, view.offset + by); await lexicon(); });
  const pager = found.total > PAGE ? [button(t("previous"), turn(-PAGE), { disabled: !view.offset }), ` ${t("of", { n: whole(Math.min(found.total, view.offset + PAGE)), total: whole(found.total) })} `, button(t("next"), turn(PAGE), { disabled: view.offset + PAGE >= found.total })] : [];
  $("lexicon").replaceChildren(table(columns, found.rows), node("p", {}, ...pager));
}

function lexiconForm() {
  const place = node("select", { id: "lexicon-of", "aria-label": t("lexicon") }, ...["morphemes", "roots", "templates"].map((p) => node("option", { value: p, selected: p === view.place }, t("in_" + p))));
  const label = node("select", { id: "label-of", "aria-label": t("labelColumn") });
  const contains = node("input", { id: "contains", dir: "auto", placeholder: t("contains"), "aria-label": t("contains"), maxlength: 100, value: view.contains });
  const change = () => attempt(async () => { Object.assign(view, { place: place.value, label: label.value, contains: contains.value, offset: 0 }); await lexicon(); });
  place.addEventListener("change", () => { label.value = ""; change(); });
  label.addEventListener("change", change);
  let waiting;
  contains.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(change, 250); });
  return node("div", { class: "row" }, place, label, contains);
}

function cellText(cell) {
  return cell.attested ? word(cell.words.join(" ") || cell.form) : node("span", { class: "gapform" }, word(cell.form));
}

function paradigmTable(paradigm) {
  const columns = [
    { title: t("in_templates"), cell: (c) => word(c.template ?? "–") }, { title: t("in_morphemes"), cell: (c) => node("bdi", {}, c.affixes || "–") }, { title: t("words"), cell: cellText },
  ];
  return [heading(paradigm.base, 3), table(columns, paradigm.cells)];
}

function paradigms() {
  const base = node("input", { id: "base", dir: "auto", maxlength: 100, "aria-label": t("base"), placeholder: t("base") });
  const box = node("div", { id: "paradigms" });
  const form = node("form", { class: "row" }, base, node("button", {}, t("show")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(async () => {
      const found = await ask("paradigms", { base: base.value, limit: base.value ? 20 : 6 });
      box.replaceChildren(node("p", { class: "hint" }, t("gapHint")), ...(found.paradigms ?? [found]).flatMap(paradigmTable));
    });
  });
  return [heading(t("paradigms")), form, box];
}

function interlinear() {
  const text = node("textarea", { id: "sentences", dir: "auto", maxlength: 20000, "aria-label": t("interlinear"), rows: 3 });
  const box = node("div", { id: "interlinear" });
  const draw = () => attempt(async () => {
    const { sentences } = await ask("interlinear", { text: text.value });
    box.replaceChildren(...sentences.map((sentence) => node("div", { class: "igt", dir: state.project.direction }, ...sentence.map((w) => node("span", {}, word(w.word), word(w.morphemes), node("small", {}, word(w.gloss)))))));
  });
  return [heading(t("interlinear")), node("p", { class: "hint" }, t("interlinearHint")), text, button(t("show"), draw, { id: "show-interlinear" }), box];
}

async function downloads() {
  const { commands } = await ask("commands");
  const rows = state.project.downloads.map((format) => node("li", {}, node("a", { href: withToken(`api/download/${format}`), download: "", id: "download-" + format }, t("file_" + format)),
    commands[format] ? node("details", {}, node("summary", { class: "hint" }, t("onCommandLine")), node("code", { class: "line", dir: "ltr" }, commands[format])) : ""));
  const report = node("a", { href: withToken("api/download/sketch?show=1"), target: "_blank", rel: "noopener" }, t("openReport"));
  const learnt = commands.learn ? [node("details", {}, node("summary", { class: "hint" }, t("onCommandLine")), node("code", { class: "line", dir: "ltr" }, commands.learn))] : [];
  return [heading(t("downloads")), node("p", {}, report), ...learnt, node("ul", { id: "downloads" }, ...rows)];
}

export async function show(place) {
  if (!state.project.run) {
    place.replaceChildren(node("p", {}, state.project.words ? t("notYet") : t("noWords")), ...(state.project.words ? await downloads() : []));
    return;
  }
  place.replaceChildren(...(await downloads()), heading(t("lexicon")), lexiconForm(), node("div", { id: "lexicon" }), ...paradigms(), ...interlinear());
  await lexicon();
}
