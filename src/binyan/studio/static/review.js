// Review: words by what is worth a person's time; accept, choose, draw; all words with a morpheme; search.
import { $, attempt, bar, drawing, forPlace, node, percent, whole, word } from "./page.js";
import { Refused, act, ask, button, heading, parts, round, state, tell, tellUndo, when, writing } from "./studio.js";
import { editor } from "./editor.js";
import { read } from "./segments.js";
import { t } from "./texts.js";

const PAGE = 40;
const shows = ["offered", "unsure", "disagree", "undecided", "decided", "without", "all"];
const view = { show: "offered", query: "", place: "words", pattern: false, morpheme: null, offset: 0 };
let rows = [], total = 0, current = null, open = null, seenRun = null;

async function fetchRows() {
  const page = { offset: view.offset, limit: PAGE };
  let found;
  if (view.morpheme) found = await ask("words", { ...page, morpheme: view.morpheme.text, label: view.morpheme.label });
  else if (view.query) found = await ask("search", { ...page, query: view.query, place: view.place, pattern: view.pattern });
  else if (view.show === "offered") found = await ask("offered", { limit: PAGE });
  else found = await ask("words", { ...page, show: view.show, order: view.show === "all" || view.show === "decided" ? "count" : "worth" });
  rows = found.rows;
  total = found.total ?? rows.length;
  seenRun = stamp();
}

const stamp = () => {
  const run = state.news.runs.find((r) => r.id === state.news.current);
  return `${state.news.current}:${run?.answers ?? ""}`;
};

function queueRow(row) {
  if (row.words !== undefined) return node("li", {}, node("button", { type: "button", onclick: () => attempt(() => showMorpheme(row)) }, word(row.text), node("span", { class: "soft" }, `${row.label}, ${whole(row.words)}`)));
  const mark = row.decision ? node("span", { class: "mark", title: t("show_decided") }, "✓") : node("span", { class: "soft" }, row.probability == null ? "" : round(row.probability));
  return node("li", {}, node("button", { type: "button", "data-word": row.text, "aria-current": String(row.text === current), onclick: () => attempt(() => choose(row.text)) }, word(row.text), mark));
}

function drawQueue() {
  const items = rows.map(queueRow);
  $("queue").replaceChildren(...(items.length ? items : [node("li", {}, node("p", { class: "hint" }, state.project.run ? t("empty") : t("notYet")))]));
  const turn = (by) => () => attempt(async () => { view.offset = Math.max(0, view.offset + by); await refresh(); });
  const paged = view.show !== "offered" || view.query || view.morpheme;
  $("pager").replaceChildren(...(paged && total > PAGE ? [button(t("previous"), turn(-PAGE), { disabled: !view.offset }), ` ${t("of", { n: `${whole(view.offset + 1)}–${whole(Math.min(total, view.offset + PAGE))}`, total: whole(total) })} `, button(t("next"), turn(PAGE), { disabled: view.offset + PAGE >= total })] : []));
  const bulk = view.morpheme ? [node("p", {}, t("allWith", { text: `${view.morpheme.text} (${view.morpheme.label})` }), `: ${whole(total)} `, button(t("acceptAll", { n: whole(total) }), acceptAll, { id: "accept-all", ...writing() }))] : [];
  $("bulk").replaceChildren(...bulk);
}

async function refresh() {
  await forPlace("queue", fetchRows());
  drawQueue();
}

async function showMorpheme({ text, label }) {
  Object.assign(view, { morpheme: { text, label }, offset: 0 });
  await refresh();
}

const acceptAll = () => attempt(async () => {
  const done = await act("decide-all", { morpheme: view.morpheme.text, label: view.morpheme.label });
  tellUndo(t("acceptedAll", { n: whole(done.decided) }), done.batch, refresh);
  await refresh();
});

// One word.

async function choose(text) {
  current = text;
  const found = await forPlace("word", ask("word", { word: text }));
  drawWord(found);
  document.querySelectorAll("#queue [data-word]").forEach((b) => b.setAttribute("aria-current", String(b.dataset.word === text)));
}

