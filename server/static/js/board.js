// The board: pieces, lights and marks, drawn anew from each snapshot; cells can be asked with mouse, finger or keys.

import { say } from "./say.js";
import { capital, drawingOf, initialOf, letterOf, pieceName, seats, sideOf } from "./words.js";
import { seen, shape } from "./svg.js";

const svg = document.getElementById("board");
const turned = document.getElementById("turned");
const cells = new Map(
  [...svg.querySelectorAll(".cell")].map((polygon) => [
    polygon.dataset.cell,
    { name: polygon.dataset.cell, x: +polygon.dataset.x, y: +polygon.dataset.y, points: polygon.getAttribute("points") },
  ]),
);
const FEW = 6; // more wrong cells than this are not crossed out one by one
const PIECE = 36; // of the 40 units of a cell
const layer = (name) => document.getElementById(name);
let snapshot = null;
let cursor = null;
let round = false;

export function draw(next) {
  const before = snapshot;
  snapshot = next;
  // The banner says that the board is not seen; the cross of the lights would only hide the position.
  layer("lights").replaceChildren(...(next.cannot_see ? [] : Object.entries(next.leds).map(light)));
  layer("pieces").replaceChildren(...Object.entries(next.showing?.stands ?? next.cells).map(piece));
  layer("marks").replaceChildren(...marks(next));
  layer("led-dots")?.replaceChildren(...(next.lights ? [] : Object.entries(next.leds).map(dot))); // what does not work is dark
  if (next.phase === "lifted") bodyOn(next.note.cell)?.classList.add("lifted");
  if (before && next.ply === before.ply + 1) slide(next.last);
  if (next.showing?.deed === "leg" && next.showing.step !== before?.showing?.step) slide({ from: next.showing.cells[0], to: next.showing.cells.at(-1) });
  if (cursor) ask(cursor, false);
}

function light([name, led]) {
  const cell = cells.get(name);
  const inset = `translate(${cell.x} ${cell.y}) scale(.88) translate(${-cell.x} ${-cell.y})`;
  const colour = seen(led.rgb);
  return shape("polygon", {
    class: `light ${led.shape}`, "data-cell": name, points: cell.points, transform: inset, fill: colour, stroke: colour,
  });
}

function dot([name, led]) {
  const { x, y } = cells.get(name);
  const colour = seen(led.rgb);
  return shape("g", { class: `dot-led ${led.shape}`, fill: colour },
    shape("circle", { class: "halo", cx: x, cy: y, r: 26 }), shape("circle", { cx: x, cy: y, r: 15 }));
}

function piece([name, code]) {
  const { x, y } = cells.get(name);
  const drawing = drawingOf(code);
  const body = shape("g", { class: `piece ${sideOf(code)}` },
    shape("use", { href: drawing, x: -PIECE / 2, y: -PIECE / 2, width: PIECE, height: PIECE }));
  if (drawing === "#token") body.append(shape("text", { "pointer-events": "none" }, letterOf(code)));
  else if (seats.length > 2) body.append(shape("text", { class: "initial", y: 12 }, initialOf(code)));
  return shape("g", { "data-piece": code, "data-cell": name, transform: `translate(${x} ${y})${upright()}` }, body);
}

// For drawings of another position: the cells, a copy of the empty board as it is turned now, and one piece of it.
export const pieceOn = piece;
export function shapesOf() {
  const backdrop = [".cells", ".labels"].map((kind) => svg.querySelector(kind).cloneNode(true));
  return { cells, backdrop, upright, transform: turned.getAttribute("transform") ?? "" };
}

// Shapes that say without colour what the lights say with it.
function marks(next) {
  const note = next.note ?? {};
  if (next.showing && next.showing.deed !== "tried") return [];
  if (next.phase === "lifted" || next.phase === "partial") return endsOf(next, note).map(target);
  const wrong = { trouble: note.cells, "set-up": note.wrong }[next.phase] ?? [];
  if (next.phase === "set-up" && wrong.length > FEW) return []; // a sentence, and the picture beside
  return wrong.filter((name) => cells.has(name)).flatMap(cross);
}

