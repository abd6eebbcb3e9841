// What may trouble a board, in words.

import { say } from "./say.js";

export const TROUBLES = {
  offline: say("not connected"),
  silent: say("connected, but nothing is heard"),
  twins: say("two boards have this name"),
  chain: say("its record does not fit what was stored"),
  shorter: say("its record ends earlier than what the hall has stored: was an old copy put back?"),
  missing: say("events are missing"),
  clock: say("its clock is wrong"),
  "changed-later": say("its result was changed after the next round was paired"),
  contradicted: say("its game ended otherwise than an arbiter had said"),
  "cannot-see": say("the camera does not see the board"),
  doubt: say("the referee asks which move was made"),
  refused: say("a move is refused"),
  flag: say("out of time"),
  lights: say("the lights are out of order"),
  newer: say("it runs a newer version than the hall"),
};

// What troubles a board, or since when it is not in the hall any more.
export function standing({ troubles, left }) {
  const lines = troubles.map((one) => TROUBLES[one] ?? one);
  if (left) lines.unshift(say("left the hall: {time}", { time: moment(left) }));
  return lines.join("; ");
}

const moment = (seconds) => new Date(seconds * 1000).toLocaleString(document.documentElement.lang, { dateStyle: "short", timeStyle: "short" });

// What is shown in the place of a result while a game rests.
export const RESTS = { paused: say("Paused"), adjourned: say("Adjourned") };

export const FAULTS = {
  broker: say("The hall hears nothing from the boards through its broker. What is shown may be old."),
  database: say("The hall cannot store anything: its database refuses it. Boards keep what they have until that is fixed."),
  "set-aside": say("The hall's database is of another time than what lay beside it, which is kept in the hall's folder. Tournaments, players, pairings and results that were entered since are not in it: stop the hall and put the newer database back, or else enter them again. Boards send their games."),
  "set-back": say("The hall's database was set back to an earlier time while the hall ran. Tournaments, players, pairings and results that were entered since are not in it: enter them again. Boards send their games."),
  "another-hall": say("A second hall, with another broker, was started on this hall's database. It stores nothing, but end it, or give it a database of its own."),
  "turned-away": say("This hall turned a board away because it does not know it: let it join again with the code under Add a board."),
  certificate: say("The hall's certificate must be renewed."),
  clock: say("The hall's own clock seems wrong."),
  page: say("The hall does not answer; what is shown may be old."),
};

const RESULTS_DIFFER = say("Find out which result is right, and decide: it counts in the standings at once, and rounds that are paired already stay as they are. A third result is entered on the tournament page.");

// What an arbiter does about what nothing on this page mends.
export const HELP = {
  offline: say("Go there: is its computer on, and on the network? The game goes on there, and its moves arrive when the connection is back."),
  silent: say("Go there: is its computer on, and on the network? The game goes on there, and its moves arrive when the connection is back."),
  twins: say("End one of the two programs that run as this board, then write which one goes on. Until then no result is taken from it."),
  chain: say("Compare the board with the score sheets, and write down what is right. Then enter this game's result on the tournament page: what the board adds to it is not stored."),
  shorter: say("Compare the board with the score sheets, correct the moves at the board, and write down what is right: then its results count again."),
  "changed-later": RESULTS_DIFFER,
  contradicted: RESULTS_DIFFER,
  clock: say("Set the clock of the board's computer, then write that it is right: then its results count again."),
};
