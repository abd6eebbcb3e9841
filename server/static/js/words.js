// How values are said to people.

import { say } from "./say.js";

export const seats = document.body.dataset.seats.split(" ");
const KINDS = {
  N: say("knight"), M: say("man"), P: say("pawn"), C: say("catapult"), A: say("archer"), R: say("rook"), B: say("bishop"),
  I: say("prince"), Q: say("queen"), K: say("king"),
};
const REASONS = {
  castle: say("the enemy castle is taken"), "captured-all": say("every enemy piece is captured"),
  "no-moves": say("no lawful move is left"), material: say("too few pieces are left to win"),
  resigned: say("by resignation"), agreement: say("by agreement"), time: say("out of time"), absence: say("did not come"),
  rules: say("forfeited under the rules"), checkmate: say("checkmate"), stalemate: say("stalemate"),
  repetition: say("repetition"), "quiet-moves": say("too long without progress"),
};

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const sideOf = (code) => seats.find((seat) => seat[0].toUpperCase() === code[0]);
export const kindOf = (code) => code.slice(1);
export const sideName = (side) => say(capital(side));
let players = {};
// The names of who plays, for all that is said from now on.
export const name = (details) => (players = details?.players ?? {});
export const playerName = (side) => players[side] ?? sideName(side);
export const pieceName = (code) =>
  say("{side} {kind}", { side: sideName(sideOf(code)), kind: KINDS[kindOf(code)] ?? kindOf(code) });

// The same as nodes that may break before a landing, so that long chains stay inside a phone.
export const written = (text) =>
  text.split(/(?=[-x])/).flatMap((part, leg) => (leg ? [document.createElement("wbr"), part] : [part]));

export const reason = (name) => REASONS[name] ?? name.replaceAll("-", " ");

export const winner = (outcome) => seats[outcome.result.split("-").indexOf("1")];
export const result = (outcome) => (winner(outcome) ? say("{side} wins", { side: sideName(winner(outcome)) }) : say("Drawn"));

export function said(move) {
  const taken = move.captured.length ? say(", takes {cells}", { cells: move.captured.join(", ") }) : "";
  return `${sideName(move.side)}: ${move.notation}${taken}`;
}
