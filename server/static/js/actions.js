// What players and arbiter may ask for. Each is asked once more before it is sent, except an answer to a question; what is
// asked keeps up with the board: a question that has lost its sense closes, and says why.

import { ASKED } from "./asked.js";
import { flagFell } from "./clocks.js";
import { close, followClosed, holdButtons, isHeld, lookAgain, shut } from "./closing.js";
import { say } from "./say.js";
import { tag } from "./svg.js";
import { answered, overtaken, seen, wish } from "./wishes.js";

const dialog = document.getElementById("ask");
const form = dialog?.querySelector("form");
const fault = document.getElementById("ask-fault");
let opened = null; // the question that is open: its name, what it was decided on, what it asks
let sending = false;

export function install(current) {
  document.addEventListener("click", (event) => {
    const choice = event.target.closest("[data-correct]");
    if (choice) wish("correct", { ply: Number(choice.dataset.ply), notation: choice.dataset.correct }, seen(current()));
    const settled = event.target.closest("[data-settle]");
    if (settled && current()?.put_away) open("settle", current, settled.dataset.settle);
    const resigned = event.target.closest("[data-resign]");
    if (resigned) wish("resign", { side: resigned.dataset.resign }, seen(current()));
    const name = event.target.closest("[data-ask]")?.dataset.ask;
    if (!name || !current()) return;
    if (ASKED[name]) open(name, current);
    else wish(name, {}, seen(current())); // harmless and undone by one tap: pause and resume
  });
  document.getElementById("no-names")?.addEventListener("click", () => {
    sessionStorage.setItem("unnamed", current()?.name ?? "");
    document.getElementById("who-plays").hidden = true;
  });
  document.getElementById("ask-cancel").addEventListener("click", () => dialog.close());
  // Of a double click the second would answer what nobody has read yet.
  document.getElementById("ask-do").addEventListener("click", (event) => opened.confirmed && event.detail > 1 && event.preventDefault());
  const edited = () => (opened.confirmed ? confirms(opened, "", "", deed(opened)) : label(opened));
  for (const kind of ["input", "change"]) form.addEventListener(kind, edited); // a choice is told as either
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isHeld()) return;
    const mine = opened;
    sending = true;
    const typed = new FormData(form);
    if (await asksFirst(mine, typed)) return void (sending = false);
    const problem = await mine.send(typed);
    sending = false;
    if (problem) told(mine, problem);
    else if (opened === mine && !mine.refused) dialog.close(); // the refusal may be here before the answer
  });
}

// What has to be known before is said once, with a button that names it; whatever is typed then is asked about anew.
async function asksFirst(mine, typed) {
  const body = mine.asked.warns && mine.asked.body(typed);
  const warning = body && mine.confirmed !== JSON.stringify(body) ? await mine.asked.warns(body) : null;
  if (warning && opened === mine) confirms(mine, JSON.stringify(body), warning.text, warning.done);
  return Boolean(warning);
}

// What the button says: of some questions it names what was chosen.
const deed = ({ asked: { done } }) => (typeof done === "function" ? done(new FormData(form)) : done);
const label = (question) => (document.getElementById("ask-do").textContent = deed(question));

function confirms(mine, body, text, done) {
  mine.confirmed = body;
  fault.textContent = text;
  document.getElementById("ask-do").textContent = done;
}

// What was wrong with a wish, beside it; `held` was said by the question itself, all else may have to be looked at anew.
function told({ asked }, problem) {
  fault.textContent = problem;
  if (asked.denied && !asked.held()) asked.denied();
}

// Shows of the buttons those that the referee would not refuse now.
export function offer(now) {
  const unnamed = !now.moves.length && !Object.keys(now.details ?? {}).length && now.phase !== "over";
  for (const line of document.querySelectorAll("#who-plays")) line.hidden = !unnamed || sessionStorage.getItem("unnamed") === now.name;
  const nothing = !now.moves.length && !now.outcome?.said && !now.left; // to take back
  const lists = (text) => text.split(" ").includes(now.phase);
  for (const button of document.querySelectorAll("[data-moves]")) button.disabled = nothing;
  for (const button of document.querySelectorAll("[data-unless], [data-only], [data-hide]")) {
    const { unless = "", only, hide = "" } = button.dataset;
    const timed = "clocks" in button.dataset;
    button.disabled = lists(unless) || ("moves" in button.dataset && nothing) || (timed && now.phase === "over" && !flagFell(now));
    const helps = !("training" in button.dataset) || now.mode === "training";
    button.hidden = lists(hide) || !helps || (only !== undefined && !lists(only)) || (timed && !now.clocks);
  }
  keepUp(now);
  followClosed(now);
}

