// The arbiters' queue: what waits, who sees to it, and what is decided. Who was second is shown the list anew.

import { missed } from "./listen.js";
import { ask } from "./post.js";
import { address } from "./root.js";
import { arbiterName, NAMELESS, order, ORDERS, showOrders } from "./hall_orders.js";
import { HELP } from "./hall_words.js";
import { apart, say } from "./say.js";
import { tag } from "./svg.js";

// The boards of which no result is taken until somebody has decided -> for what, also where it does not show any more.
export const held = new Map();

const list = document.getElementById("matters");
const who = arbiterName(() => follow());
let shown = "";

const NOT_YOURS = say("This matter is not yours any more: look at the list again.");
const FAULTS = { // what was asked for -> code of the answer -> what that means
  claim: { 409: say("Another arbiter was first: look at the list again."), 422: NAMELESS },
  rule: { 409: NOT_YOURS, 422: say("Say who you are, and what was decided.") },
  release: { 409: NOT_YOURS, 422: NAMELESS },
  left: { 409: NOT_YOURS, 422: NAMELESS },
};

function fault(what, { problem, code }) {
  document.getElementById("matters-fault").textContent = problem ? FAULTS[what][code] ?? problem : "";
}

async function send(matter, what, more = {}) {
  const answer = await ask(`hall/matters/${matter.id}/${what}`, { version: matter.version, who: who.value, ...more });
  fault(what, answer);
  document.getElementById("matters-note").textContent = answer.counts ? settled(answer) : "";
  shown = "";
  await follow();
}

// What a decision on a result has made of it.
function settled({ round, table, counts, counted }) {
  const where = `${say("Round {number}", { number: round })}, ${say("Table")} ${table}: `;
  if (counts === counted) return where + say("{result} stays, and so do the standings.", { result: counts });
  return where + say("{result} counts now instead of {counted}. The standings have changed; rounds that are paired stay as they are.", { result: counts, counted });
}

function button(text, action) {
  const made = tag("button", { type: "button" }, text);
  made.addEventListener("click", action);
  return made;
}

const HERE = new Set(["offline", "silent", "twins", "missing", "cannot-see", "doubt", "refused", "flag"]); // gone with their board
const MISTAKEN = say("Every piece stands on the board exactly as the page shows it, and only the camera sees it differently. From now on what it sees counts as this position.");
const PICTURES = { before: say("Before the last move"), after: say("After it"), now: say("Now") };

async function sendOrder(matter, what) {
  document.getElementById("matters-fault").textContent = await order(matter.board, what, who.value, matter.on);
  await follow();
}

// What the board's camera saw; a picture that the board does not have is left out.
function pictures({ board, version }) {
  const figures = Object.entries(PICTURES).map(([which, text]) => {
    const image = tag("img", { src: address(`/api/v1/hall/boards/${board}/pictures/${which}.jpg?v=${version}`), alt: text });
    const figure = tag("figure", {}, image, tag("figcaption", {}, text));
    image.addEventListener("error", () => figure.remove());
    return figure;
  });
  return tag("div", { class: "evidence" }, ...figures);
}

// Since when, in words that need no translation: 0:42, 12:07, 3:05:11.
function age(seconds) {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  return (parts[0] ? parts : parts.slice(1)).map((part, at) => (at ? `${part}`.padStart(2, "0") : part)).join(":");
}

// How far a clock is off, as people say it: +200 days, -45 seconds.
const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
function skewed(seconds) {
  const [unit, length] = UNITS.find(([, one]) => Math.abs(seconds) >= 2 * one) ?? UNITS.at(-1);
  const written = { style: "unit", unit, unitDisplay: "long", signDisplay: "exceptZero", maximumFractionDigits: 0 };
  return new Intl.NumberFormat(document.documentElement.lang || undefined, written).format(seconds / length);
}

// What stands between a decision and its board.
const onTheWay = ({ online, sent }) => (!online ? say("the board is not connected") : sent ? say("sent, not in its record yet") : say("not sent yet"));

// What decides a matter, with the words in `ruling`. Between two results each has a button: the tournament follows it.
function deciding(matter, ruling) {
  const { says, counts } = matter.changed ?? {};
  if (!counts) {
    const decide = () => send(matter, "rule", { ruling: ruling.value });
    ruling.addEventListener("keydown", ({ key }) => key === "Enter" && decide());
    return [button(say("Decide"), decide)];
  }
  const choice = (result, words) => {
    const told = () => (ruling.value.trim() ? `${words}: ${ruling.value}` : words);
    return button(words, () => send(matter, "rule", { ruling: told(), result, was: counts, says }));
  };
  const kept = choice(counts, say("{result} stays", { result: counts }));
  return says ? [choice(says, say("{result} counts, as the board says", { result: says })), kept] : [kept];
}

