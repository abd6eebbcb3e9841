// How values are said to people.

export const seats = document.body.dataset.seats.split(" ");
const KINDS = {
  N: "knight", M: "man", P: "pawn", C: "catapult", A: "archer", R: "rook", B: "bishop", I: "prince", Q: "queen", K: "king",
};
const REASONS = {
  castle: "the enemy castle is taken", "captured-all": "every enemy piece is captured", "no-moves": "no lawful move is left",
  material: "too few pieces are left to win", resigned: "by resignation", agreement: "by agreement",
  time: "out of time", absence: "did not come", rules: "forfeited under the rules",
};

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const sideOf = (code) => seats.find((seat) => seat[0].toUpperCase() === code[0]);
export const kindOf = (code) => code.slice(1);
export const pieceName = (code) => `${sideOf(code)} ${KINDS[kindOf(code)] ?? kindOf(code)}`;
export const notation = (text) => text.replaceAll("-", "–").replaceAll("x", "×");

// The same as nodes that may break before a landing, so that long chains stay inside a phone.
export const written = (text) =>
  notation(text).split(/(?=[–×])/).flatMap((part, leg) => (leg ? [document.createElement("wbr"), part] : [part]));

export const reason = (name) => REASONS[name] ?? name.replaceAll("-", " ");

export const winner = (outcome) => seats[outcome.result.split("-").indexOf("1")];
export const result = (outcome) => (winner(outcome) ? `${capital(winner(outcome))} wins` : "Drawn");

export function said(move) {
  const taken = move.captured.length ? `, takes ${move.captured.join(", ")}` : "";
  return `${capital(move.side)}: ${notation(move.notation)}${taken}`;
}
