// The judgement of a past game: a curve of how it stood, and the moves that decided it with better ones.

import { address } from "./root.js";
import { decimal, say } from "./say.js";
import { shape, tag } from "./svg.js";

const AGAIN_MS = 700;
const [WIDTH, HEIGHT] = [600, 100]; // as in server/board/pages/charts.py
const at = (id) => document.getElementById(id);
const begin = at("analyse");
const words = JSON.parse(at("words").textContent);
const { seats, positions } = JSON.parse(at("game").textContent);

begin?.addEventListener("click", ask);

async function ask() {
  begin.disabled = true;
  const response = await fetch(address(`/games/${begin.dataset.name}/analysis`)).catch(() => null);
  const answer = response ? await response.json() : { detail: say("The referee does not answer.") };
  const trouble = response?.ok ? answer.trouble : answer.detail;
  at("analysis-fault").textContent = trouble;
  if (trouble) {
    begin.disabled = false;
    return;
  }
  at("analysis-progress").textContent = answer.done ? "" : say("{done} of {count} moves", { done: answer.plies.length, count: answer.of });
  draw(answer);
  if (!answer.done) setTimeout(ask, AGAIN_MS);
}

function draw({ plies, of, done, deciders }) {
  const two = seats.length === 2;
  at("analysis").hidden = !plies.length;
  at("analysis-curve").hidden = !two; // with three there is no one curve
  if (two && plies.length) curve(plies, of, deciders);
  const decided = deciders.map((ply) => plies[ply - 1]);
  at("deciders").replaceChildren(...decided.map((one) => tag("li", {},
    tag("button", { type: "button", "data-ply": `${one.ply}` }, `${positions[one.ply].number}. ${words.seats[one.seat].name}: ${one.move}`),
    ` ${say("better: {move}", { move: one.better })} (${say("about {cost} men", { cost: decimal(one.cost / 100, 1) })})`)));
  at("no-deciders").hidden = !done || decided.length > 0;
}

// Up is good for the first side; more than five men are drawn as five.
function curve(plies, of, deciders) {
  const x = (ply) => (WIDTH * ply) / Math.max(of, 1);
  const y = (worth) => HEIGHT / 2 - (HEIGHT / 2) * (Math.max(-500, Math.min(500, worth)) / 500);
  const points = [[0, plies[0].stood], ...plies.map(({ ply, made }) => [ply, made])];
  at("analysis-curve").querySelector("svg").replaceChildren(
    shape("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
    shape("polyline", { class: "curve", points: points.map(([ply, worth]) => `${x(ply).toFixed(1)},${y(worth).toFixed(1)}`).join(" ") }),
    ...deciders.map((ply) => shape("line", { class: "decider", x1: x(ply), x2: x(ply), y1: 0, y2: HEIGHT })),
  );
}

at("deciders")?.addEventListener("click", (event) => {
  const ply = event.target.closest("[data-ply]")?.dataset.ply;
  if (ply) document.querySelector(`#moves [data-ply="${ply}"]`)?.click();
});
