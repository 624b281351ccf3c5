// The explorer's page. All text from models and users goes in as text, never as markup.
const $ = (id) => document.getElementById(id);

function node(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

// A word in any script, isolated from the text around it.
const word = (text) => node("bdi", { dir: "auto" }, text);
const percent = (x) => (x == null ? "–" : x === 0 || x >= 0.001 ? (100 * x).toPrecision(3) + "%" : (100 * x).toExponential(1) + "%");
const probability = (logProb) => percent(logProb == null ? 0 : Math.exp(logProb));
const whole = (n) => n.toLocaleString("en");

async function ask(path, question) {
  const options = question === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) };
  let answer;
  try {
    answer = await fetch("api/" + path, options);
  } catch {
    throw new Error("The explorer does not answer. Is it still running?");
  }
  const body = await answer.json();
  if (!answer.ok) throw new Error(typeof body.error === "string" ? body.error : "The request was not understood.");
  return body;
}

// Runs an action; what goes wrong is shown, and gone with the next thing that works.
async function attempt(action) {
  try {
    await action();
    $("message").textContent = "";
  } catch (error) {
    $("message").textContent = error.message;
  }
}

function table(columns, rows) {
  const head = node("tr", {}, ...columns.map((c) => node("th", { scope: "col", class: c.number && "number" }, c.title)));
  const body = rows.map((row) => node("tr", {}, ...columns.map((c) => node("td", { class: c.number && "number" }, c.cell(row)))));
  return node("div", { class: "scroll" }, node("table", {}, node("thead", {}, head), node("tbody", {}, ...body)));
}

const bar = (share) => node("span", { class: "bar", style: `width: ${Math.max(0, Math.min(1, share)) * 8}em` });

// ---- sentences

function showSteps(model, chosen, button) {
  document.querySelectorAll(".word").forEach((b) => b.setAttribute("aria-pressed", b === button));
  const title = node("h2", {}, "How ", word(chosen.word), ` came to ${probability(chosen.log_prob)} under ${model}`);
  const columns = [
    { title: "step", cell: (s) => s.name },
    { title: "", cell: (s) => word(s.detail) },
    { title: "probability", number: true, cell: (s) => percent(s.probability) },
    { title: "share", cell: (s) => (s.share == null ? "" : node("span", {}, bar(s.share), " ", percent(s.share))) },
  ];
  const none = node("p", { class: "hint" }, "This model has nothing to tell about its steps.");
  $("steps").replaceChildren(title, chosen.steps.length ? table(columns, chosen.steps) : none);
}

function scoredSentence({ model, log_prob, words }) {
  const buttons = words.map((w) => {
    const label = `${w.word}: ${probability(w.log_prob)}${w.unknown ? ", not in the vocabulary" : ""}`;
    const attributes = { type: "button", class: "word" + (w.unknown ? " unknown" : ""), "aria-pressed": "false", "aria-label": label, title: label };
    const parts = [word(w.word), node("small", {}, probability(w.log_prob)), w.matched ? node("small", {}, `${w.matched}-gram`) : null];
    const button = node("button", attributes, ...parts);
    button.addEventListener("click", () => showSteps(model, w, button));
    return button;
  });
  const perplexity = log_prob == null ? "infinite" : Math.exp(-log_prob / words.length).toFixed(1);
  const title = node("h2", {}, model, " ", node("span", { class: "soft" }, `perplexity ${perplexity}`));
  return node("div", {}, title, node("div", { dir: "auto" }, ...buttons));
}

async function scoreSentence() {
  const text = $("sentence").value;
  const [scored, next] = await Promise.all([ask("sentence", { text }), ask("next-words", { text })]);
  $("scores").replaceChildren(...scored.map(scoredSentence));
  $("steps").replaceChildren();
  const columns = [{ title: "word", cell: (w) => word(w.word) }, { title: "probability", number: true, cell: (w) => percent(w.probability) }];
  $("next").replaceChildren(...next.map(({ model, words }) => node("div", {}, node("strong", {}, model), table(columns, words))));
}

// ---- words

// The server's drawing, parsed as an image and cleaned of anything that could run or fetch.
function drawing(svg) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  if (parsed.nodeName !== "svg") return null;
  parsed.querySelectorAll("script, foreignObject, a, image, use").forEach((bad) => bad.remove());
  parsed.querySelectorAll("*").forEach((e) => [...e.attributes].forEach((a) => a.name.startsWith("on") && e.removeAttribute(a.name)));
  return document.importNode(parsed, true);
}

