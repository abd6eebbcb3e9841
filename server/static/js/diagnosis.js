// What is wrong with a set-up, in a sentence and with what to do: the causes are those of server/board/setup/diagnosis.py.

import { say } from "./say.js";

const FEW = 6; // more cells than this are shown in the picture and not named
const titles = JSON.parse(document.getElementById("game-titles")?.textContent ?? "{}");

const SAID = {
  ready: () => say("Every piece stands where it belongs."),
  pieces: ({ cells }) => (cells.length > FEW ? say("{count} cells differ from the start position: they are marked in the picture.", { count: cells.length })
    : say("Not the start position yet: {cells}. Put the pieces there in the middle of their cells.", { cells: cells.join(", ") })),
  empty: () => say("The board is empty: set up the pieces. The drawing shows where they stand."),
  half: () => say("Many pieces are missing: set up the marked ones too."),
  turned: () => say("The pieces are on each other's side. Turn the board, or swap the two sides, or say above that White plays the darker pieces."),
  covered: () => say("Something lies over the board, a hand perhaps: take it away."),
  small: () => say("The board is too small in the picture: move the camera nearer, until the board fills most of it."),
  "other-game": ({ game }) => say("This is the board of {game}.", { game: titles[game] ?? game }),
  mirrored: () => say("The picture is mirrored, as phones show their owners."),
  dark: () => say("It is too dark: put a light on."),
  bright: () => say("It is too bright: turn the lamp away, or close the curtain, until the light pieces can be told from the board."),
  blurred: () => say("The picture is not sharp: wait for the camera to focus, clean its lens, and keep it still."),
  cut: () => say("Only part of the board is visible: all four corners must be in the picture, with nothing over them."),
  "two-boards": () => say("More than one board is in the picture: leave one, or move the camera nearer to it."),
  "no-board": () => say("There is no board in the picture: point the camera at it. No board? Print one."),
  unsure: () => say("Not sure where the board is. Set up all pieces, take your hands away, and try again; or drag the corners onto the board."),
};

export const sentence = (diagnosis) => (SAID[diagnosis.cause] ?? SAID.unsure)(diagnosis);