function open(name, current, choice) {
  const now = current();
  const asked = ASKED[name](now, choice);
  const mine = { name, choice, now, asked, current, refused: false };
  document.getElementById("ask-title").textContent = asked.title;
  document.getElementById("ask-text").textContent = asked.text;
  document.getElementById("ask-fields").replaceChildren(...asked.fields);
  label(mine);
  fault.textContent = "";
  // What is refused is said beside what was typed, which is still there; what came too late is asked anew, if it can be.
  const refused = (text, late) => {
    if (dialog.open && opened !== mine) return;
    if (late && (asked.names === "ply" || !(asked.stays || offered(mine)))) return dialog.close(); // it is said above the board
    mine.refused = true;
    const chosen = !late || anew(mine);
    if (!dialog.open) dialog.showModal();
    fault.textContent = chosen ? text : chooseAgain(text);
  };
  const [act, body] = asked.send ?? [name, asked.body];
  mine.send = asked.sent ?? ((typed) => asked.held?.() || ((mine.refused = false), wish(act, body(typed), seen(now), refused)));
  opened = mine;
  if (!dialog.open) dialog.showModal();
}

// The same question about what is now, with what was typed and chosen; what nobody has chosen yet (`data-preset`) is set anew. What was chosen stays only where it is still the same
// thing; where it is not, nothing is chosen, and the answer is false: what was typed for one ply is never meant for another.
function anew({ name: kind, choice, current }) {
  const given = [...form.elements].filter((one) => one.name && !("preset" in one.dataset)).map((one) => ({ key: one.name, value: one.value, of: one.selectedOptions?.[0]?.dataset.of, typed: one.value !== one.defaultValue }));
  const focused = form.contains(document.activeElement) && document.activeElement.name;
  open(kind, current, choice);
  let whole = true;
  for (const { key, value, of, typed } of given) {
    const one = form.elements[key];
    if (!one) continue; // what is asked now has no such field
    if (one.tagName === "SELECT") whole = choose(one, value, of) && whole;
    else if (typed) one.value = value;
  }
  if (focused) form.elements[focused]?.focus();
  label(opened);
  holdButtons(document.getElementById("ask-do"));
  return whole;
}

// Chooses what was chosen before, if it is still there; whether it is.
function choose(list, value, of) {
  const same = [...list.options].find((option) => option.value === value && option.dataset.of === of);
  if (!same) list.prepend(tag("option", { value: "", selected: "" }, say("choose")));
  list.required = !same;
  (same ?? list.options[0]).selected = true;
  list.dispatchEvent(new Event("change")); // what beside it depends on what is chosen
  return Boolean(same);
}

const chooseAgain = (why) => say("{why} Choose again.", { why });
const buttons = ({ name }) => document.querySelectorAll(name === "settle" ? "[data-settle]" : `[data-ask=${name}]`);
const offered = (question) => [...buttons(question)].some((button) => !button.disabled && !button.closest("[hidden]"));

// The open question beside what has happened since it was opened.
function keepUp(now) {
  if (!dialog?.open || sending) return;
  const { asked, now: then } = opened;
  const done = asked.met?.(now);
  if (done) return meet(opened, done);
  const since = overtaken(then, now);
  if (asked.names === "game" && now.name === then.name) return;
  if (asked.names === "game" && !asked.stays) return shut(dialog, asked.title, since);
  if (!asked.stays && (!offered(opened) || (asked.names === "ply" && since))) return shut(dialog, asked.title, since || answered());
  if (!since && !(asked.reads && now.state !== then.state)) return;
  const chosen = anew(opened);
  if (since) fault.textContent = chosen ? lookAgain() : chooseAgain(since);
}

// What it asks for was done at the board meanwhile: nobody came too late. What is still to be sent for that is sent.
async function meet(mine, { told: all, rest }) {
  sending = true;
  const problem = (await rest?.()) ?? "";
  sending = false;
  if (opened === mine && dialog.open) close(dialog, problem || all);
}
