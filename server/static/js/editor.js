// A position set by hand: a piece is chosen and tapped onto cells; the game goes on from there.

import * as board from "./board.js";
import { holdButtons, isHeld, lookAgain } from "./closing.js";
import { readJson } from "./read.js";
import { overtaken, seen, wish } from "./wishes.js";
import { offerSides } from "./words.js";

const at = (id) => document.getElementById(id);
const palette = at("palette");
let position = null;
let chosen = "";
let then = null; // the game as it was when this was decided

export function install(current) {
  at("edit").addEventListener("click", () => open(current()));
  at("edit-cancel").addEventListener("click", () => close(current));
  at("edit-done").addEventListener("click", async () => {
    if (isHeld()) return;
    const asked = { position: { ...position, to_move: at("edit-side").value } };
    const problem = await wish("position", asked, seen(then), (text) => (at("edit-fault").textContent = text));
    at("edit-fault").textContent = problem;
    if (!problem) close(current);
  });
  palette.addEventListener("click", (event) => choose(event.target.closest("[data-code]")?.dataset.code ?? chosen));
  at("board").addEventListener("click", (event) => put(event, current), { capture: true });
}

// While a position is being set the board shows that one.
export function draw(now) {
  if (!position) return;
  if (overtaken(then, now)) {
    [then, at("edit-fault").textContent] = [now, lookAgain()];
    holdButtons(at("edit-done"));
  }
  board.draw({ ...now, cells: position.cells, leds: {}, hints: {}, note: null, phase: "playing", last: null, ply: -1 });
}

async function open(now) {
  then = now;
  const lawful = await readJson("lawful");
  if (!lawful) return;
  position = lawful.position;
  at("edit-side").value = position.to_move;
  offerSides(at("edit-side"), position.cells);
  at("edit-fault").textContent = "";
  show(true);
  choose(palette.firstElementChild.dataset.code);
}

function close(current) {
  position = null;
  show(false);
  board.draw(current());
}

function show(shown) {
  at("editor").hidden = !shown;
  document.body.classList.toggle("editing", shown);
}

function choose(code) {
  chosen = code;
  for (const button of palette.children) button.setAttribute("aria-checked", String(button.dataset.code === code));
}

function put(event, current) {
  const name = event.target.closest?.("[data-cell]")?.dataset.cell;
  if (!position || !name) return;
  event.stopPropagation();
  if (!chosen || position.cells[name] === chosen) delete position.cells[name];
  else position.cells[name] = chosen;
  offerSides(at("edit-side"), position.cells);
  draw(current());
}