async function decide(found, kind, analysis, base = found.version) {
  try {
    const done = await act("decide", { items: [{ word: found.text, kind, base, ...analysis }] });
    tellUndo(`${found.text}: ${t("saved")}`, done.batch, async () => { await refresh(); await choose(found.text); });
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 409) throw error;
    drawStale(found, kind, analysis, error.body.newest);
    return;
  }
  await nextAfter(found.text);
}

async function nextAfter(text) {
  const list = rows.filter((r) => r.text && r.alternatives);
  const place = list.findIndex((r) => r.text === text);
  const next = list[place + 1]?.text ?? list[0]?.text;
  if (view.show === "offered" && !view.query && !view.morpheme) {
    rows = rows.filter((r) => r.text !== text);
    if (rows.length < 5) await fetchRows();
    drawQueue();
  } else await refresh();
  if (next && next !== text) await choose(next);
  else await choose(text);
}

function drawStale(found, kind, analysis, newest) {
  const theirs = newest.value?.segmentation;
  $("stale").replaceChildren(node("div", { class: "stale", role: "alert" }, node("p", {}, t("stale", { author: newest.author, time: when(newest.time) })),
    theirs ? parts(read(theirs), found.direction) : "–",
    node("div", { class: "actions" }, button(t("takeTheirs"), () => attempt(() => nextAfter(found.text)), { id: "keep-theirs" }), button(t("useMine"), () => attempt(() => decide(found, kind, analysis, newest.version)), { id: "use-mine" }))));
}

function drawWord(found) {
  const alternatives = found.alternatives;
  const chosen = found.decision?.segmentation;
  const choices = node("ol", { class: "choices" }, ...alternatives.map((a, i) => {
    const root = a.root ? node("span", { class: "soft" }, `${t("root")} `, word(a.root)) : null;
    return node("li", {}, node("button", { type: "button", class: "choice", "aria-pressed": String(a.segmentation === chosen), onclick: () => attempt(() => decide(found, i ? "choose" : "accept", { segmentation: a.segmentation, root: a.root })), ...writing() },
      node("span", {}, node("kbd", {}, i + 1), " ", parts(read(a.segmentation), found.direction)), root, node("span", { class: "soft posterior" }, bar(a.probability), ` ${percent(a.probability)}`)));
  }));
  open = { found, ...editor(found, found.decision ?? alternatives[0], (drawn) => attempt(() => decide(found, "draw", drawn))) };
  const facts = [t("count", { n: whole(found.count) }), found.agree ? null : t("chainsDisagree"), found.decision && found.decided_by ? t("decided", { author: found.decided_by.author, time: when(found.decided_by.time) }) : null, found.decision && found.held_back ? t("heldBack") : null].filter(Boolean).join("; ");
  const clear = found.decision ? button(t("clearDecision"), () => attempt(() => decide(found, "clear", {})), writing()) : null;
  const accept = alternatives.length ? button(t("accept"), () => attempt(() => acceptBest()), { id: "accept", class: "main", ...writing() }) : null;
  $("detail").replaceChildren(node("h2", {}, word(found.text)), node("p", { class: "hint" }, facts), node("div", { id: "stale" }), alternatives.length ? choices : node("p", {}, t("noAnalysis")),
    node("div", { class: "actions" }, accept, clear), open.box, note(found), trees(found), sharing(found));
}

const acceptBest = () => {
  const [best] = open?.found.alternatives ?? [];
  return best && decide(open.found, "accept", { segmentation: best.segmentation, root: best.root });
};

function note(found) {
  const input = node("input", { id: "note", value: found.note, maxlength: 2000, dir: "auto", ...writing() });
  input.addEventListener("change", () => attempt(async () => {
    const done = await act("note", { word: found.text, text: input.value, base: found.note_version });
    found.note_version = done.version;
    tell(t("saved"));
  }));
  return node("label", {}, t("note"), " ", input);
}

