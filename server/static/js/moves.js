// The list of moves: one row a round, one column a seat, the newest in view.

import { rounds } from "./rounds.js";
import { rule, say } from "./say.js";
import { seats, written } from "./words.js";
import { renew, tag } from "./svg.js";

const DOUBTFUL = 0.9; // below this confidence a move is marked for the players to look at
const table = document.getElementById("moves");
const scroll = document.getElementById("scroll");
const answering = document.getElementById("one-ply") !== null;
let drawn = "";

export function draw(now) {
  const key = JSON.stringify(now.moves);
  if (key === drawn) return;
  drawn = key;
  table.hidden = !now.moves.length;
  document.getElementById("no-moves").hidden = now.moves.length > 0;
  document.getElementById("ply").textContent = now.moves.length ? `${now.moves.length}` : "";
  table.querySelectorAll("td.newest").forEach((cell) => cell.removeAttribute("class"));
  renew(table.tBodies[0], rounds(now.moves, seats).map(row));
  table.querySelector(`[data-ply="${now.ply}"]`)?.classList.add("newest");
  scroll.scrollTop = scroll.scrollHeight;
}

// Its number in the list, and how many seconds it took, as its clock counted them; null where times are not known, as over
// a restart.
export function told(moves, move) {
  const number = 1 + rounds(moves, seats).findIndex((round) => round.includes(move));
  const before = moves[moves.indexOf(move) - 1];
  const apart = before && move.t != null && before.t != null && move.t >= before.t ? Math.round(move.t - before.t) : null;
  return { number, took: move.spent != null ? Math.round(move.spent) : apart };
}

function row(moves, index) {
  const cells = seats.map((_, column) => {
    const move = moves[column];
    if (!move) return tag("td");
    const text = written(move.notation);
    const cell = tag("td", { "data-ply": move.ply }, ...(answering ? [tag("button", { type: "button", class: "ply" }, ...text)] : text));
    if (move.confidence !== null && move.confidence < DOUBTFUL)
      cell.append(tag("span", { class: "doubt" }, say("{percent} % sure", { percent: Math.round(100 * move.confidence) })));
    if (move.as_played) cell.append(tag("span", { class: "stood", title: rule(move.as_played) }, say("let stand")));
    if (move.position_set) cell.append(tag("span", { class: "stood" }, say("The position was set.")));
    return cell;
  });
  return tag("tr", {}, tag("td", { class: "number" }, `${index + 1}.`), ...cells);
}
