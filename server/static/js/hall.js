// All boards of a hall on one screen, in the order of tables: each a small picture, who plays, and what is wrong.
// Two hundred boards are drawn here, so a board is a handful of elements, and only what has changed is drawn anew.

import { clock, shapes } from "./hall_board.js";
import { TROUBLES } from "./hall_words.js";
import { listen, missed } from "./listen.js";
import { follow } from "./matters.js";
import { address } from "./root.js";
import { say } from "./say.js";
import { tag } from "./svg.js";

const place = document.getElementById("boards");
const summary = document.getElementById("summary");
const tiles = new Map(); // name -> { board, tile }
const grounds = new Map(); // game -> its empty board, drawn once
const COLOURS = { white: ["#fff", "#333"], black: ["#222", "#000"], blue: ["#2a62c9", "#123"], red: ["#c8321f", "#411"], green: ["#2c8a3d", "#131"] };
const SCALE = 4; // units of a drawing, 40 a cell, to a pixel
const visible = new WeakSet(); // tiles on the screen: others are drawn when they come there
const put = (element, name, value) => element[name] !== value && (element[name] = value); // what is so already costs nothing
const MANY = 60; // boards, beyond which a screen has room for lines only
const EVERY_MS = 200; // what comes in between is drawn together
let only = "all";
let pictures = null; // whether boards are drawn; null as long as nobody has chosen

// What a person reads: table-2 before table-10.
const ORDER = new Intl.Collator(undefined, { numeric: true });

function ground(game) {
  if (!grounds.has(game)) {
    const { size: [width, height], cells } = shapes[game];
    const drawn = Object.assign(document.createElement("canvas"), { width: width / SCALE, height: height / SCALE });
    const pen = drawn.getContext("2d");
    pen.fillStyle = "#d9c7a3";
    for (const [x, y] of Object.values(cells)) pen.fillRect((x - 19) / SCALE, (y - 19) / SCALE, 38 / SCALE, 38 / SCALE);
    grounds.set(game, drawn);
  }
  return grounds.get(game);
}

function draw(canvas, { game, cells, last }) {
  const empty = ground(game);
  if (canvas.width !== empty.width) Object.assign(canvas, { width: empty.width, height: empty.height });
  const pen = canvas.getContext("2d");
  const at = shapes[game].cells;
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(empty, 0, 0);
  for (const cell of last ? [last.from, last.to] : []) {
    if (!at[cell]) continue;
    pen.fillStyle = "#e8a33d";
    pen.fillRect((at[cell][0] - 19) / SCALE, (at[cell][1] - 19) / SCALE, 38 / SCALE, 38 / SCALE);
  }
  for (const [cell, code] of Object.entries(cells)) {
    const piece = shapes[game].pieces[code];
    if (!at[cell] || !piece) continue;
    const [fill, rim] = COLOURS[piece.side] ?? ["#888", "#444"];
    pen.beginPath();
    if (piece.letter === "N") pen.rect((at[cell][0] - 14) / SCALE, (at[cell][1] - 14) / SCALE, 28 / SCALE, 28 / SCALE);
    else pen.arc(at[cell][0] / SCALE, at[cell][1] / SCALE, 15 / SCALE, 0, 7);
    pen.fillStyle = fill;
    pen.strokeStyle = rim;
    pen.fill();
    pen.stroke();
  }
}

const settled = ({ state }) => Boolean(state?.result);
const shownHere = (board) => only === "all" || (only === "troubles" ? board.troubles.length > 0 : !settled(board));

// Who plays a side, and how much time is left.
function seat({ state, heard }, [side, name]) {
  const left = state.clocks?.left[side];
  const now = state.clocks?.running === side ? left - (Date.now() / 1000 - heard) : left;
  const rated = state.ratings?.[side] ? ` (${state.ratings[side]})` : "";
  return `${state.players[side] ?? name}${rated}${left === undefined ? "" : ` ${clock(now)}`}`;
}