function trees(found) {
  const box = node("details", { id: "trees" }, node("summary", {}, t("showTrees")));
  box.addEventListener("toggle", () => attempt(async () => {
    if (!box.open || box.childElementCount > 1) return;
    const seen = await ask("trees", { word: found.text });
    box.append(...seen.trees.map((tree) => node("div", { class: "tree scroll", tabindex: "0" }, node("p", { class: "soft" }, percent(tree.probability)), drawing(tree.svg))));
  }));
  return box;
}

function sharing(found) {
  const text = found.decision?.segmentation ?? found.alternatives[0]?.segmentation;
  if (!text) return "";
  const links = read(text).map((p) => button(t("allWith", { text: `${p.text} (${p.label})` }), () => attempt(() => showMorpheme(p)), { class: "link all-with" }));
  return node("p", {}, ...links.flatMap((l, i) => [i ? " · " : "", l]));
}

// The page.

function controls() {
  const select = node("select", { id: "show", "aria-label": t("review") }, ...shows.map((s) => node("option", { value: s, selected: s === view.show }, t("show_" + s))));
  select.addEventListener("change", () => attempt(async () => { Object.assign(view, { show: select.value, query: "", morpheme: null, offset: 0 }); $("query").value = ""; await refresh(); }));
  const query = node("input", { id: "query", type: "search", dir: "auto", value: view.query, maxlength: 200, "aria-label": t("search"), placeholder: t("search") });
  const place = node("select", { id: "place", "aria-label": t("search") }, ...["words", "morphemes", "roots", "templates"].map((p) => node("option", { value: p, selected: p === view.place }, t("in_" + p))));
  const pattern = node("input", { type: "checkbox", id: "pattern", checked: view.pattern });
  const form = node("form", { class: "row", role: "search" }, query, place, node("label", { class: "check" }, pattern, t("pattern")), node("button", {}, t("find")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(async () => { Object.assign(view, { query: query.value, place: place.value, pattern: pattern.checked, morpheme: null, offset: 0 }); await refresh(); });
  });
  return [node("p", { class: "row" }, select), form];
}

export async function show(place) {
  place.replaceChildren(...controls(), node("p", { id: "fresh", role: "status" }),
    node("div", { id: "desk" }, node("div", {}, node("div", { id: "bulk" }), node("ul", { id: "queue", "aria-label": t("words") }), node("p", { id: "pager" })), node("div", { id: "detail" })),
    node("p", { class: "hint" }, t("keys")));
  const { runs, current: run } = await ask("runs");
  state.news = { ...state.news, runs, current: run };
  await refresh();
  const first = rows.find((r) => r.alternatives);
  if (first) await choose(rows.some((r) => r.text === current) ? current : first.text);
}

export function news(place) {
  if (stamp() === seenRun || !$("fresh")) return;
  seenRun = stamp();
  const reload = () => attempt(async () => { $("fresh").replaceChildren(); await show(place); });
  if (!rows.length) reload();
  else $("fresh").replaceChildren(t("newAnalyses"), " ", button(t("reload"), reload, { class: "link", id: "reload" }));
}

document.addEventListener("keydown", (event) => {
  if ($("review").hidden || event.ctrlKey || event.metaKey || event.altKey || !state.canWrite) return;
  const on = document.activeElement;
  if (on.matches("input, textarea, select") || (["Enter", " "].includes(event.key) && on.matches("button, summary, a"))) return;
  const list = [...document.querySelectorAll("#queue [data-word]")];
  const step = { j: 1, k: -1 }[event.key.toLowerCase()];
  const number = Number(event.key);
  if (step) {
    const at = list.findIndex((b) => b.dataset.word === current) + step;
    if (list[at]) attempt(() => choose(list[at].dataset.word)).then(() => list[at].scrollIntoView({ block: "nearest" }));
  } else if (event.key.toLowerCase() === "a" || event.key === "Enter") attempt(acceptBest);
  else if (number >= 1 && number <= 5) document.querySelectorAll(".choice")[number - 1]?.click();
  else if (event.key.toLowerCase() === "u") $("undo")?.click();
  else return;
  event.preventDefault();
});