function row(matter, said) {
  const link = tag("a", { href: address(`/hall/${matter.board}`) }, matter.board);
  const skew = matter.kind === "clock" ? ` (${skewed(matter.skew)})` : "";
  const item = tag("li", { "data-matter": matter.id, class: matter.state }, link, ` ${said[matter.kind] ?? matter.kind}${skew} `);
  item.append(tag("time", { title: say("waiting since") }, age(matter.age)));
  const sentence = matter.note?.split(": ").slice(1).join(": "); // of `illegal: A piece that can jump must.`
  const { says, counts, round, table, tournament, title } = matter.changed ?? matter.concerns ?? {};
  const differs = matter.kind === "contradicted"
    ? say("the board says {result}; the arbiter had said {counts}", { result: says, counts })
    : say("the board says {result} now; the next round was paired with {counts}", { result: says || "–", counts });
  const seats = round && `${say("Round {number}", { number: round })}, ${say("Table")} ${table}`;
  const where = counts ? `${seats}: ${differs}` : seats && `${apart(title)}, ${seats}`;
  const about = [matter.players.map(apart).join(" – "), matter.games.map(apart).join(" – "), sentence, where].filter(Boolean).join(" · ");
  if (about) item.append(tag("small", {}, ` ${about} `));
  if (tournament) item.append(tag("a", { href: address(`/tournaments/${tournament}?round=${round}`) }, say("Page of the tournament")), " ");
  if (matter.refused) item.append(tag("strong", { class: "fault" }, ` ${say("The board does not take the decision: {why}", { why: matter.refused })} `));
  if (matter.state === "ruled") {
    item.append(tag("span", {}, ` ${apart(matter.owner)}: ${apart(matter.ruling)} – `), tag("strong", {}, onTheWay(matter)));
    return item;
  }
  const mine = matter.state === "claimed" && !matter.free && matter.owner === (me ?? who.value);
  if (matter.state === "open" || matter.free) item.append(button(say("I see to it"), () => send(matter, "claim")));
  else if (!mine) item.append(tag("em", {}, say("{who} sees to it", { who: matter.owner })));
  else {
    const ruling = tag("input", { maxlength: 500, dir: "auto", "aria-label": say("Decision") });
    item.append(` – ${apart(matter.owner)} `, ruling, ...deciding(matter, ruling), button(say("Leave it to others"), () => send(matter, "release")));
    if (!matter.online && HERE.has(matter.kind)) item.append(button(say("This board has left the hall"), () => send(matter, "left")));
    const orders = Object.entries(ORDERS).map(([what, text]) => button(text, () => sendOrder(matter, what)));
    orders[0].title = MISTAKEN;
    const help = HELP[matter.kind];
    if (matter.on && matter.on.game !== matter.game) { // the board shows the next game: nothing of it bears on this one
      if (help) item.append(tag("p", { class: "hint" }, help));
    } else item.append(pictures(matter), help ? tag("p", { class: "hint" }, help) : tag("p", { class: "orders" }, ...orders));
  }
  return item;
}

// What is being written in the list, so that it outlives a new drawing: matter -> its text, and whether the cursor is there.
function writing() {
  const fields = [...list.querySelectorAll("li input")];
  return fields.map((field) => [field.closest("li").dataset.matter, { text: field.value, here: field === document.activeElement }]);
}

let known = null; // the matters that were told aloud

// Who looks elsewhere is told of what is new, by the page's alarm: screen readers say it, and with sound on it beeps. A line
// goes, without a sound, when its matter does.
function alarm(matters, said) {
  const fresh = matters.filter(({ id, state }) => state === "open" && known && !known.has(id));
  known = new Set(matters.map(({ id }) => id));
  const lines = fresh.map(({ id, board, kind }) => tag("span", { "data-of": id }, `${board}: ${said[kind] ?? kind}`));
  const told = document.getElementById("alarm");
  if (lines.length) told.replaceChildren(...lines);
  for (const line of [...told.children]) if (!known.has(Number(line.dataset.of))) line.remove();
  document.title = document.title.replace(/^(\(\d+\) )?/, matters.length ? `(${matters.length}) ` : "");
}

let texts = {};
let me = null; // the account that is logged in

// Ask for the queue, and draw it if anything in it is new: somebody may be writing in it. How many wait.
export async function follow(said = texts) {
  texts = said;
  const answer = await missed(address("/api/v1/hall/matters")).catch(() => null);
  if (!answer?.ok) return list.querySelectorAll("li:not(.ruled)").length;
  const { matters, orders, me: name } = await answer.json();
  me = name;
  showOrders(orders);
  const waiting = matters.filter(({ state }) => state !== "ruled");
  held.clear();
  for (const { board, kind, holds_results: holds } of waiting) if (holds) held.set(board, [...(held.get(board) ?? []), kind]);
  document.getElementById("queue").hidden = !matters.length && !orders.length;
  const now = JSON.stringify([matters.map(({ age: _, ...matter }) => matter), who.value]);
  if (now === shown) {
    for (const matter of matters) list.querySelector(`[data-matter="${matter.id}"] time`).textContent = age(matter.age);
    return waiting.length;
  }
  shown = now;
  const written = writing();
  list.replaceChildren(...matters.map((matter) => row(matter, said)));
  for (const [id, { text, here }] of written) {
    const field = list.querySelector(`[data-matter="${id}"] input`);
    if (field) field.value = text;
    if (field && here) field.focus();
  }
  alarm(waiting, said);
  return waiting.length;
}
