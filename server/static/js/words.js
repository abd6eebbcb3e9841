// How values are said to people.

import { apart, say } from "./say.js";

export const seats = document.body.dataset.seats.split(" ");
const game = JSON.parse(document.getElementById("game-words").textContent);

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const codes = Object.keys(game.pieces);
export const sideOf = (code) => game.pieces[code]?.side;
export const letterOf = (code) => game.pieces[code]?.letter ?? code;
export const initialOf = (code) => game.seats[sideOf(code)]?.initial ?? "";

// The drawing of a piece by its code, of a seat by the piece that it is shown with.
export const drawingOf = (code) => (game.pieces[code]?.drawn ? `#piece-${code}` : "#token");
export const counterOf = (seat) => drawingOf(game.seats[seat].counter);
// The sides that have pieces among these: of three one may be out.
export const sidesOf = (cells) => seats.filter((seat) => Object.values(cells).some((code) => sideOf(code) === seat));
// To move from a position is a side that has pieces in it.
export function offerSides(list, cells) {
  const there = sidesOf(cells);
  for (const one of list.options) one.hidden = one.disabled = there.length > 0 && !there.includes(one.value);
  if (list.selectedOptions[0]?.disabled) list.value = [...list.options].find((one) => !one.disabled).value;
}
export const sideName = (side) => game.seats[side]?.name ?? capital(side);
export const lookName = (look) => game.looks[look] ?? look;
let [players, unrated] = [{}, {}];
// The names of who plays, for all that is said from now on.
export function name(details) {
  const rated = ([side, who]) => [side, details.ratings?.[side] ? `${apart(who)} (${details.ratings[side]})` : apart(who)];
  unrated = details?.players ?? {};
  players = Object.fromEntries(Object.entries(details?.players ?? {}).map(rated));
}
export const playerName = (side) => players[side] ?? sideName(side);
// The side, and who plays it where that is known: "White (Anna)".
export const seatedName = (side) => (unrated[side] ? `${sideName(side)} (${apart(unrated[side])})` : sideName(side));
export const pieceName = (code) =>
  say("{side} {kind}", { side: sideName(sideOf(code)), kind: game.pieces[code]?.kind ?? code });

// The same as nodes that may break before a landing, so that long chains stay inside a phone.
export const written = (text) =>
  text.split(/(?=[-x])/).flatMap((part, leg) => (leg ? [document.createElement("wbr"), part] : [part]));

export const reason = (name) => game.ends[name] ?? name.replaceAll("-", " ");

export const winner = (outcome) => seats[outcome.result.split("-").indexOf("1")];
export const result = (outcome) => {
  if (winner(outcome)) return say("{side} wins", { side: sideName(winner(outcome)) });
  return outcome.result.includes("1/") ? say("Drawn") : say("Nobody wins");
};

export function said(move) {
  const taken = move.captured.length ? say(", takes {cells}", { cells: move.captured.join(", ") }) : "";
  return `${sideName(move.side)}: ${move.notation}${taken}`;
}
