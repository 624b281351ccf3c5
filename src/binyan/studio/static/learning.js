// Learning: runs with their progress, agreement in plain words, what corrections changed, accuracy on words held back.
import { $, attempt, node, table, whole, word } from "./page.js";
import { act, ask, button, heading, parts, round, state, writing } from "./studio.js";
import { read } from "./segments.js";
import { t } from "./texts.js";

const MORE = 100;
let asked = "";

const grammarName = (plan) => (plan.grammar === "auto" ? t("automatic") : plan.grammar === "own" ? t("ownName") : plan.grammar);

function agreement(figures) {
  if (figures.agreement == null) return null;
  const now = t("agree", { now: round(figures.agreement) });
  const then = !figures.still ? t("agreeRising", { half: round(figures.half_time) }) : figures.agreement >= 0.9 ? t("agreeStill") : t("agreeLow");
  return node("p", {}, `${now}; ${then}`);
}

function stage(progress) {
  if (!progress.stage) return "";
  return t("stage_" + progress.stage, { done: progress.done ?? 0, total: progress.total ?? "?" });
}

function oneRun(run, again) {
  const { progress, result } = run;
  const running = run.state === "running";
  const figures = [
    result.first_seconds != null ? t("firstAfter", { n: result.first_seconds }) : null,
    result.known ? t("evidenceOf", { n: whole(result.known) }) : null,
    result.continues ? t("continues", { run: result.continues, kept: round(result.kept_trees) }) : null,
  ].filter(Boolean).join("; ");
  const buttons = [];
  const does = (name, question) => () => attempt(async () => { await act(name, { run: run.id, ...question }); await again(); });
  if (["queued", "running"].includes(run.state)) buttons.push(button(t("stop"), does("stop"), writing()));
  else if (run.state === "stopped" && run.kind === "learn") buttons.push(button(t("goOn"), does("go-on", { sweeps: 0 }), writing()));
  else if (run.state === "done" && run.kind === "learn") buttons.push(button(t("moreSweeps", { n: MORE }), does("go-on", { sweeps: MORE }), writing()));
  const left = result.left_out?.length ? node("details", {}, node("summary", {}, t("leftOut")), node("ul", {}, ...result.left_out.map((text) => node("li", {}, text)))) : null;
  return node("article", { class: "run", id: `run-${run.id}`, "data-state": run.state },
    node("h3", {}, `${t("run", { n: run.id })}: ${t("kind_" + run.kind)}`, node("span", { class: `state state-${run.state}` }, t("state_" + run.state)), node("span", { class: "soft" }, run.kind === "learn" ? grammarName(run.settings) : "")),
    running ? node("p", {}, stage(progress), node("progress", { max: progress.total ?? 1, value: progress.done ?? 0, "aria-label": stage(progress) })) : null,
    agreement(running ? progress : result), figures ? node("p", { class: "hint" }, figures) : null,
    run.error ? node("p", { class: "state-failed" }, run.error) : null, left, node("div", { class: "actions" }, ...buttons));
}

function form(again) {
  const before = state.news.runs.find((r) => r.kind === "learn");
  const plan = state.plan ?? (before ? null : { grammar: "auto" });
  const name = plan ? grammarName(plan) : grammarName(before.settings);
  const sweeps = node("input", { id: "sweeps", type: "number", min: 10, max: 20000, value: before?.settings.sweeps ?? 200 });
  const chains = node("input", { id: "chains", type: "number", min: 1, max: 8, value: before?.settings.chains ?? 2 });
  const start = () => attempt(async () => {
    const question = { sweeps: Number(sweeps.value), chains: Number(chains.value), ...(plan ?? { again: true }) };
    await act("learn", question);
    state.plan = null;
    await again();
  });
  const grammar = t("withGrammar", { name });
  return [
    node("p", {}, grammar), node("div", { class: "row" }, node("label", {}, t("sweeps"), " ", sweeps), node("label", {}, t("chains"), " ", chains),
      button(plan ? t("learn") : t("learnAgain"), start, { id: "learn", class: "main", ...writing() })),
    node("p", { class: "hint" }, t("closeHint")),
  ];
}

function plot(history) {
  const width = 480, height = 160, left = 36, bottom = 24;
  const x = (i) => left + (history.length < 2 ? 0 : (i * (width - left - 12)) / (history.length - 1));
  const y = (share) => (height - bottom) * (1 - share) + 6;
  const svg = (tag, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
    if (text != null) made.textContent = text;
    return made;
  };
  const made = svg("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("accuracyTitle") });
  for (const share of [0, 0.5, 1]) made.append(svg("line", { x1: left, x2: width, y1: y(share), y2: y(share) }), svg("text", { x: 0, y: y(share) + 4 }, `${100 * share}%`));
  made.append(svg("path", { d: history.map((h, i) => `${i ? "L" : "M"}${x(i)},${y(h.f1)}`).join("") }));
  history.forEach((h, i) => made.append(svg("circle", { cx: x(i), cy: y(h.f1), r: 4 }), svg("text", { x: x(i) - 4, y: height - 4 }, h.run)));
  return made;
}

async function quality() {
  const { history, now } = await ask("quality");
  if (!now.words) return [heading(t("accuracyTitle")), node("p", { class: "hint" }, t("noAccuracy"))];
  const roots = now.roots == null ? "" : ` ${t("rootsRight", { roots: round(now.roots) })}.`;
  return [heading(t("accuracyTitle")), node("p", {}, t("accuracyHint", { words: whole(now.words), f1: round(now.f1), whole: round(now.whole) }), roots), history.length > 1 ? plot(history) : ""];
}

async function changes() {
  const seen = await ask("changed");
  if (seen.before == null) return [heading(t("changedTitle")), node("p", { class: "hint" }, t("noChange"))];
  const analysis = (text) => (text ? parts(read(text), state.project.direction) : "–");
  const columns = [
    { title: t("words"), cell: (r) => word(r.text) }, { title: t("was"), cell: (r) => analysis(r.old) }, { title: t("is"), cell: (r) => analysis(r.new) },
  ];
  return [heading(t("changedTitle")), node("p", { id: "changed" }, t("changedWords", { changed: whole(seen.changed), compared: whole(seen.compared) })),
    seen.words.length ? table(columns, seen.words.slice(0, 30)) : ""];
}

function drawRuns(place, again) {
  const box = place.querySelector("#runs");
  if (box) box.replaceChildren(...state.news.runs.map((run) => oneRun(run, again)));
}

export async function show(place, go) {
  if (!state.project.words) {
    place.replaceChildren(node("p", {}, t("noWords")));
    return;
  }
  const { runs, current } = await ask("runs");
  state.news = { ...state.news, runs, current };
  const again = () => show(place, go);
  const below = node("div", { id: "below" });
  place.replaceChildren(...form(again), node("div", { id: "runs", "aria-live": "off" }), below);
  drawRuns(place, again);
  asked = finished();
  if (state.project.run || current) below.replaceChildren(button(t("toReview"), () => go("review"), { id: "to-review", class: "main" }), ...(await quality()), ...(await changes()));
}

const finished = () => JSON.stringify(state.news.runs.map((r) => [r.id, r.state, r.answers]));

export function news(place, go) {
  const again = () => attempt(() => show(place, go));
  if (finished() !== asked) again();
  else drawRuns(place, again);
}
