// What may trouble a board, in words.

import { say } from "./say.js";

export const TROUBLES = {
  offline: say("not connected"),
  silent: say("connected, but nothing is heard"),
  twins: say("two boards have this name"),
  chain: say("its record does not fit what was stored"),
  shorter: say("its record goes less far than what was stored: was a copy taken back?"),
  missing: say("events are missing"),
  clock: say("its clock is wrong"),
  "changed-later": say("its result was changed after the next round was paired"),
  "cannot-see": say("the camera does not see the board"),
  doubt: say("the referee asks which move was made"),
  refused: say("a move is refused"),
  flag: say("out of time"),
  lights: say("the lights are out of order"),
  newer: say("it runs a newer version than the hall"),
};

export const FAULTS = {
  broker: say("The hall hears nothing from the boards by its broker. What is shown may be old."),
  database: say("The hall stores nothing: its database does not take it. Boards keep what they have until it does."),
  "set-aside": say("The hall's database is of another time than what lay beside it, which is kept in the hall's folder. Boards send what is missing; results said by hand since are to be said again."),
  "turned-away": say("A board is turned away, because this hall does not know it: have it join again with the code under Add a board."),
  certificate: say("The hall's certificate is to be renewed."),
  clock: say("The hall's own clock seems wrong."),
  page: say("The hall does not answer; what is shown may be old."),
};

// What an arbiter does about what nothing on this page mends.
export const HELP = {
  offline: say("Go there: is its computer on, and in the network? The game goes on there, and what was played comes when the line is back."),
  silent: say("Go there: is its computer on, and in the network? The game goes on there, and what was played comes when the line is back."),
  twins: say("End one of the two programs that run as this board, then write which one goes on. Until then no result is taken from it."),
  chain: say("Compare the board with the score sheets, and write what holds. This game's result is then given on the page of the tournament: what the board adds to it is not stored."),
  shorter: say("Compare the board with the score sheets, put the moves right there, and write what holds: then its results count again."),
  "changed-later": say("The result stays with which the next round was paired. See which is right; another one is given on the page of the tournament."),
  clock: say("Set the clock of the board's computer, then write that it is right: then its results count again."),
};
