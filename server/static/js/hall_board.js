// A board of a hall as it is drawn on every page: its position, and who plays with which time.

import { apart, say } from "./say.js";
import { shape, tag } from "./svg.js";

export const shapes = JSON.parse(document.getElementById("shapes").textContent);
const PIECE = 36; // of the 40 units of a cell

// The position of a state.
export function drawn({ game, cells }) {
  const { size: [width, height], cells: at, pieces } = shapes[game];
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": say("Board") },
    shape("use", { href: `#board-${game}`, width, height }));
  for (const [cell, code] of Object.entries(cells)) {
    if (!at[cell] || !pieces[code]) continue;
    const { side, letter, drawn: own } = pieces[code];
    const body = shape("g", { class: `piece ${side}`, transform: `translate(${at[cell][0]} ${at[cell][1]})` },
      shape("use", { href: own ? `#${game}-${code}` : "#token", x: -PIECE / 2, y: -PIECE / 2, width: PIECE, height: PIECE }));
    if (!own) body.append(shape("text", {}, letter));
    svg.append(body);
  }
  return svg;
}

export function clock(seconds) {
  const left = Math.max(0, seconds);
  const [hours, minutes, rest] = [left / 3600, (left / 60) % 60, left % 60].map((part) => `${Math.floor(part)}`.padStart(2, "0"));
  return `${hours}:${minutes}:${rest}`;
}

// What is shown in the place of a result that the board says, that is not trusted, and on which nobody has decided.
export const UNDECIDED = say("not decided");

export const isToMove = (state, seat) => state.side === seat && !state.result && state.reason !== "undecided";

// Who plays, whose turn it is, and the clocks counted on from when the state was heard.
export function sides({ board, state, heard }) {
  const gone = Date.now() / 1000 - heard;
  return shapes[state.game].seats.map(([seat, name]) => {
    const left = state.clocks?.left[seat];
    const now = state.clocks?.running === seat ? left - gone : left;
    const time = left === undefined ? "" : ` ${clock(now)}`;
    const rated = state.ratings?.[seat] ? ` (${state.ratings[seat]})` : "";
    return tag("span", { class: isToMove(state, seat) ? "to-move" : "", "data-board": board, "data-seat": seat },
      `${apart(state.players[seat] ?? name)}${rated}${time}`);
  });
}
