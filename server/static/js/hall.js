// All boards of a hall, those with troubles first; or one of them, large, with its moves.

import { drawn, shapes, sides } from "./hall_board.js";
import { listen } from "./listen.js";
import { rounds } from "./rounds.js";
import { say } from "./say.js";
import { tag } from "./svg.js";

const place = document.getElementById("boards");
const order = place.dataset.troubles.split(" ");
const only = place.dataset.only;
const shown = new Map(); // name -> { board, card }

const TROUBLES = {
  offline: say("not connected"),
  chain: say("its record does not fit what was stored"),
  missing: say("events are missing"),
  "cannot-see": say("the camera does not see the board"),
  doubt: say("the referee asks which move was made"),
  refused: say("a move is refused"),
  flag: say("out of time"),
  lights: say("the lights are out of order"),
};

function fill(card, board) {
  const { state, troubles } = board;
  const name = only ? tag("span", {}, board.board) : tag("a", { href: `/hall/${board.board}` }, board.board);
  card.className = troubles.length ? "ill" : "";
  card.dataset.board = board.board;
  card.replaceChildren(tag("h2", {}, name, tag("span", {}, state?.result ?? "")));
  if (troubles.length) card.append(tag("p", { class: "troubles" }, troubles.map((trouble) => TROUBLES[trouble]).join("; ")));
  if (!state || !shapes[state.game]) return;
  const last = state.last ? say("Last move: {move}", { move: state.last.notation }) : "";
  card.append(drawn(state), tag("p", { class: "seats" }, ...sides(board)), tag("p", { class: "last" }, last));
}

const rank = ({ troubles }) => Math.min(order.length, ...troubles.map((trouble) => order.indexOf(trouble)));
const before = (one, other) => rank(one) - rank(other) || (one.board < other.board ? -1 : 1);

function update(boards) {
  for (const board of boards) {
    if (only && board.board !== only) continue;
    const card = shown.get(board.board)?.card ?? tag("article");
    fill(card, board);
    shown.set(board.board, { board, card });
  }
  const sorted = [...shown.values()].sort((one, other) => before(one.board, other.board));
  sorted.forEach(({ card }, at) => place.children[at] !== card && place.insertBefore(card, place.children[at] ?? null));
  document.getElementById("nobody").hidden = shown.size > 0;
}

async function moves() {
  const answer = await fetch(`/api/v1/hall/boards/${only}`);
  if (!answer.ok) return;
  const { moves: said } = await answer.json();
  const list = document.getElementById("hall-moves");
  const seats = shapes[shown.get(only)?.board.state?.game]?.seats.map(([seat]) => seat) ?? [...new Set(said.map(({ side }) => side))];
  list.style.setProperty("--seats", seats.length);
  list.replaceChildren(...rounds(said, seats).map((round) => tag("li", {}, ...seats.map((_, column) => tag("span", {}, round[column]?.notation ?? "")))));
}

const queue = only ? null : await import("./matters.js");

async function all() {
  const answer = await fetch("/api/v1/hall/boards");
  if (answer.ok) update((await answer.json()).boards);
  if (only) await moves();
  await queue?.follow(TROUBLES);
  document.body.dataset.ready = "yes";
}

listen("/api/v1/hall/events?", {
  open: all,
  reset: all,
  message: (text) => {
    const told = JSON.parse(text);
    update(told.boards);
    if (told.matters) queue?.follow();
    if (only && told.stored.some(([board]) => board === only)) moves();
  },
});
setInterval(() => queue?.follow(), 5000); // what other arbiters do
setInterval(() => {
  for (const { board, card } of shown.values())
    if (board.state?.clocks?.running && shapes[board.state.game]) card.querySelector(".seats").replaceChildren(...sides(board));
}, 1000);
