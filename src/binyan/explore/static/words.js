// Words: their analyses, the words that share their morphemes, and the lexica.
import { $, ask, attempt, bar, drawing, fill, forPlace, hint, links, node, onSubmit, percent, table, whole, word } from "./page.js";

let sorted = "count";

function relatedWords({ kind, text, words, total }) {
  const choose = (w) => { $("word").value = w; attempt(analyse).then(() => $("word").focus()); };
  const more = total > words.length ? ` and ${whole(total - words.length)} more` : "";
  return [node("dt", {}, kind, " ", word(text)), node("dd", {}, ...links(words, choose), node("span", { class: "soft" }, more))];
}

function analysis(found, rank, answer, model) {
  const parts = found.parts.map((p) => node("span", { class: "part" }, word(p.text), node("small", { dir: "ltr" }, p.label)));
  const posterior = node("span", { class: "soft posterior" }, bar(found.probability), ` ${percent(found.probability)}`);
  const title = node("summary", {}, node("span", { dir: answer.direction, class: "parts" }, ...parts), posterior);
  const body = node("div", { class: "body" });
  const made = node("details", { class: "analysis" }, title, body);
  made.addEventListener("toggle", () => {
    if (!made.open || body.childElementCount) return;
    attempt(async () => {
      const { svg, related } = await ask("analysis", { model, word: answer.word, rank });
      const shared = related.length ? node("dl", {}, ...related.flatMap(relatedWords)) : hint("No other word shares a morpheme with this analysis.");
      body.replaceChildren(node("div", { class: "scroll tree", tabindex: "0" }, drawing(svg)), node("h3", {}, "Words that share"), shared);
    });
  });
  made.open = rank === 0;
  return made;
}

async function analyse() {
  const model = $("segmenter").value;
  const answer = await forPlace("analyses", ask("analyse", { model, word: $("word").value }));
  const title = node("h2", {}, word(answer.word), " ", node("span", { class: "soft" }, "analyses by posterior probability"));
  const note = answer.note ? [hint(answer.note)] : [];
  if (answer.analyses.length && answer.covered < 0.9995) note.push(hint(`Shown: ${percent(answer.covered)} of the word's probability.`));
  $("analyses").replaceChildren(title, ...note, ...answer.analyses.map((a, i) => analysis(a, i, answer, model)));
}

const lexiconQuestion = () => ({ model: $("segmenter").value, category: $("category").value, contains: $("filter").value, sort: sorted });

async function showLexicon() {
  const { rows, total } = await forPlace("lexicon", ask("lexicon", lexiconQuestion()));
  const columns = [
    { title: "morpheme", sort: "text", cell: (r) => word(r.text) },
    { title: "count", number: true, sort: "count", cell: (r) => whole(r.count) },
    { title: "probability", number: true, cell: (r) => percent(r.probability) },
  ];
  const sort = (by) => { sorted = by; attempt(showLexicon).then(() => document.querySelector(`#lexicon [aria-sort] button`)?.focus()); };
  $("lexicon").replaceChildren(hint(`${whole(rows.length)} of ${whole(total)} morphemes`), table(columns, rows, sorted, sort));
}

async function download() {
  const { rows } = await ask("lexicon", { ...lexiconQuestion(), all: true });
  const lines = ["morpheme\tcount\tprobability", ...rows.map((r) => [r.text, r.count, r.probability].join("\t"))];
  const file = new Blob([lines.join("\n") + "\n"], { type: "text/tab-separated-values" });
  const saved = node("a", { href: URL.createObjectURL(file), download: `${$("segmenter").value}-${$("category").value}.tsv` });
  saved.click();
  URL.revokeObjectURL(saved.href);
}

export function start({ segmenters }) {
  const choose = () => {
    const chosen = segmenters.find((s) => s.name === $("segmenter").value);
    $("category").replaceChildren(...chosen.categories.map((c) => node("option", {}, c)));
    const show = (w) => { $("word").value = w; attempt(analyse); };
    $("some-words").replaceChildren("for example ", ...links(chosen.some, show));
    $("analyses").replaceChildren();
    attempt(showLexicon);
  };
  fill($("segmenter"), segmenters.map((s) => s.name));
  $("segmenter").addEventListener("change", choose);
  $("category").addEventListener("change", () => attempt(showLexicon));
  let waiting;
  $("filter").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(() => attempt(showLexicon), 200); });
  onSubmit("word-form", analyse);
  onSubmit("lexicon-form", showLexicon);
  $("download").addEventListener("click", () => attempt(download));
  return choose;
}
