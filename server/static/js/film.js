// The demonstration: what the recording shows just now, in words, and the buttons that pause it and skip.

import { post } from "./post.js";
import { say } from "./say.js";
import { onward } from "./unseen.js";

const CAPTIONS = {
  "": say("It begins when this page is ready."),
  welcome: say("The program is now refereeing a recorded evening. The picture is what its camera sees, the board what it makes of it."),
  ready: say("All pieces are in place: the game begins by itself."),
  "first-move": say("The hand is gone: the move is recorded and saved to disk."),
  knocked: say("A sleeve brushes a piece. It lies beside its square now, and still counts there."),
  captured: say("Two pieces are captured. The list says which ones have to come off the board."),
  canter: say("A canter: a piece leaps over its own, and may go on."),
  "must-jump": say("Black has to jump now. Watch what comes of a plain move."),
  refused: say("Black must jump: the referee refuses, and shows the jumps that are due."),
  restored: say("The piece is put back, and Black jumps: the game goes on."),
  "lamp-off": say("The lamp goes off: the picture is dark, the game goes on."),
  "lamp-on": say("The lamp goes on again. Changing light does not confuse it."),
  cup: say("A mug is put down beside the board: it is no move."),
  bumped: say("Somebody bumps the camera: the board is found again by itself."),
  castle: say("White is about to enter the castle with a second piece: that wins."),
  result: say("The game is over. Its score sheet is on this page, the analysis behind “{button}”. Now your own board!", { button: say("Look at it") }),
};
const RESTING = new Set(["paused", "adjourned"]); // the recording waits for the game, which goes on by its own button
const bar = document.getElementById("film");
let shown = null;

export function draw({ film, phase }) {
  if (!bar || !film) return;
  const now = JSON.stringify([film, phase]);
  if (now === shown) return;
  shown = now;
  document.getElementById("film-caption").textContent = CAPTIONS[film.caption] ?? "";
  bar.style.setProperty("--share", film.step / film.of);
  const [pause, skip] = bar.querySelectorAll("button");
  pause.dataset.film = film.paused ? "go-on" : "pause";
  pause.textContent = film.paused ? say("Play on") : say("Pause the recording");
  for (const button of [pause, skip]) button.hidden = film.over || RESTING.has(phase);
}

bar?.addEventListener("click", async ({ target }) => {
  const what = target.dataset.film;
  if (!what) return;
  const problem = what === "own-board" ? await onward(what) : await post("onward", { what });
  if (problem) document.getElementById("film-caption").textContent = problem;
});
