// Finding the board on a page: the live picture, the corners over it, the fit, and keeping what was found.

import { Corners } from "./corners.js";
import { ask } from "./post.js";

const EACH_MS = 1000;
const at = (id) => document.getElementById(id);
const picture = at("picture");
let corners = null;
let found = null;
let asks = 0;

// `kept` is told where the place was saved.
export function install(kept) {
  corners = new Corners(at("stage"), picture, () => find(corners.corners));
  at("find").addEventListener("click", () => find(null));
  at("turn").addEventListener("click", () => corners.turn());
  at("level").addEventListener("change", () => {
    corners.level = Number(at("level").value);
    corners.draw();
  });
  at("keep").addEventListener("click", async () => {
    const answer = await ask("setup/save", { number: found.number, force: !found.good });
    say(answer.problem ?? "", answer.problem ? "wrong" : "");
    if (!answer.problem) kept(answer.saved);
  });
  look();
}

// Begin with the corners in use; false while there is no picture.
export async function begin() {
  const response = await fetch("/api/v1/setup").catch(() => null);
  if (!response?.ok) return false;
  const { size, names, corners: known } = await response.json();
  at("level").replaceChildren(...names.map((_, level) => new Option(`Level ${level + 1}`, level)));
  at("levels").hidden = names.length < 2;
  corners.level = 0;
  corners.show(size, names, known);
  if (known) await find(known);
  return true;
}

async function find(given) {
  at("fit-told").textContent = "Looking …";
  at("keep").disabled = true;
  const asked = ++asks;
  const answer = await ask("setup/find", given ? { corners: given } : {});
  if (asked !== asks) return; // the corner was moved on meanwhile
  found = answer.problem ? null : answer;
  at("keep").disabled = !found;
  if (!found) return say(answer.problem, "wrong");
  corners.corners = given ?? found.corners;
  corners.draw();
  corners.grid(found.cells);
  at("keep").textContent = found.good ? "Save this place" : "Save it all the same";
  const poor = found.doubt || `worst around ${found.worst}`;
  say(`Fit ${found.fit} of 100${found.good ? "" : `: ${poor}`}`, found.good ? "good" : "ask");
}

function say(text, kind) {
  at("fit-told").textContent = text;
  at("fit-told").className = `fit ${kind}`;
}

function look() {
  if (!document.hidden && !corners.held) picture.src = `/api/v1/camera.jpg?at=${Date.now()}`;
  setTimeout(look, EACH_MS);
}
