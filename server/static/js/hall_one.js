// One board of a hall, large, with its moves and what was ruled there.

import { drawn, shapes, sides, UNDECIDED } from "./hall_board.js";
import { arbiterName, order, showOrders } from "./hall_orders.js";
import { RESTS, standing, TROUBLES } from "./hall_words.js";
import { listen, missed } from "./listen.js";
import { ask } from "./post.js";
import { address } from "./root.js";
import { rounds } from "./rounds.js";
import { apart, say } from "./say.js";
import { tag } from "./svg.js";

const place = document.getElementById("boards");
const { only } = place.dataset;
const card = place.appendChild(tag("article", { "data-board": only }));
const orders = document.getElementById("orders");
const who = arbiterName();
let now = null;

async function sent() {
  const answer = await missed(address("/api/v1/hall/matters"));
  if (answer) showOrders((await answer.json()).orders.filter(({ board }) => board === only));
}

document.getElementById("left").addEventListener("click", async () => {
  const { problem = "" } = await ask(`hall/boards/${only}/left`);
  document.getElementById("order-fault").textContent = problem;
});
for (const button of orders.querySelectorAll("button[value]")) {
  button.addEventListener("click", async () => {
    const { name, ply } = now.state;
    document.getElementById("order-fault").textContent = await order(only, button.value, who.value, { game: name, ply });
    await sent();
  });
}

function fill(board) {
  now = board;
  const { state, troubles } = board;
  const result = "counts" in board ? board.counts || UNDECIDED : state?.result;
  card.className = troubles.length ? "ill" : "";
  card.replaceChildren(tag("h2", {}, tag("span", {}, board.board), tag("span", {}, result || (RESTS[state?.phase] ?? ""))));
  for (const button of orders.querySelectorAll("button[value]")) button.hidden = !state || state.result || (button.value === "resume") !== (state.phase in RESTS);
  document.getElementById("left").hidden = board.online || Boolean(board.left);
  if (standing(board)) card.append(tag("p", { class: troubles.length ? "troubles" : "faint" }, standing(board)));
  if (!state || !shapes[state.game]) return;
  const last = state.last ? say("Last move: {move}", { move: state.last.notation }) : "";
  card.append(drawn(state), tag("p", { class: "seats" }, ...sides(board)), tag("p", { class: "last" }, last));
}

function list(said) {
  const moves = document.getElementById("hall-moves");
  const seats = shapes[now?.state?.game]?.seats.map(([seat]) => seat) ?? [...new Set(said.map(({ side }) => side))];
  moves.style.setProperty("--seats", seats.length);
  moves.replaceChildren(...rounds(said, seats).map((round) => tag("li", {}, ...seats.map((_, column) => tag("span", {}, round[column]?.notation ?? "")))));
}

const ARRIVED = { ruled: say("not at the board yet"), written: say("at the board") };

async function rulings() {
  const answer = await missed(address(`/api/v1/hall/boards/${only}/rulings`));
  if (!answer) return;
  const { rulings: said } = await answer.json();
  const lines = said.map(({ kind, owner, ruling, state }) => tag("li", {}, `${TROUBLES[kind] ?? kind}: ${apart(owner)}: ${apart(ruling)} – ${ARRIVED[state] ?? state}`));
  document.getElementById("rulings").replaceChildren(...lines);
  document.getElementById("rulings").parentElement.hidden = !lines.length;
}

async function all() {
  const answer = await missed(address(`/api/v1/hall/boards/${only}`));
  if (answer) {
    const board = await answer.json();
    fill(board);
    list(board.moves);
  }
  await rulings();
  document.body.dataset.ready = "yes";
}

listen(address("/api/v1/hall/events?"), {
  open: all,
  message: async (text) => {
    const told = JSON.parse(text);
    for (const board of told.boards) if (board.board === only) fill(board);
    if (told.stored.some(([board]) => board === only)) await all();
    else if (told.matters) await rulings();
    if (told.matters) await sent();
  },
});
setInterval(() => {
  if (now?.state?.clocks?.running && shapes[now.state.game]) card.querySelector(".seats").replaceChildren(...sides(now));
}, 1000);
