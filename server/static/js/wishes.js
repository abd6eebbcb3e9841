// Wishes about the game. Each carries what it was decided on, so that it is granted once and never on what has changed:
// what comes too late is refused, and who asked is told what has happened since.

import { post } from "./post.js";
import { say, translated } from "./say.js";

const sent = new Map(); // the name of a wish -> what is done when it is refused

// What is seen now, to be sent with what is decided on it.
export const seen = ({ name, ply, state }) => ({ game: name, ply, state });

const TWICE_MS = 1000; // a double click, by slow hands too, asks for one thing
let last = { said: "", at: -TWICE_MS, answer: null };

// Ask for something that was decided on `on`; what is wrong with the request, or nothing. `refused` gets the sentence.
export function wish(name, body, on, refused = () => null) {
  const said = JSON.stringify([name, body, on]);
  if (said === last.said && performance.now() - last.at < TWICE_MS) return last.answer;
  last = { said, at: performance.now(), answer: asked(name, body, on, refused) };
  return last.answer;
}

async function asked(name, body, on, refused) {
  const called = String(Math.random()).slice(2);
  sent.set(called, refused);
  const problem = await post(name, { ...body, ...(on ? { on } : {}), wish: called });
  if (problem) last = { ...last, said: "" }; // nothing was asked: the same may be tried again at once
  return problem;
}

const SINCE = {
  "new-game": () => say("Too late: another game has begun since."),
  played: ({ move }) => say("Too late: {move} was played since.", { move }),
  "taken-back": () => say("Too late: it has been taken back already."),
  over: () => say("Too late: the game has ended since."),
  rest: () => say("Too late: the game was paused or adjourned since."),
  changed: () => say("Too late: the game has changed since."),
  named: () => say("Somebody else has changed the same meanwhile: look at what the page shows, then save again or cancel."),
  answered: () => say("Too late: the question was answered, or the board shows something else."),
};

const SINCE_THEN = [
  ["new-game", (then, now) => now.name !== then.name],
  ["played", (then, now) => now.ply > then.ply],
  ["taken-back", (then, now) => now.ply < then.ply],
  ["over", (then, now) => now.phase === "over" && then.phase !== "over"],
  ["rest", (then, now) => resting(now) && !resting(then)],
  ["changed", (then, now) => course(now) !== course(then)],
];
// What of a game is decided on: as many plies may be others by now, after a correction or where a position was set.
const course = ({ moves, outcome, cells, side, out }) =>
  JSON.stringify([moves.map(({ notation }) => notation), outcome?.result, outcome?.reason, cells, side, out]);
const resting = ({ phase }) => phase === "paused" || phase === "adjourned";

export const answered = () => SINCE.answered();

// What has happened between two states of the board that makes a question about the first come too late; nothing if none.
export function overtaken(then, now) {
  const [what] = SINCE_THEN.find(([, happened]) => happened(then, now)) ?? [];
  return what ? SINCE[what]({ move: now.moves.at(-1)?.notation }) : "";
}

// Why something was refused, as people are told; nothing for the wish of another page.
export function refusalOf(told) {
  if (told.wish && !sent.has(told.wish)) return "";
  return SINCE[told.since]?.(told) ?? translated(told);
}

document.addEventListener("refused", ({ detail: told }) => {
  sent.get(told.wish)?.(refusalOf(told), Boolean(told.since));
  sent.delete(told.wish);
});
