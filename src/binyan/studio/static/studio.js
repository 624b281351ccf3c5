// What all parts of the studio share: asking the server, texts, the project as it is now.
import { $, node, word } from "./page.js";
import { t } from "./texts.js";

export const state = { project: null, news: { runs: [], current: null, change: 0 }, plan: null, canWrite: true };

const store = (name, value) => {
  try {
    if (value !== undefined) localStorage.setItem("binyan-" + name, value);
    return localStorage.getItem("binyan-" + name) ?? "";
  } catch {
    return value ?? "";
  }
};
export const remembered = store;

// A link that was given carries a token behind the #, which no server sees; it is kept for this tab.
let token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
try {
  if (token) sessionStorage.setItem("binyan-token", token);
  else token = sessionStorage.getItem("binyan-token") ?? "";
} catch { /* without storage the token lives as long as the page */ }
export const withToken = (path) => (token ? `${path}${path.includes("?") ? "&" : "?"}token=${encodeURIComponent(token)}` : path);
const rights = () => (token ? { Authorization: `Bearer ${token}` } : {});

export class Refused extends Error {
  constructor(message, status, body) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

async function sent(path, options) {
  let answer;
  try {
    answer = await fetch("api/" + path, options);
  } catch {
    throw new Error(t("connection"));
  }
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(typeof body.error === "string" ? body.error : t("notUnderstood"), answer.status, body);
  return body;
}

export const author = () => $("author").value.trim() || "me";
export const ask = (name, question = {}) =>
  sent(name, { method: "POST", headers: { "Content-Type": "application/json", ...rights() }, body: JSON.stringify(question) });
export const act = (name, question = {}) => ask(name, { author: author(), ...question });
export const upload = (name, file) =>
  sent(`${name}?${new URLSearchParams({ name: file.name, author: author() })}`, {
    method: "POST", headers: { "Content-Type": "application/octet-stream", ...rights() }, body: file,
  });

export async function loadProject() {
  state.project = await ask("project");
  state.canWrite = state.project.can_write;
  $("title").textContent = state.project.title;
  document.title = `${state.project.title} – Binyan studio`;
  return state.project;
}

export const tell = (...parts) => $("news").replaceChildren(...parts);
export const button = (text, action, more = {}) => node("button", { type: "button", onclick: action, ...more }, text);
export const heading = (text, level = 2) => node("h" + level, {}, text);
export const writing = () => ({ disabled: !state.canWrite });
export const when = (time) => new Date(time).toLocaleString(document.documentElement.lang);
export const round = (share) => (share == null ? "–" : `${Math.round(1000 * share) / 10}%`);

// Parts of an analysis in boxes, in the direction of the word.
export function parts(pieces, direction) {
  return node("span", { class: "parts", dir: direction },
    ...pieces.map((p) => node("span", { class: `part label-${p.label}` }, word(p.text), node("small", { dir: "ltr" }, p.label))));
}

// A batch of changes can be undone right after it was made.
export function tellUndo(text, batch, after) {
  const undo = button(t("undo"), async () => {
    const done = await act("undo", { batch }).catch((error) => error);
    await after();
    tell(done instanceof Error ? done.message : t("undone", { n: done.undone }));
  }, { id: "undo", class: "link" });
  tell(text, " ", undo);
}
