// What all parts of the page share. All text from models and users goes in as text, never as markup.
export const $ = (id) => document.getElementById(id);

export function node(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

// A word in any script, isolated from the text around it.
export const word = (text) => node("bdi", { dir: "auto" }, text);

// The direction of a line that is made of several elements: that of its first letter. (dir="auto" does not look into isolated words.)
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
export const direction = (text) => (RIGHT_TO_LEFT.test(text.match(/\p{L}/u)?.[0] ?? "") ? "rtl" : "ltr");

export const percent = (x) => (x == null ? "–" : x === 0 || x >= 0.001 ? (100 * x).toPrecision(3) + "%" : (100 * x).toExponential(1) + "%");
export const probability = (logProb) => percent(logProb == null ? 0 : Math.exp(logProb));
export const whole = (n) => n.toLocaleString("en");
export const bar = (share) => node("span", { class: "bar", style: `width: ${Math.max(0, Math.min(1, share)) * 8}em` });
export const hint = (...parts) => node("p", { class: "hint" }, ...parts);

// A word that does something when chosen.
export const link = (text, action) => node("button", { type: "button", class: "link", onclick: action }, word(text));

// Words to choose from, with commas between.
export const links = (texts, action) => texts.flatMap((text, i) => [i ? ", " : "", link(text, () => action(text))]);

// Inside a shared studio the link carried a token, which this tab keeps.
const rights = () => {
  try {
    const token = sessionStorage.getItem("binyan-token");
    return token ? { Authorization: `Bearer ${token}` } : {};
  } catch {
    return {};
  }
};

export async function ask(path, question) {
  const options = question === undefined ? { headers: rights() } : { method: "POST", headers: { "Content-Type": "application/json", ...rights() }, body: JSON.stringify(question) };
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

class Outdated extends Error {}
const newest = {};

// The answer for a place of the page. Where a newer question for the same place was asked meanwhile, the action ends here.
export async function forPlace(place, asked) {
  const mine = (newest[place] = {});
  const answer = await asked.catch((error) => error);
  if (newest[place] !== mine) throw new Outdated();
  if (answer instanceof Error) throw answer;
  return answer;
}

// Runs an action; what goes wrong is shown until the next action begins. Several may run at once.
export async function attempt(action) {
  document.body.setAttribute("aria-busy", "true");
  $("message").textContent = "";
  try {
    await action();
  } catch (error) {
    if (!(error instanceof Outdated)) $("message").textContent = error.message;
  } finally {
    document.body.removeAttribute("aria-busy");
  }
}

export function onSubmit(id, action) {
  $(id).addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(action);
  });
}

// Columns are { title, cell, number, sort }; a column with `sort` has a button in its head.
export function table(columns, rows, sorted, onSort) {
  const heads = columns.map((c) => {
    const title = c.sort ? node("button", { type: "button", class: "sort", onclick: () => onSort(c.sort) }, c.title) : c.title;
    const order = c.sort && sorted === c.sort ? (c.number ? "descending" : "ascending") : null;
    return node("th", { scope: "col", class: c.number && "number", "aria-sort": order }, title);
  });
  const body = rows.map((row) => node("tr", {}, ...columns.map((c) => node("td", { class: c.number && "number" }, c.cell(row)))));
  return node("div", { class: "scroll", tabindex: "0" }, node("table", {}, node("thead", {}, node("tr", {}, ...heads)), node("tbody", {}, ...body)));
}

export function fill(select, names) {
  select.replaceChildren(...names.map((name) => node("option", {}, name)));
  select.hidden = names.length < 2;
}

// The server's drawing, parsed as an image and cleaned of anything that could run or fetch.
export function drawing(svg) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  if (parsed.nodeName !== "svg") return null;
  parsed.querySelectorAll("script, foreignObject, a, image, use").forEach((bad) => bad.remove());
  parsed.querySelectorAll("*").forEach((e) => [...e.attributes].forEach((a) => a.name.startsWith("on") && e.removeAttribute(a.name)));
  return document.importNode(parsed, true);
}