function relatedWords([what, words]) {
  const buttons = words.flatMap((w, i) => {
    const choose = () => { $("word").value = w; attempt(analyse); };
    return [i ? ", " : "", node("button", { type: "button", class: "link", onclick: choose }, word(w))];
  });
  return node("p", {}, node("span", { class: "soft" }, `${what}: `), ...buttons);
}

function analysis(found, direction) {
  const parts = found.parts.map((p) => node("span", { class: "part" }, word(p.text), node("small", {}, p.label)));
  const related = Object.entries(found.related).filter(([, words]) => words.length).map(relatedWords);
  const posterior = node("p", { class: "soft" }, bar(found.probability), ` ${percent(found.probability)} of the posterior`);
  return node("article", { class: "analysis" }, node("div", { dir: direction }, ...parts), posterior, drawing(found.svg), ...related);
}

async function analyse() {
  const found = await ask("analyse", { model: $("segmenter").value, word: $("word").value });
  const note = found.note ? [node("p", { class: "hint" }, found.note)] : [];
  $("analyses").replaceChildren(...note, ...found.analyses.map((a) => analysis(a, found.direction)));
}

const lexiconQuestion = () => ({ model: $("segmenter").value, category: $("category").value, contains: $("filter").value, sort: $("sort").value });

async function showLexicon() {
  const { rows, total } = await ask("lexicon", lexiconQuestion());
  const columns = [
    { title: "morpheme", cell: (r) => word(r.text) },
    { title: "count", number: true, cell: (r) => whole(r.count) },
    { title: "probability", number: true, cell: (r) => percent(r.probability) },
  ];
  $("lexicon").replaceChildren(node("p", { class: "hint" }, `${whole(rows.length)} of ${whole(total)}`), table(columns, rows));
}

async function download() {
  const { rows } = await ask("lexicon", { ...lexiconQuestion(), all: true });
  const lines = ["morpheme\tcount\tprobability", ...rows.map((r) => [r.text, r.count, r.probability].join("\t"))];
  const file = new Blob([lines.join("\n") + "\n"], { type: "text/tab-separated-values" });
  const link = node("a", { href: URL.createObjectURL(file), download: `${$("category").value}.tsv` });
  link.click();
  URL.revokeObjectURL(link.href);
}

// ---- start

function fillCategories(segmenters) {
  const chosen = segmenters.find((s) => s.name === $("segmenter").value);
  $("category").replaceChildren(...chosen.categories.map((c) => node("option", {}, c)));
}

function showTab(tabs, chosen) {
  for (const [tab, panel] of tabs) {
    tab.setAttribute("aria-selected", panel === chosen);
    tab.tabIndex = panel === chosen ? 0 : -1;
    panel.hidden = panel !== chosen;
  }
}

async function start() {
  const { language_models: models, segmenters } = await ask("models");
  const tabs = [];
  for (const [title, panel, there] of [["Words", $("words"), segmenters.length], ["Sentences", $("sentences"), models.length]]) {
    if (!there) continue;
    const tab = node("button", { type: "button", role: "tab", "aria-controls": panel.id, onclick: () => showTab(tabs, panel) }, title);
    tabs.push([tab, panel]);
    $("tabs").append(tab);
  }
  $("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = tabs.findIndex(([tab]) => tab === document.activeElement);
    const [tab, panel] = tabs[(at + step + tabs.length) % tabs.length];
    showTab(tabs, panel);
    tab.focus();
  });
  showTab(tabs, tabs[0][1]);
  $("segmenter").replaceChildren(...segmenters.map((s) => node("option", {}, s.name)));
  if (segmenters.length) fillCategories(segmenters);
  $("segmenter").addEventListener("change", () => fillCategories(segmenters));
  $("signatures").replaceChildren(...[...segmenters, ...models].map((m) => node("p", {}, `${m.name}: ${m.signature}`)));
  const forms = { "sentence-form": scoreSentence, "word-form": analyse, "lexicon-form": showLexicon };
  for (const [id, action] of Object.entries(forms)) {
    $(id).addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(action);
    });
  }
  $("download").addEventListener("click", () => attempt(download));
}

attempt(start);
