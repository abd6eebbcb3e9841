// The board as the camera reads it, to go on from: drawn beside the picture, with what is other than in the record marked,
// and what is in doubt named. Nothing that is in doubt is taken before somebody has said what stands there.

import { pieceOn, shapesOf } from "./board.js";
import { readJson } from "./read.js";
import { address } from "./root.js";
import { say } from "./say.js";
import { shape, tag } from "./svg.js";
import { codes, lookName, offerSides, pieceName, seats, sideName } from "./words.js";

const AGAIN_MS = 1000; // after an answer that did not come
const LISTED = 12; // of the cells that are not in doubt: more are seen in the drawing, and counted

// What is asked before the game goes on from what the camera reads now.
export function asItStands(now) {
  const differs = tag("p", { class: "told" }, say("A moment …"));
  const shown = tag("div", { class: "stands" });
  const side = tag("select", { name: "side", "data-preset": "" }, ...seats.map((seat) => tag("option", seat === now.side ? { value: seat, selected: "" } : { value: seat }, sideName(seat))));
  const read = { position: null, differs: [], doubtful: [], settled: new Set(), side };
  side.addEventListener("change", () => delete side.dataset.preset); // somebody has said who is to move
  load(read, differs, shown);
  return {
    reads: true,
    title: say("Take the board as it stands"),
    text: say("The game goes on from what the camera reads now; the record says so. The moves so far stay written."),
    fields: [differs, shown, tag("label", {}, say("To move"), side)],
    done: say("Go on from this position"),
    send: ["position", (form) => ({ position: { ...read.position, to_move: form.get("side") }, confirmed: [...read.settled] })],
    held: () => (read.position ? stillInDoubt(read) : differs.textContent),
    denied: () => load(read, differs, shown), // the camera reads otherwise by now: look anew
  };
}

async function load(read, differs, shown) {
  const [said, grid] = await Promise.all([readJson("stands"), readJson("camera/grid")]);
  if (!said) {
    differs.textContent = say("The referee does not answer, or the camera has not read the board yet.");
    return void setTimeout(() => differs.isConnected && load(read, differs, shown), AGAIN_MS);
  }
  takeOver(read, said);
  if ("preset" in read.side.dataset) read.side.value = said.position.to_move; // where one ply explains what is read, whoever is on turn after it
  const picture = tag("div", { class: "stands-picture" }, tag("img", { src: address(`/api/v1/camera.jpg?at=${Date.now()}`), alt: say("What the camera sees") }));
  if (grid) picture.append(outlined(read, grid));
  const board = shape("svg", { class: "stands-board", viewBox: document.getElementById("board").getAttribute("viewBox"), role: "img", "aria-label": say("The position that the camera reads. Marked cells differ from the record; cells with a question mark are in doubt.") });
  const rows = tag("ul", { class: "doubts" });
  const redraw = () => (draw(board, read), offerSides(read.side, read.position.cells), list(rows, read, redraw), (differs.textContent = told(read)));
  board.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-cell]")?.dataset.cell;
    if (read.doubtful.includes(cell)) change(read, cell, redraw);
  });
  shown.replaceChildren(tag("div", { class: "stands-pair" }, board, picture), rows);
  redraw();
}

// What is read now; what somebody has said of a cell holds, unless the camera reads something else there by now.
function takeOver(read, said) {
  const [before, now] = [read.first ?? {}, { ...said.position.cells }];
  const kept = [...read.settled].filter((cell) => before[cell] === now[cell]);
  for (const cell of kept) {
    if (read.position.cells[cell]) said.position.cells[cell] = read.position.cells[cell];
    else delete said.position.cells[cell];
  }
  Object.assign(read, said, { first: now, settled: new Set(kept), doubtful: [...new Set([...said.doubtful, ...kept])] });
}

const open = (read) => read.doubtful.filter((cell) => !read.settled.has(cell));
const stillInDoubt = (read) => (open(read).length ? say("Still in doubt: {cells}. Tick what is right, change what is not.", { cells: open(read).join(", ") }) : "");
const content = (read, cell) => (read.position.cells[cell] ? pieceName(read.position.cells[cell]) : lookName("empty"));

function told(read) {
  const sure = read.differs.filter((cell) => !read.doubtful.includes(cell));
  if (!read.differs.length) return read.doubtful.length ? say("Apart from the cells in doubt, the camera reads the position of the record.") : say("The camera reads the position of the record.");
  if (!sure.length) return say("Nothing else differs from the record.");
  const named = sure.slice(0, LISTED).map((cell) => `${cell} ${content(read, cell)}`).join(", ");
  return sure.length > LISTED ? say("Different from the record: {cells}, and {number} more.", { cells: named, number: sure.length - LISTED }) : say("Different from the record: {cells}.", { cells: named });
}

// What may stand there: first what was read, then an empty cell, then every piece.
function change(read, cell, redraw) {
  const kinds = [...new Set([read.first[cell] ?? "", "", ...codes])];
  const next = kinds[(kinds.indexOf(read.position.cells[cell] ?? "") + 1) % kinds.length];
  if (next) read.position.cells[cell] = next;
  else delete read.position.cells[cell];
  read.settled.add(cell);
  redraw();
}

function draw(svg, read) {
  const { cells, backdrop, upright, transform } = shapesOf();
  const frame = (name, kind) => shape("polygon", { class: kind, "data-cell": name, points: cells.get(name).points });
  const mark = (name) => {
    const { x, y } = cells.get(name);
    const text = shape("text", { class: "doubt-mark", x: 12, y: -9, transform: `translate(${x} ${y})${upright()}` });
    text.textContent = "?";
    return text;
  };
  svg.replaceChildren(shape("g", { transform },
    ...backdrop,
    ...read.differs.filter((name) => !read.doubtful.includes(name)).map((name) => frame(name, "differs")),
    ...read.doubtful.map((name) => frame(name, read.settled.has(name) ? "settled" : "doubted")),
    ...Object.entries(read.position.cells).map(pieceOn),
    ...open(read).map(mark),
  ));
}

// Where in the picture to look.
function outlined(read, grid) {
  const cells = read.doubtful.filter((name) => grid.cells[name]);
  return shape("svg", { viewBox: `0 0 ${grid.size.join(" ")}`, "aria-hidden": "true" }, ...cells.map((name) => shape("polygon", { points: grid.cells[name].join(" "), class: "doubted" })));
}

function list(rows, read, redraw) {
  const focused = document.activeElement?.dataset?.doubt;
  rows.replaceChildren(...(read.doubtful.length ? [tag("li", { class: "told" }, say("In doubt: check it on the board. Tick what is right, change what is not."))] : []), ...read.doubtful.map((cell) => row(read, cell, redraw)));
  if (focused) rows.querySelector(`[data-doubt="${focused}"]`)?.focus();
}

function row(read, cell, redraw) {
  const tick = tag("input", { type: "checkbox", "data-doubt": `tick ${cell}`, ...(read.settled.has(cell) ? { checked: "" } : {}) });
  const other = tag("button", { type: "button", "data-doubt": `change ${cell}`, "aria-label": say("Change {cell}", { cell }) }, say("Change"));
  tick.addEventListener("change", () => (tick.checked ? read.settled.add(cell) : read.settled.delete(cell), redraw()));
  other.addEventListener("click", () => change(read, cell, redraw));
  return tag("li", {}, tag("label", {}, tick, ` ${cell} ${content(read, cell)}`), other);
}
