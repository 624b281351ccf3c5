// Sentences: each word's probability under each model, how it came about, and what may come next.
import { $, ask, attempt, bar, direction, forPlace, hint, link, node, onSubmit, percent, probability, table, word } from "./page.js";

// What a step is, for those who do not know the models.
const ABOUT = {
  head: "the last part of the compound, in its context",
  modifier: "a part before it, given the part after",
  end: "no further part",
  class: "the class of the word, by the words most frequent in it",
  "word in class": "the word among those of its class",
  vocabulary: "what the model gives to all words it knows",
};

function showSteps(model, chosen, button) {
  document.querySelectorAll(".word").forEach((b) => b.setAttribute("aria-pressed", b === button));
  const title = node("h2", {}, "How ", word(chosen.word), ` came to ${probability(chosen.log_prob)} under ${model}`);
  const columns = [
    { title: "step", cell: (s) => node("span", { title: ABOUT[s.name] }, s.name) },
    { title: "of what", cell: (s) => word(s.detail) },
    { title: "probability", number: true, cell: (s) => percent(s.probability) },
    { title: "share of the whole", cell: (s) => (s.share == null ? "" : node("span", {}, bar(s.share), " ", percent(s.share))) },
  ];
  const shared = chosen.steps.some((s) => s.share != null);
  const steps = table(shared ? columns : columns.slice(0, 3), chosen.steps);
  const about = [...new Set(chosen.steps.map((s) => s.name))].filter((name) => ABOUT[name]).map((name) => `${name}: ${ABOUT[name]}`);
  const none = hint("This model has nothing to tell about its steps.");
  $("steps").replaceChildren(title, ...(chosen.steps.length ? [steps, hint(about.join("; "))] : [none]));
}

function perplexity(words) {
  const sum = words.reduce((total, w) => total + (w.log_prob ?? -Infinity), 0);
  return words.length && Number.isFinite(sum) ? Math.exp(-sum / words.length).toPrecision(4) : "infinite";
}

function scoredSentence({ model, words }) {
  const buttons = words.map((w) => {
    const label = `${w.word}: ${probability(w.log_prob)}${w.unknown ? ", not in the vocabulary" : ""}`;
    const attributes = { type: "button", class: "word" + (w.unknown ? " unknown" : ""), "aria-pressed": "false", "aria-label": label, title: label };
    const parts = [word(w.word), node("small", {}, probability(w.log_prob)), w.matched ? node("small", {}, `${w.matched}-gram`) : null];
    const button = node("button", attributes, ...parts);
    button.addEventListener("click", () => showSteps(model, w, button));
    return button;
  });
  const known = words.filter((w) => !w.unknown);
  const unknown = words.length - known.length;
  const ofKnown = unknown ? `, of the known words ${perplexity(known)} (${unknown} not in the vocabulary)` : "";
  const title = node("h2", {}, model, " ", node("span", { class: "soft" }, `perplexity ${perplexity(words)}${ofKnown}`));
  return node("div", {}, title, node("div", { dir: direction(words.map((w) => w.word).join(" ")) }, ...buttons));
}

function goOn(next) {
  const box = $("sentence");
  box.value = `${box.value.trimEnd()} ${next} `.trimStart();
  attempt(scoreSentence).then(() => box.focus());
}

async function scoreSentence() {
  const text = $("sentence").value;
  const scores = text.trim() ? ask("sentence", { text }) : [];
  const [scored, next] = await forPlace("scores", Promise.all([scores, ask("next-words", { text })]));
  $("scores").replaceChildren(...scored.map(scoredSentence));
  $("steps").replaceChildren();
  const unknown = scored.some((s) => s.words.some((w) => w.unknown));
  if (unknown) $("scores").append(hint("Underlined: not in the vocabulary. Models of compounds then give the probability of this very word, from its parts; the others that of any unknown word (<unk>), so that the two cannot be compared."));
  const ends = (w) => w.word === "</s>" || w.word === "<unk>";
  const columns = [
    { title: "word", cell: (w) => (ends(w) ? word(w.word) : link(w.word, () => goOn(w.word))) },
    { title: "probability", number: true, cell: (w) => percent(w.probability) },
  ];
  $("next").replaceChildren(...next.map(({ model, words }) => node("div", {}, node("h3", {}, model), table(columns, words))));
}

export function start() {
  onSubmit("sentence-form", scoreSentence);
  return () => attempt(scoreSentence);
}
