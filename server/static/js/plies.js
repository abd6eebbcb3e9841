// One move of the game: its pictures, how sure the referee was, and what else it could have been. Two taps correct it.

import { notation, sideName, written } from "./words.js";
import { post } from "./post.js";
import { because, say } from "./say.js";
import { tag } from "./svg.js";

const WHEN = { before: say("Before the move"), after: say("After the move") };
const at = (id) => document.getElementById(`one-ply${id}`);
const dialog = at("");
let ply = 0;
let played = 0;
let lawful = [];

export function install(current) {
  document.getElementById("moves").addEventListener("click", (event) => {
    const cell = event.target.closest("[data-ply]");
    if (cell && current()) open(Number(cell.dataset.ply), current());
  });
  at("-choices").addEventListener("click", (event) => {
    const chosen = event.target.closest("button")?.dataset.notation;
    if (chosen) send("correct", { ply, notation: chosen });
  });
  at("-text").addEventListener("input", list);
  at("-back").addEventListener("click", () => send("undo", { plies: played - ply + 1 }));
  at("-cancel").addEventListener("click", () => dialog.close());
  at("-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = at("-text").value.trim();
    if (text) send("correct", { ply, notation: text.toUpperCase().replaceAll("X", "x") });
  });
}

async function open(number, now) {
  const move = now.moves[number - 1];
  if (!move) return;
  [ply, played, lawful] = [number, now.ply, []];
  at("-title").textContent = `${number}. ${sideName(move.side)}: ${notation(move.notation)}`;
  const sure = move.confidence === null ? "" : say("{percent} % sure", { percent: (100 * move.confidence).toFixed(1) });
  at("-told").textContent = [sure, move.t === null ? "" : say("after {seconds} s", { seconds: Math.round(move.t) })].filter(Boolean).join(" · ");
  at("-text").value = "";
  at("-fault").textContent = "";
  at("-pictures").replaceChildren();
  list();
  dialog.showModal();
  const [asked, kept] = await Promise.all([ask(`lawful?ply=${number}`), ask(`evidence/${now.name}/${number}`)]);
  if (ply !== number) return;
  const near = (other) => 2 * (other.from === move.from) + (other.to === move.to);
  lawful = (asked?.moves ?? []).filter((other) => other.notation !== move.notation);
  lawful.sort((one, other) => near(other) - near(one) || one.notation.localeCompare(other.notation));
  list();
  if (kept?.reason) at("-told").append(tag("span", { class: "because" }, because(kept.reason)));
  at("-pictures").replaceChildren(...Object.entries(kept?.pictures ?? {}).map(picture));
}

async function ask(what) {
  const response = await fetch(`/api/v1/${what}`).catch(() => null);
  return response?.ok ? response.json() : null;
}

function picture([side, address]) {
  return tag("figure", {}, tag("img", { src: address, alt: WHEN[side] }), tag("figcaption", {}, WHEN[side]));
}

function list() {
  const text = at("-text").value.trim().toUpperCase();
  const fitting = lawful.filter((move) => move.notation.toUpperCase().includes(text));
  at("-choices").replaceChildren(...fitting.map((move) =>
    tag("li", {}, tag("button", { type: "button", "data-notation": move.notation }, ...written(move.notation)))));
}

async function send(name, body) {
  const problem = await post(name, body);
  at("-fault").textContent = problem;
  if (!problem) dialog.close();
}
