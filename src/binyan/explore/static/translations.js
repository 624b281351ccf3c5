// Translations: a sentence under several language models and weights, side by side, each with its derivation.
import { derivation, score } from "./derivation.js";
import { $, ask, attempt, direction, fill, forPlace, hint, node, onSubmit, word } from "./page.js";

const MOST = 4; // side by side
const ALTERNATIVES = 5;
const AS_TUNED = "as tuned";
let systems, variants = [], made = 0;

const system = () => systems.find((s) => s.name === $("system").value) ?? systems[0];

// Which words of a text are not in another one, by their longest common subsequence.
function different(words, others) {
  const length = Array.from({ length: words.length + 1 }, () => new Uint16Array(others.length + 1));
  for (let i = words.length - 1; i >= 0; i--)
    for (let j = others.length - 1; j >= 0; j--) length[i][j] = words[i] === others[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  const changed = [];
  for (let i = 0, j = 0; i < words.length; i++) {
    while (j < others.length && words[i] !== others[j] && length[i][j + 1] >= length[i + 1][j]) j++;
    changed.push(!(j < others.length && words[i] === others[j]));
    if (!changed[i]) j++;
  }
  return changed;
}

// A translation with what differs from `first` marked.
function text(translation, first) {
  const words = translation.text.split(" ");
  const changed = first == null ? words.map(() => false) : different(words, first.split(" "));
  return node("span", { dir: direction(translation.text) }, ...words.flatMap((w, i) => [i ? " " : "", node(changed[i] ? "mark" : "span", {}, word(w))]));
}

function show(variant, chosen = 0) {
  const { answer } = variant;
  if (!answer) return;
  const first = variants[0].answer?.translations[0]?.text;
  const compared = variant === variants[0] ? null : first;
  if (!answer.translations.length) {
    variant.body.replaceChildren(hint("There is nothing to translate."));
    return;
  }
  const best = answer.translations[chosen];
  const others = answer.translations.map((one, i) => {
    const button = node("button", { type: "button", class: "alternative", "aria-pressed": i === chosen ? "true" : "false", onclick: () => show(variant, i) }, text(one, compared), " ", node("small", {}, score(one.score)));
    return node("li", {}, button);
  });
  const mismatch = answer.models.join("\n") !== answer.tuned_with.join("\n");
  variant.body.replaceChildren(
    node("p", { class: "translation", dir: direction(best.text) }, text(best, compared)),
    ...(mismatch ? [hint(`The weights were tuned with other language models (${answer.tuned_with.join(", ")}).`)] : []),
    ...derivation(answer.words, best, answer.feature_weights),
    node("h3", {}, "The best translations"),
    node("ol", { class: "alternatives" }, ...others),
  );
}

async function translateOne(variant) {
  const question = { text: $("translated").value.trim(), n: ALTERNATIVES, system: system().name, weights: variant.weights.value, model_factor: variant.factor.valueAsNumber };
  if (variant.models.value !== AS_TUNED) question.models = [variant.models.value];
  if (!Number.isFinite(question.model_factor)) throw new Error("The factor of the language models is a number from 0 to 100.");
  variant.answer = await forPlace(`variant ${variant.number}`, ask("translate", question));
  if (variants.includes(variant)) show(variant);
}

// All of them: those that are compared with the first are shown again when it is there.
async function translateAll() {
  if (!$("translated").value.trim()) return;
  await Promise.all(variants.map(translateOne));
  variants.forEach((variant) => show(variant));
}

function addVariant() {
  const again = () => attempt(translateAll);
  const number = (made += 1);
  const labelled = (title, field) => node("label", {}, title, field);
  const models = node("select", { onchange: again });
  const weights = node("select", { onchange: again });
  const factor = node("input", { type: "number", min: "0", max: "100", step: "0.1", value: "1", required: true, onchange: again });
  fill(models, [AS_TUNED, ...system().models]);
  fill(weights, system().weights.map((w) => w.name));
  models.hidden = weights.hidden = false;
  const body = node("div", { "aria-live": "polite" });
  const drop = node("button", { type: "button", class: "drop", "aria-label": "Take this column away" }, "×");
  const fields = node("div", { class: "row fields" }, labelled("language models", models), labelled("weights", weights), labelled("models ×", factor), drop);
  const variant = { number, models, weights, factor, body, box: node("section", { class: "variant", "aria-label": `Translation ${variants.length + 1}` }, fields, body) };
  drop.addEventListener("click", () => {
    variants = variants.filter((other) => other !== variant);
    variant.box.remove();
    arrange();
    variants.forEach((other) => show(other));
  });
  variants.push(variant);
  $("variants").append(variant.box);
  arrange();
  return variant;
}

function arrange() {
  variants.forEach((variant, i) => (variant.box.querySelector(".drop").hidden = i === 0 || variants.length < 2));
  $("compare").disabled = variants.length >= MOST;
}

// A new column asks what the last one does not: another language model, or else other weights.
function compare() {
  const last = variants[variants.length - 1];
  const variant = addVariant();
  const next = (from, to) => (to.selectedIndex = (from.selectedIndex + 1) % to.options.length);
  variant.factor.value = last.factor.value;
  variant.weights.selectedIndex = last.weights.selectedIndex;
  const loaded = variant.models.options.length > 2;
  if (loaded) next(last.models, variant.models);
  else next(last.weights, variant.weights);
  attempt(translateAll);
}

function startAgain() {
  variants.forEach((variant) => variant.box.remove());
  variants = [];
  addVariant();
  attempt(translateAll);
}

export function start(models) {
  systems = models.systems;
  fill($("system"), systems.map((s) => s.name));
  $("system").addEventListener("change", startAgain);
  $("compare").addEventListener("click", compare);
  onSubmit("translate-form", translateAll);
  addVariant();
}
