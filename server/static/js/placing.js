// Finding the board on a page: the live picture, the corners over it, the fit, and keeping what was found.

import { Corners } from "./corners.js";
import { sentence } from "./diagnosis.js";
import { ask } from "./post.js";
import { readJson } from "./read.js";
import { address } from "./root.js";
import { say } from "./say.js";

const EACH_MS = 1000;
const RIGHT_FIT = 80; // right grids score more; between this and what may be saved it is worth a look
export const sayLooking = (seconds) => (seconds ? say("Looking for {seconds} s. Click again to start over.", { seconds }) : say("Looking …"));
const at = (id) => document.getElementById(id);
const picture = at("picture");
let corners = null;
let found = null;
let asks = 0;
let looking = null;
let forgotten = false;

// `kept` is told where the place was saved.
export function install(kept) {
  corners = new Corners(at("stage"), picture, outdated, () => find(corners.corners));
  at("find").addEventListener("click", () => find(null));
  at("turn").addEventListener("click", () => corners.turn());
  at("level").addEventListener("change", () => {
    corners.level = Number(at("level").value);
    corners.draw();
  });
  at("keep").addEventListener("click", async () => {
    const answer = await ask("setup/save", { number: found.number, force: !found.good });
    if (answer.problem) tell(answer.problem, "wrong");
    else kept(answer.saved, found.corners);
  });
  look();
}

// Begin with the corners in use, or with those `before`; false while there is no picture.
export async function begin(before = null) {
  const said = await readJson("setup");
  if (!said) return false;
  const { size, names, corners: known, asks_way_round: side } = said;
  at("level").replaceChildren(...names.map((_, level) => new Option(say("Level {number}", { number: level + 1 }), level)));
  at("levels").hidden = names.length < 2;
  corners.level = 0;
  forgotten = false;
  at("stage").toggleAttribute("hidden", false);
  corners.show(size, names, known);
  if (before ?? known) await find(before ?? known);
  askWayRound(side);
  return true;
}

// The camera that is asked for now gives no picture: another one's, and what was found in it, say nothing of it.
export function forgetPicture() {
  forgotten = true;
  forgetPlace();
  picture.hidden = true;
  at("stage").toggleAttribute("hidden", true);
}

// Another picture is chosen: what was found, or is still looked for, says nothing of it.
export function forgetPlace() {
  outdated();
  tell("", "");
  corners.grid({});
}

// What was found is not what the corners show any more: it is neither shown nor saved.
function outdated() {
  tell(say("Looking …"), "");
  at("turn-back").hidden = true;
  at("keep").disabled = true;
  asks += 1;
  looking?.abort();
}

async function find(given) {
  outdated(); // a second click, or a corner that was moved on meanwhile, begins anew
  const asked = asks;
  looking = new AbortController();
  const stop = counting((seconds) => asked === asks && tell(sayLooking(seconds), ""));
  const answer = await ask("setup/find", given ? { corners: given } : {}, looking.signal);
  stop();
  if (asked !== asks) return;
  found = answer.problem ? null : answer;
  at("keep").disabled = !found;
  again(!found?.good);
  if (!found) return diagnose(answer);
  corners.corners = given ?? found.corners;
  corners.draw();
  corners.grid(found.cells);
  at("keep").textContent = found.good ? say("Save this place") : say("Save it all the same");
  if (!found.good && !given) return diagnose(answer);
  const poor = say(found.doubt) || say("worst around {cell}", { cell: found.worst });
  const told = say("Fit {fit} of 100", { fit: found.fit });
  if (found.fit >= RIGHT_FIT) return tell(told, "good");
  const cause = await lookCloser(`${told}: ${poor}`); // lines of another game's board fit this badly
  if (asked === asks && cause.cause === "other-game") show(cause);
}

// Why it is not found, or fits badly: that takes some seconds, in which what is known is said, and that it goes on.
async function lookCloser(known) {
  const asked = asks;
  const told = (seconds) => `${known} ${say("(looking closer: {seconds} s)", { seconds })}`;
  const stop = counting((seconds) => asked === asks && tell(told(seconds), "ask"));
  const cause = await ask("setup/diagnosis", {}, looking.signal);
  stop();
  if (asked === asks) tell(known, "ask");
  return cause;
}

// Tells each second how long something takes, from now until what is returned is called.
export function counting(told) {
  const begun = Date.now();
  const each = setInterval(() => told(Math.round((Date.now() - begun) / 1000)), 1000);
  told(0);
  return () => clearInterval(each);
}

// Where the board is not found the button to press is the one that looks again; to save is the small one.
function again(first) {
  at("find").textContent = first ? say("Try again") : say("Find automatically");
  at("find").classList.toggle("main", first);
  at("keep").classList.toggle("main", !first);
}

async function diagnose(answer) {
  const asked = asks;
  const cause = await lookCloser(say("Not sure yet where the board is"));
  if (asked !== asks) return;
  if (cause.problem) return tell(answer.problem ?? cause.problem, "wrong");
  show(cause);
}

function show(cause) {
  tell(sentence(cause), "wrong");
  at("turn-back").hidden = cause.cause !== "mirrored";
  mark(cause.cells ?? []);
  document.dispatchEvent(new CustomEvent("diagnosed", { detail: cause }));
}

// Whether the camera mirrors, where a mirrored picture looks the same: somebody at the board says it, from the `side`
// before rank 1; without one nothing is asked. Into the picture of a `live` camera a hand can be held.
export function askWayRound(side, live = true) {
  at("way-round").hidden = !side;
  at("stage").classList.toggle("asks-way-round", Boolean(side));
  if (!side) return;
  const [left, right] = corners.names[0];
  at("way-round-told").textContent = live
    ? say("Many phones and webcams mirror the picture, and this board looks the same mirrored. Sit where {side} sits, put a hand on the corner to your left, and look at the picture: where is the hand?", { side: say(side) })
    : say("Many phones and webcams mirror the picture, and this board looks the same mirrored. Seen from where {side} sat, which corner was on the left? Writing in the picture tells: mirrored, it is back to front.", { side: say(side) });
  at("way-right").textContent = say("At {corner}", { corner: left });
  at("way-mirrored").textContent = say("At {corner}", { corner: right });
}

// `said` is told whether the picture is mirrored.
export function onWayRound(said) {
  for (const [id, mirrored] of [["way-right", false], ["way-mirrored", true], ["turn-back", true]])
    at(id).addEventListener("click", async () => {
      const { problem } = await ask("setup/way-round", { mirrored });
      at("way-round-fault").textContent = problem ?? "";
      if (problem) return;
      at("turn-back").hidden = true;
      askWayRound(null);
      said(mirrored);
    });
}

// Point at cells of the grid.
export function mark(cells) {
  for (const cell of at("stage").querySelectorAll(".cells polygon")) cell.classList.toggle("wrong", cells.includes(cell.dataset.cell));
}

function tell(text, kind) {
  at("fit-told").textContent = text;
  at("fit-told").className = `fit ${kind}`;
}

function look() {
  if (!document.hidden && !corners.held) {
    const next = new Image(); // what has not come yet leaves no broken picture
    next.addEventListener("load", () => {
      if (forgotten) return;
      picture.src = next.src;
      picture.hidden = false;
    });
    next.src = address(`/api/v1/camera.jpg?at=${Date.now()}`);
  }
  setTimeout(look, EACH_MS);
}