function fill(tile, board) {
  const { state, troubles } = board;
  const known = state && shapes[state.game];
  const [link, result] = tile.children;
  const seats = known ? shapes[state.game].seats : [];
  if (known && tile.children.length < 3) tile.append(tag("canvas", { role: "img", "aria-label": say("Board") }), ...seats.map(() => tag("span")), tag("p"));
  put(result, "textContent", state?.result ?? "");
  put(link, "title", state?.last ? say("Last move: {move}", { move: state.last.notation }) : "");
  put(tile, "className", troubles.length ? "ill" : settled(board) ? "over" : "");
  put(tile, "hidden", !shownHere(board));
  if (!known) return put(tile, "title", troubles.map((one) => TROUBLES[one] ?? one).join("; "));
  seats.forEach((one, at) => {
    put(tile.children[3 + at], "textContent", seat(board, one));
    put(tile.children[3 + at], "className", state.side === one[0] && !state.result ? "turn" : "");
  });
  put(tile.lastChild, "className", "troubles");
  put(tile.lastChild, "textContent", troubles.map((one) => TROUBLES[one] ?? one).join("; "));
  if (visible.has(tile) && place.classList.contains("drawn")) draw(tile.children[2], state);
}

const looker = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) visible.delete(target);
    else {
      visible.add(target);
      const { board } = tiles.get(target.dataset.board) ?? {};
      if (board) fill(target, board);
    }
  }
});

function made(name) {
  const tile = tag("article", { "data-board": name }, tag("a", { href: address(`/hall/${name}`) }, name), tag("b"));
  const after = [...tiles.keys()].filter((other) => ORDER.compare(other, name) > 0).sort(ORDER.compare)[0];
  place.insertBefore(tile, after ? tiles.get(after).tile : null);
  looker.observe(tile);
  return tile;
}

function update(boards) {
  for (const board of boards) {
    const tile = tiles.get(board.board)?.tile ?? made(board.board);
    fill(tile, board);
    tiles.set(board.board, { board, tile });
  }
  put(document.getElementById("nobody"), "hidden", tiles.size > 0);
  place.classList.toggle("drawn", pictures ?? tiles.size <= MANY);
  document.getElementById("pictures").setAttribute("aria-pressed", place.classList.contains("drawn"));
  count();
}

let matters = 0;

// "160 of 200 results, 3 matters, 1 board silent".
function count() {
  const all = [...tiles.values()].map(({ board }) => board);
  const quiet = all.filter(({ troubles }) => troubles.includes("silent") || troubles.includes("offline")).length;
  const text = [
    say("{done} of {all} results", { done: all.filter(settled).length, all: all.length }),
    say("matters: {count}", { count: matters }),
    say("boards not heard: {count}", { count: quiet }),
  ].join(" · ");
  put(summary, "textContent", text);
}

async function queue() {
  matters = await follow(TROUBLES);
  count();
}

async function all() {
  const answer = await missed(address("/api/v1/hall/boards"));
  if (answer) update((await answer.json()).boards);
  await queue();
  document.body.dataset.ready = "yes";
}

const waiting = new Map(); // boards that are not as they are drawn
setInterval(() => {
  if (!waiting.size || document.hidden) return;
  const boards = [...waiting.values()];
  waiting.clear();
  update(boards);
}, EVERY_MS);

document.getElementById("filters").addEventListener("click", ({ target }) => {
  if (!target.dataset.only) return;
  only = target.dataset.only;
  for (const button of target.parentElement.children) button.setAttribute("aria-pressed", button === target);
  for (const { board, tile } of tiles.values()) tile.hidden = !shownHere(board);
});

document.getElementById("pictures").addEventListener("click", () => {
  pictures = !place.classList.contains("drawn");
  update([...tiles.values()].map(({ board }) => board));
});
listen(address("/api/v1/hall/events?"), {
  open: all,
  message: (text) => {
    const told = JSON.parse(text);
    for (const board of told.boards) waiting.set(board.board, board);
    if (told.matters) queue();
  },
});
setInterval(queue, 5000); // what other arbiters do, and how old what waits is
setInterval(() => {
  for (const { board, tile } of tiles.values()) {
    if (!board.state?.clocks?.running || !shapes[board.state.game] || tile.hidden) continue;
    shapes[board.state.game].seats.forEach((one, at) => put(tile.children[3 + at], "textContent", seat(board, one)));
  }
}, 1000);
