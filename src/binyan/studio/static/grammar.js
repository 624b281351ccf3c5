// The grammar: pictures of what each kind sees, the automatic choice with its evidence, and an editor.
import { $, attempt, drawing, forPlace, node, table, whole, word } from "./page.js";
import { act, ask, button, heading, parts, state, writing } from "./studio.js";
import { read } from "./segments.js";
import { t } from "./texts.js";

const picture = (svg) => node("div", { class: "tree scroll", tabindex: "0" }, drawing(svg));

function use(plan, go) {
  state.plan = plan;
  return go("learning");
}

function card(name, go) {
  const body = node("div", {}, node("p", { class: "hint" }, t("looking")));
  const made = node("article", { class: "card", id: "kind-" + name }, heading(t("kind_" + name), 3), body);
  const fill = (seen) => {
    const trees = seen.examples.slice(0, 2).map((e) => picture(e.svg));
    const others = seen.examples.slice(2).map((e) => node("p", {}, parts(read(e.segmentation), state.project.direction)));
    const choose = button(t("useThis"), () => use({ grammar: name, text: seen.text }, go), writing());
    body.replaceChildren(...(seen.note ? [node("p", { class: "hint" }, seen.note)] : []), ...trees, ...others, choose);
  };
  return { made, fill };
}

function evidence(choice) {
  const columns = [
    { title: t("grammar"), cell: (r) => `${r.name} – ${r.description}` },
    { title: t("bits"), number: true, cell: (r) => r.bits?.toFixed(3) ?? "–" },
    { title: t("behind"), number: true, cell: (r) => (r.behind ? `${r.behind.toFixed(3)} ± ${r.error.toFixed(3)}` : t("best")) },
  ];
  return [node("p", {}, choice.reason), choice.table.length ? table(columns, choice.table) : ""];
}

function automatic(go) {
  const runs = state.news.runs.filter((r) => r.result?.choice);
  const compare = button(t("compare"), () => attempt(async () => { await act("choose"); await go("learning"); }), { id: "compare", ...writing() });
  const shown = runs.length ? [heading(t("evidence"), 3), ...evidence(runs[0].result.choice)] : [];
  return [
    heading(t("auto")), node("p", { class: "hint" }, t("autoHint")),
    node("p", { class: "actions" }, button(t("useAuto"), () => use({ grammar: "auto" }, go), { class: "main", id: "use-auto", ...writing() }), compare), ...shown,
  ];
}

async function editor(shipped, go) {
  const { rows } = await ask("words", { limit: 4 });
  const text = node("textarea", { id: "own", spellcheck: "false", dir: "ltr", "aria-label": t("ownTitle"), "aria-describedby": "problems" });
  const words = node("input", { id: "own-words", dir: "auto", value: rows.map((r) => r.text).join(" "), maxlength: 200, "aria-label": t("words") });
  const problems = node("ul", { class: "problems", id: "problems", "aria-live": "polite" });
  const parses = node("div", { class: "cards", id: "parses" });
  const choose = button(t("useOwn"), () => use({ grammar: "own", text: text.value }, go), { id: "use-own", disabled: true });
  let waiting;
  const check = () => attempt(async () => {
    if (!text.value.trim()) return;
    const seen = await forPlace("check", ask("check", { text: text.value, words: words.value.split(/\s+/).filter(Boolean).slice(0, 6) }));
    problems.replaceChildren(...(seen.problems.length ? seen.problems.map((p) => node("li", { class: p.severity }, p.line ? `${t("line", { n: p.line })}: ` : "", p.message)) : [node("li", {}, t("noProblems"))]));
    parses.replaceChildren(...seen.parses.map((p) => node("div", { class: "card" }, heading(p.word, 3), p.svg ? picture(p.svg) : t("noParse"))));
    choose.disabled = !seen.usable || !state.canWrite;
  });
  const later = () => { clearTimeout(waiting); waiting = setTimeout(check, 400); };
  text.addEventListener("input", later);
  words.addEventListener("input", later);
  const begin = node("select", { id: "shipped", "aria-label": t("shipped") }, node("option", { value: "" }, "…"), ...shipped.map((g) => node("option", { value: g.name }, `${g.name} – ${g.summary}`)));
  begin.addEventListener("change", () => attempt(async () => {
    if (!begin.value) return;
    text.value = (await ask("grammar", { name: begin.value })).text;
    await check();
  }));
  return node("details", { id: "write" }, node("summary", {}, node("strong", {}, t("ownTitle"))),
    node("p", {}, node("label", {}, t("shipped"), " ", begin)), text, node("p", { class: "hint" }, t("ownHint")), words, problems, choose, parses);
}

export async function show(place, go) {
  if (!state.project.words) {
    place.replaceChildren(node("p", {}, t("noWords")));
    return;
  }
  const { shipped, gallery } = await ask("grammars");
  const cards = gallery.map((name) => ({ name, ...card(name, go) }));
  place.replaceChildren(...automatic(go), heading(t("galleryTitle")), node("div", { class: "cards" }, ...cards.map((c) => c.made)), await editor(shipped, go));
  for (const { name, fill } of cards) {
    if (place.hidden) return;
    fill(await ask("gallery", { name }).catch((error) => ({ examples: [], note: error.message, text: "" })));
  }
}
