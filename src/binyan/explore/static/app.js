// The explorer's page: tabs over its parts. A part starts when it is first looked at.
import { $, ask, attempt, node } from "./page.js";
import * as sentences from "./sentences.js";
import * as translations from "./translations.js";
import * as vectors from "./vectors.js";
import * as words from "./words.js";

function showTab(tabs, chosen) {
  for (const tab of tabs) {
    const here = tab === chosen;
    tab.button.setAttribute("aria-selected", here);
    tab.button.tabIndex = here ? 0 : -1;
    tab.panel.hidden = !here;
  }
  chosen.open?.();
  chosen.open = null;
}

async function start() {
  const models = await ask("models");
  const parts = [["Words", "words", words, models.segmenters], ["Sentences", "sentences", sentences, models.language_models], ["Vectors", "vectors", vectors, models.spaces], ["Translations", "translations", translations, models.systems]];
  const tabs = [];
  for (const [title, id, part, there] of parts) {
    if (!there.length) continue;
    const panel = $(id);
    const tab = { panel, open: part.start(models) };
    tab.button = node("button", { type: "button", role: "tab", id: `${id}-tab`, "aria-controls": id, onclick: () => showTab(tabs, tab) }, title);
    panel.setAttribute("aria-labelledby", `${id}-tab`);
    tabs.push(tab);
    $("tabs").append(tab.button);
  }
  $("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = tabs.findIndex((tab) => tab.button === document.activeElement);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    showTab(tabs, next);
    next.button.focus();
  });
  const all = [...models.segmenters, ...models.language_models, ...models.systems];
  const signatures = all.map((m) => node("p", {}, node("strong", {}, m.name), ` ${m.signature}`));
  $("signatures").replaceChildren(node("details", {}, node("summary", {}, "Signatures: how each model was made"), ...signatures));
  if (tabs.length) showTab(tabs, tabs[0]);
}

attempt(start);