// Where the piece may end; of a move that the computer or another board wants made, where that goes.
function endsOf({ advice }, { targets = [] }) {
  if (!advice?.move || advice.played) return targets;
  return advice.steps.filter(({ deed }) => deed === "leg").map(({ cells: way }) => way.at(-1));
}

function target(name) {
  const { x, y } = cells.get(name);
  return shape("circle", { class: "mark-dot", cx: x, cy: y, r: 6 });
}

function cross(name) {
  const [x, y, arm] = [cells.get(name).x + 10, cells.get(name).y - 10, 5]; // in a corner, so that the piece is still seen
  const d = `M${x - arm} ${y - arm}L${x + arm} ${y + arm}M${x + arm} ${y - arm}L${x - arm} ${y + arm}`;
  return [shape("path", { class: "mark-x under", d }), shape("path", { class: "mark-x", d, "data-cell": name })];
}

const bodyOn = (name) => svg.querySelector(`[data-piece][data-cell="${name}"] > .piece`);

function slide(move) {
  const body = bodyOn(move.to);
  if (!body || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const [from, to] = [cells.get(move.from), cells.get(move.to)];
  const sign = round ? -1 : 1;
  const away = `translate(${sign * (from.x - to.x)}px, ${sign * (from.y - to.y)}px)`;
  body.animate([{ transform: away }, { transform: "none" }], { duration: 320, easing: "cubic-bezier(.3,0,.2,1)" });
}

const upright = () => (round ? " rotate(180)" : "");

export function turn() {
  round = !round;
  const { width, height } = svg.viewBox.baseVal;
  turned.setAttribute("transform", round ? `rotate(180 ${width / 2} ${height / 2})` : "");
  for (const text of turned.querySelectorAll(".labels text"))
    text.setAttribute("transform", round ? `rotate(180 ${text.getAttribute("x")} ${text.getAttribute("y")})` : "");
  if (snapshot) layer("pieces").replaceChildren(...Object.entries(snapshot.showing?.stands ?? snapshot.cells).map(piece));
}

// Says what stands on a cell and shows where its piece may go.
function ask(name, aloud = true) {
  cursor = name;
  const cell = cells.get(name);
  const ends = snapshot?.hints[name] ?? [];
  const code = snapshot?.cells[name];
  layer("cursor").replaceChildren(
    shape("polygon", { class: "cursor", points: cell.points }),
    ...ends.map((end) => shape("circle", { class: "mark-ring", cx: cells.get(end).x, cy: cells.get(end).y, r: 9 })));
  if (!aloud) return;
  const goes = ends.length ? say(", may go to {cells}", { cells: ends.join(", ") }) : "";
  document.getElementById("cell-told").textContent = `${name}: ${code ? capital(pieceName(code)) : say("empty")}${goes}`;
}

function leave() {
  cursor = null;
  layer("cursor").replaceChildren();
  document.getElementById("cell-told").textContent = "";
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// The nearest cell in that direction; cells off the straight line count as farther away.
function next(from, [dx, dy]) {
  let best = null;
  for (const cell of cells.values()) {
    const [x, y] = [cell.x - from.x, cell.y - from.y];
    const along = x * dx + y * dy;
    const far = along + 2 * Math.abs(x * dy - y * dx);
    if (along > 1 && (!best || far < best.far)) best = { far, cell };
  }
  return best?.cell ?? from;
}

svg.addEventListener("click", (event) => {
  const name = event.target.closest?.("[data-cell]")?.dataset.cell;
  if (!name || name === cursor) leave();
  else ask(name);
});
svg.addEventListener("keydown", (event) => {
  if (event.key === "Escape") leave();
  const way = ARROWS[event.key];
  if (!way) return;
  event.preventDefault();
  const sign = round ? -1 : 1;
  const from = cells.get(cursor) ?? cells.get(snapshot?.last?.to) ?? cells.values().next().value;
  ask(cursor ? next(from, way.map((part) => sign * part)).name : from.name);
});
svg.addEventListener("blur", leave);
