// The studio: five steps from a file to a reviewed analysis, and the models to explore.
import { $, attempt, node } from "./page.js";
import { author, loadProject, remembered, state, tell, withToken } from "./studio.js";
import { language, speak, t } from "./texts.js";
import * as project from "./project.js";
import * as grammar from "./grammar.js";
import * as learning from "./learning.js";
import * as review from "./review.js";
import * as results from "./results.js";
import * as models from "./models.js";

const steps = { project, grammar, learning, review, results, models };
const drawing = {};
let shown = "project";

export async function show(name) {
  shown = name;
  for (const step of Object.keys(steps)) {
    $(step).hidden = step !== name;
    const tab = $("tab-" + step);
    tab.setAttribute("aria-selected", String(step === name));
    tab.tabIndex = step === name ? 0 : -1;
  }
  // A step that is being drawn is drawn to its end before it is drawn again.
  drawing[name] = (drawing[name] ?? Promise.resolve()).then(() => attempt(async () => {
    await loadProject();
    tell(state.canWrite ? "" : t("readOnly"));
    await steps[name].show($(name), show);
  }));
  await drawing[name];
}

function drawSteps() {
  $("steps").setAttribute("aria-label", t("steps"));
  $("steps").replaceChildren(...Object.keys(steps).map((step, i) =>
    node("button", { type: "button", role: "tab", id: "tab-" + step, "aria-controls": step, onclick: () => show(step) }, `${i + 1} ${t(step)}`)));
  document.querySelectorAll("[data-text]").forEach((e) => { e.textContent = t(e.dataset.text); });
  $("language").setAttribute("aria-label", t("language"));
  for (const step of Object.keys(steps)) $(step).setAttribute("aria-labelledby", "tab-" + step);
}

$("steps").addEventListener("keydown", (event) => {
  const names = Object.keys(steps);
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const next = names[(names.indexOf(shown) + by + names.length) % names.length];
  show(next).then(() => $("tab-" + next).focus());
});

// News of the server: progress of runs, and changes by others.
function listen() {
  const source = new EventSource(withToken("api/events"));
  source.onmessage = (event) => {
    state.news = JSON.parse(event.data);
    steps[shown].news?.($(shown), show);
  };
}

$("author").value = remembered("author");
$("author").addEventListener("change", () => remembered("author", author()));
speak(remembered("language") || (navigator.language.startsWith("de") ? "de" : "en"));
$("language").value = language();
$("language").addEventListener("change", () => {
  speak(remembered("language", $("language").value));
  drawSteps();
  show(shown);
});
drawSteps();
listen();
await attempt(async () => {
  const { words, run, version } = await loadProject();
  $("foot").textContent = `Binyan ${version}`;
  await show(run ? "review" : words ? "grammar" : "project");
});
