// One move of the game: its pictures, how sure the referee was, and what else it could have been. Two taps correct it.

import { holdButtons, isHeld, lookAgain, shut } from "./closing.js";
import { losses } from "./losses.js";
import { told } from "./moves.js";
import { readJson } from "./read.js";
import { sideName, written } from "./words.js";
import { because, decimal, rule, say } from "./say.js";
import { tag } from "./svg.js";
import { overtaken, seen, wish } from "./wishes.js";

const FEW = 12; // moves that are shown at once; more are grouped by their piece
const WHEN = { before: say("Before the move"), after: say("After the move") };
const at = (id) => document.getElementById(`one-ply${id}`);
const dialog = at("");
let ply = 0;
let then = null; // the game as it was when this was decided
let sending = false;
let refusedWith = "";
let confirmed = ""; // what is sent although other moves are lost
let lawful = [];
let from = "";

export function install(current) {
  document.getElementById("moves").addEventListener("click", (event) => {
    const cell = event.target.closest("[data-ply]");
    if (cell && current()) open(Number(cell.dataset.ply), current());
  });
  at("-choices").addEventListener("click", (event) => {
    const { notation, from: piece } = event.target.closest("button")?.dataset ?? {};
    if (notation) send("correct", { ply, notation });
    if (!piece) return;
    from = piece;
    list();
  });
  at("-text").addEventListener("input", () => {
    if (confirmed) confirm("", "", say("Correct"));
    list();
  });
  at("-back").addEventListener("click", () => send("undo", { plies: then.ply - ply + 1 }));
  at("-do").addEventListener("click", (event) => confirmed && event.detail > 1 && event.preventDefault()); // a double click has read nothing
  at("-cancel").addEventListener("click", () => dialog.close());
  at("-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = at("-text").value.trim();
    if (text) send("correct", { ply, notation: text });
  });
}

async function open(number, now) {
  const move = now.moves[number - 1];
  if (!move) return;
  [ply, then, lawful, from] = [number, now, [], move.from];
  const { number: round, took } = told(now.moves, move);
  at("-title").textContent = `${round}. ${sideName(move.side)}: ${move.notation}`;
  const sure = move.confidence === null ? "" : say("{percent} % sure", { percent: decimal(100 * move.confidence, 1) });
  const stood = move.as_played ? `${say("let stand")}: ${rule(move.as_played)}` : "";
  at("-told").textContent = [sure, took === null ? "" : say("took {seconds} s", { seconds: took }), stood].filter(Boolean).join(" · ");
  [at("-text").value, at("-text").placeholder] = ["", ""];
  confirm("", "", say("Correct"));
  at("-pictures").replaceChildren();
  list();
  dialog.showModal();
  const [asked, kept] = await Promise.all([readJson(`lawful?ply=${number}`), readJson(`evidence/${now.name}/${number}`)]);
  if (ply !== number) return;
  const near = (other) => 2 * (other.from === move.from) + (other.to === move.to);
  lawful = (asked?.moves ?? []).filter((other) => other.notation !== move.notation);
  lawful.sort((one, other) => near(other) - near(one) || one.notation.localeCompare(other.notation));
  at("-text").placeholder = lawful[0]?.notation ?? "";
  list();
  if (kept?.reason) at("-told").append(tag("span", { class: "because" }, because(kept.reason)));
  at("-pictures").replaceChildren(...Object.entries(kept?.pictures ?? {}).map(picture));
}

function picture([side, address]) {
  return tag("figure", {}, tag("img", { src: address, alt: WHEN[side] }), tag("figcaption", {}, WHEN[side]));
}

function list() {
  const text = at("-text").value.trim().toUpperCase();
  const fitting = lawful.filter((move) => move.notation.toUpperCase().includes(text));
  const one = (move) => tag("li", {}, tag("button", { type: "button", "data-notation": move.notation }, ...written(move.notation)));
  const pieces = new Map(); // cell -> its moves; Map.groupBy is younger than many browsers
  for (const move of fitting) if (move.from !== from) pieces.set(move.from, [...(pieces.get(move.from) ?? []), move]);
  if (fitting.length <= FEW) return at("-choices").replaceChildren(...fitting.map(one));
  const group = ([cell, moves]) => tag("li", {}, tag("button", { type: "button", class: "from", "data-from": cell }, `${cell} … `, tag("small", {}, `${moves.length}`)));
  at("-choices").replaceChildren(...fitting.filter((move) => move.from === from).map(one), ...[...pieces].map(group));
}

// Who takes back to here, or corrects, knows what was played meanwhile; a move that is none any more is closed.
export function keepUp(now) {
  if (!dialog.open || sending) return;
  const since = overtaken(then, now);
  if (!since) return;
  const upTo = ({ name, moves }) => [name, ...moves.slice(0, ply).map(({ notation }) => notation)].join(" ");
  const same = now.moves[ply - 1] && upTo(now) === upTo(then);
  if (!same) return shut(dialog, at("-title").textContent, since);
  then = now;
  confirm("", lookAgain(), say("Correct"));
  holdButtons(at("-do"), at("-back"));
}

function confirm(notation, text, done) {
  confirmed = notation;
  at("-fault").textContent = text;
  at("-do").textContent = done;
}

async function send(name, body) {
  if (isHeld()) return;
  [sending, refusedWith] = [true, ""];
  const lost = name === "correct" && body.notation !== confirmed ? await losses(body) : null;
  if (lost) {
    sending = false;
    at("-text").value = body.notation;
    list();
    return confirm(body.notation, lost.text, lost.done);
  }
  const problem = await wish(name, body, seen(then), refused);
  sending = false;
  at("-fault").textContent = problem || refusedWith;
  if (!problem && !refusedWith) dialog.close();
}

// What is refused is said beside what was typed, which is still there; what came too late is said above the board.
function refused(text, late) {
  refusedWith = text;
  if (late) return dialog.close();
  at("-fault").textContent = text;
  if (!dialog.open) dialog.showModal();
}
