// All boards of a hall on one screen, in the order of tables: each a small picture, who plays, and what is wrong.
// Two hundred boards are drawn here, so a board is a handful of elements, and only what has changed is drawn anew.

import { clock, isToMove, shapes, UNDECIDED } from "./hall_board.js";
import { RESTS, standing, TROUBLES } from "./hall_words.js";
import { listen, missed } from "./listen.js";
import { follow, held } from "./matters.js";
import { readJson } from "./read.js";
import { address } from "./root.js";
import { apart, say } from "./say.js";
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

let rounds = []; // of tournaments, under way
const AGAIN_MS = 1000; // after an answer that did not come

// What counts is the result of the round where the board has a table in one, else that of the game at the board.
const resultOf = ({ board, result }) => rounds.find(({ boards }) => board in boards)?.boards[board] ?? result;

// What stands beside who plays: once somebody has moved in another game than the table's, the result of that one.
function shownResult(board) {
  const { state } = board;
  const its = rounds.find(({ boards }) => board.board in boards)?.games[board.board];
  return its && state && its !== state.name && (state.ply || state.result) ? board.result : resultOf(board);
}
// What troubles a board, and what nobody has decided yet: until then none of its results is taken.
const ails = ({ board, troubles }) => [...new Set([...troubles, ...(held.get(board) ?? [])])];
const settled = (board) => Boolean(resultOf(board));
const FILTERS = { all: () => true, open: (board) => !settled(board), troubles: (board) => ails(board).length > 0 };
const shownHere = (board) => FILTERS[only]?.(board) ?? board.board in (rounds.find(({ tournament }) => `=${tournament}` === only)?.boards ?? {});

// Who plays a side, and how much time is left.
function seat({ state, heard }, [side, name]) {
  const left = state.clocks?.left[side];
  const now = state.clocks?.running === side ? left - (Date.now() / 1000 - heard) : left;
  const rated = state.ratings?.[side] ? ` (${state.ratings[side]})` : "";
  return `${apart(state.players[side] ?? name)}${rated}${left === undefined ? "" : ` ${clock(now)}`}`;
}

function fill(tile, board) {
  const { state } = board;
  const troubles = ails(board);
  const known = state && shapes[state.game];
  const [link, result, ...rest] = tile.children;
  const seats = known ? shapes[state.game].seats : [];
  if (rest.length !== (known ? seats.length + 2 : 1)) {
    for (const part of rest) part.remove(); // another game has other sides
    if (known) tile.append(tag("canvas", { role: "img", "aria-label": say("Board") }), ...seats.map(() => tag("span")));
    tile.append(tag("p", { class: "troubles" }));
  }
  put(result, "textContent", shownResult(board) || (board.counts === "" ? UNDECIDED : (RESTS[state?.phase] ?? "")));
  put(link, "title", state?.last ? say("Last move: {move}", { move: state.last.notation }) : "");
  put(tile, "className", troubles.length ? "ill" : settled(board) ? "over" : "");
  put(tile, "hidden", !shownHere(board));
  put(tile.lastChild, "textContent", standing({ ...board, troubles }));
  put(tile.lastChild, "className", troubles.length ? "troubles" : "faint");
  seats.forEach((one, at) => {
    put(tile.children[3 + at], "textContent", seat(board, one));
    put(tile.children[3 + at], "className", isToMove(state, one[0]) ? "to-move" : "");
  });
  if (known && visible.has(tile) && place.classList.contains("drawn")) draw(tile.children[2], state);
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

// "Club open, round 3: 160 of 200 results · matters: 3 · boards not heard: 1".
function count() {
  const all = [...tiles.values()].map(({ board }) => board);
  const quiet = all.filter(({ troubles }) => troubles.includes("silent") || troubles.includes("offline")).length;
  const over = say("{done} of {all} games over", { done: all.filter(settled).length, all: all.length });
  const text = [
    ...(rounds.length ? rounds.map((one) => say("{title}, round {round}: {done} of {all} results", one)) : [over]),
    say("matters: {count}", { count: matters }),
    say("boards not heard: {count}", { count: quiet }),
  ].join(" · ");
  put(summary, "textContent", text);
}

async function queue() {
  const before = JSON.stringify([...held]);
  matters = await follow(TROUBLES);
  if (JSON.stringify([...held]) !== before) update([...tiles.values()].map(({ board }) => board));
  else count();
}

const waiting = new Map(); // boards that are not as they are drawn
let told = new Set(); // boards that were told of since all were asked for: the answer may be older than that
let asked = 0; // of two answers on their way the one that was asked for later is drawn

async function all() {
  const turn = ++asked;
  waiting.clear();
  told = new Set();
  const answer = await missed(address("/api/v1/hall/boards"));
  const said = await answer?.json();
  if (!said || turn !== asked) return;
  under(said.rounds);
  update(said.boards.filter(({ board }) => !told.has(board)));
  drawTold(); // before what is shown counts as live
  await queue();
  document.body.dataset.ready = "yes";
}

// The rounds that are under way; where there are several, each can be looked at alone.
function under(found) {
  rounds = found;
  const filters = document.getElementById("filters");
  const many = rounds.length > 1 ? rounds : [];
  if (only.startsWith("=") && !many.some(({ tournament }) => `=${tournament}` === only)) only = "all";
  const buttons = many.map(({ tournament, title }) => tag("button", { type: "button", "data-only": `=${tournament}`, dir: "auto" }, title));
  filters.replaceChildren(...[...filters.children].filter(({ dataset }) => dataset.only in FILTERS), ...buttons);
  for (const button of filters.children) button.setAttribute("aria-pressed", button.dataset.only === only);
}

let turn = 0;

async function followRounds() {
  const mine = ++turn;
  const said = await readJson("hall/rounds");
  if (mine !== turn) return;
  if (!said) return void setTimeout(() => mine === turn && followRounds(), AGAIN_MS);
  under(said.rounds);
  update([...tiles.values()].map(({ board }) => board));
}

function drawTold() {
  const boards = [...waiting.values()];
  waiting.clear();
  if (boards.length) update(boards);
}

setInterval(() => document.hidden || drawTold(), EVERY_MS);

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
    const news = JSON.parse(text);
    for (const board of news.boards) {
      waiting.set(board.board, board);
      told.add(board.board);
    }
    if (news.matters) queue();
    if (news.tournaments) followRounds();
  },
});
setInterval(queue, 5000); // what other arbiters do, and how old what waits is
setInterval(() => {
  for (const { board, tile } of tiles.values()) {
    if (!board.state?.clocks?.running || !shapes[board.state.game] || tile.hidden) continue;
    shapes[board.state.game].seats.forEach((one, at) => put(tile.children[3 + at], "textContent", seat(board, one)));
  }
}, 1000);
