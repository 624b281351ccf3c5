// The words: files, what was read of them, preparation, the whole project.
import { $, attempt, node, whole, word } from "./page.js";
import { act, ask, button, heading, loadProject, state, tell, tellUndo, upload, when, withToken, writing } from "./studio.js";
import { t } from "./texts.js";

let again = async () => {};

function figures(described) {
  const odd = described.odd.length ? described.odd.flatMap((w, i) => [i ? ", " : "", word(w)]) : [t("none")];
  return [
    node("p", {}, t("wordsTokens", { words: whole(described.words), tokens: whole(described.tokens) }), "; ", t("longest"), ": ", word(described.longest)),
    ...described.warnings.map((text) => node("p", { class: "hint" }, text)),
    node("p", {}, t("scripts"), ": ", Object.entries(described.scripts).map(([name, n]) => `${name} (${whole(n)})`).join(", ")),
    node("p", {}, t("odd"), ": ", ...odd),
    node("details", {}, node("summary", {}, t("charactersTitle", { n: whole(described.different_characters) })),
      node("p", { class: "characters" }, ...described.characters.map((c) => node("bdi", { title: whole(c.words) }, c.text)))),
  ];
}

async function take(files) {
  for (const file of files) {
    const read = await upload("upload", file);
    const known = read.known ? ` ${t("alreadyAnalysed", { n: whole(read.known) })}.` : "";
    const sentences = read.sentences ? ` ${t("sentencesRead", { n: whole(read.sentences) })}.` : "";
    tell(t("fileRead", { name: file.name, format: read.format }), ". ", t("wordsTokens", { words: whole(read.words.words), tokens: whole(read.words.tokens) }), ".", sentences, known);
  }
  await again();
}

function dropZone() {
  const input = node("input", { type: "file", id: "file", multiple: true, ...writing() });
  input.addEventListener("change", () => attempt(() => take(input.files)));
  const zone = node("label", { id: "drop" }, node("strong", {}, t("dropFile")), input, node("p", { class: "hint" }, t("dropHint")));
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    attempt(() => take(event.dataTransfer.files));
  });
  return zone;
}

function sources(project) {
  if (!project.sources.length) return [];
  return [heading(t("sources")), node("ul", {}, ...project.sources.map((s) => {
    const box = node("input", { type: "checkbox", checked: s.used, ...writing() });
    box.addEventListener("change", () => attempt(async () => {
      await act("use-source", { source: s.id, used: box.checked, base: s.version });
      await again();
    }));
    const notes = s.details.notes.map((note) => node("p", { class: "hint" }, note));
    return node("li", {}, node("label", { class: "check" }, box, word(s.name)),
      node("span", { class: "soft" }, `${s.format}, ${whole(s.details.words)} ${t("words")}, ${t("addedBy", { author: s.author, time: when(s.time) })}`), ...notes);
  }))];
}

function preparation(project) {
  const boxes = {};
  const given = { ...project.preparation };
  const effect = node("p", { class: "hint", role: "status", id: "effect" });
  const preview = () => attempt(async () => {
    const seen = await ask("preview", { preparation: given });
    const some = seen.examples.slice(0, 8).flatMap((e) => [" ", word(e.before), " → ", word(e.after || "–"), ";"]);
    effect.replaceChildren(t("effect", { changed: whole(seen.changed), read: whole(seen.read), words: whole(seen.words) }), ...some);
  });
  const rows = ["trim", "lowercase", "strip_marks", "digits", "normalise"].map((name) => {
    const on = name === "normalise" ? given[name] === "nfc" : given[name];
    boxes[name] = node("input", { type: "checkbox", checked: on, id: "prepare-" + name, ...writing() });
    boxes[name].addEventListener("change", () => {
      given[name] = name === "normalise" ? (boxes[name].checked ? "nfc" : "none") : boxes[name].checked;
      preview();
    });
    return node("label", { class: "check" }, boxes[name], t(name));
  });
  const apply = button(t("prepare"), () => attempt(async () => {
    await act("prepare", { preparation: given, base: project.versions.preparation });
    tell(t("saved"));
    await again();
  }), { id: "apply", ...writing() });
  return [heading(t("preparation")), node("div", {}, ...rows), effect, apply];
}

function settings(project) {
  const field = (name, text) => {
    const input = node("input", { id: "set-" + name, value: project[name], maxlength: 100, ...writing() });
    input.addEventListener("change", () => attempt(async () => {
      await act("set", { name, value: input.value, base: project.versions[name] });
      tell(t("saved"));
      await again();
    }));
    return node("label", {}, text, " ", input);
  };
  const open = node("input", { type: "file", accept: ".zip", id: "archive", ...writing() });
  open.addEventListener("change", () => attempt(async () => {
    await upload("open", open.files[0]);
    await again();
  }));
  return [
    heading(t("settings")), node("div", { class: "columns" }, field("title", t("titleOf")), field("language", t("languageOf"))),
    heading(t("archive"), 3),
    node("p", {}, node("a", { href: withToken("api/download/project"), download: "project.zip" }, t("downloadArchive"))),
    node("label", {}, t("openArchive"), " ", open, node("span", { class: "hint" }, " ", t("archiveHint"))),
  ];
}

async function history() {
  const { changes } = await ask("history", { limit: 30 });
  const undo = (batch) => attempt(async () => {
    const done = await act("undo", { batch });
    tellUndo(t("undone", { n: done.undone }), done.batch, again);
    await again();
  });
  const rows = changes.map((c) => node("li", {}, `${when(c.time)}, `, word(c.author), `: ${t("change_" + c.entity)} `, word(c.key), c.kind === "undo" ? ` (${t("undo")}) ` : " ",
    button(t("undo"), () => undo(c.batch), { class: "link", ...writing() })));
  return node("details", {}, node("summary", {}, t("history")), node("ul", {}, ...rows));
}

export async function show(place, go) {
  again = async () => { await loadProject(); await show(place, go); };
  const project = state.project;
  const shown = [dropZone()];
  if (project.words) {
    const described = await ask("describe");
    shown.push(node("p", {}, button(t("toGrammar"), () => go("grammar"), { class: "main", id: "to-grammar" })), heading(`${whole(project.words)} ${t("words")}`), ...figures(described));
  }
  shown.push(...sources(project));
  if (project.sources.length) shown.push(...preparation(project));
  shown.push(...settings(project), await history());
  place.replaceChildren(...shown);
}
