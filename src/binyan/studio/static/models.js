// Models: the explorer's tabs over the project's model and over models that were added, in a frame of its own.
import { attempt, node, word } from "./page.js";
import { act, ask, button, state, tell, upload, writing } from "./studio.js";
import { t } from "./texts.js";

export async function show(place) {
  const { added, run } = await ask("models");
  const again = () => attempt(() => show(place));
  const file = node("input", { type: "file", id: "model-file", accept: ".binyan", ...writing() });
  file.addEventListener("change", () => attempt(async () => {
    const { name } = await upload("add-model", file.files[0]);
    tell(`${name}: ${t("saved")}`);
    await show(place);
  }));
  const drop = (name) => attempt(async () => { await act("drop-model", { name }); await again(); });
  const rows = added.map((name) => node("li", {}, word(name), " ", button(t("takeAway"), () => drop(name), { class: "link", ...writing() })));
  const parts = [node("p", { class: "hint" }, t("modelsHint")), node("label", {}, t("addModel"), " ", file), node("ul", { id: "added-models" }, ...rows)];
  if (run || added.length) parts.push(node("iframe", { id: "explorer", title: t("models"), src: "explorer/" }));
  else parts.push(node("p", {}, state.project.words ? t("notYet") : t("noWords")));
  place.replaceChildren(...parts);
}
