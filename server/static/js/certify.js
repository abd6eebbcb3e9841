// Leads through a sitting: what is to be done now, the board as it should stand then, and what came of what was done.

import { draw } from "./board.js";
import { ask } from "./post.js";
import { readJson } from "./read.js";
import { address } from "./root.js";
import { say } from "./say.js";
import { tag } from "./svg.js";

const POLL_MS = 300;
const PICTURE_MS = 1000;
const at = (id) => document.getElementById(id);
let drawn = "";

function show(now) {
  at("step").textContent = say("{at} of {of}.", now);
  at("progress").value = (now.over ? now.of : now.at - 1) / now.of;
  if (at("task").textContent !== now.text || now.over) at("task").textContent = now.over ? say("That was all. Thank you.") : now.text;
  at("cause").textContent = now.over ? "" : now.cause;
  at("over").hidden = !now.over;
  at("turn-hint").hidden = now.over;
  at("verdict").textContent = now.good ? say("A good table.") : say("This table can be better.");
  for (const button of document.querySelectorAll("[data-say]")) button.hidden = now.over;
  at("done").replaceChildren(...now.done.map(line).reverse());
  const picture = JSON.stringify([now.cells, now.leds]);
  if (picture === drawn) return;
  drawn = picture;
  draw({ cells: now.cells, leds: now.leds, phase: "playing", note: null, hints: {}, ply: 0, last: null, cannot_see: null });
}

function line({ text, outcome, said, seconds, instead }) {
  const soon = seconds === null ? "" : say("after {seconds} s", { seconds });
  return tag("li", {}, tag("span", {}, text), tag("b", { class: outcome }, said), ...(instead ? [tag("small", {}, instead)] : []), tag("small", {}, soon));
}

async function poll() {
  const said = await readJson("certify");
  if (said) show(said);
  document.body.dataset.ready = "yes";
  setTimeout(poll, POLL_MS);
}

function look() {
  const picture = new Image();
  picture.addEventListener("load", () => {
    at("picture").src = picture.src;
    at("picture").hidden = false;
  });
  if (!document.hidden) picture.src = address(`/api/v1/camera.jpg?at=${Date.now()}`);
  setTimeout(look, PICTURE_MS);
}

for (const button of document.querySelectorAll("[data-say]"))
  button.addEventListener("click", () => ask("certify", { what: button.dataset.say }));
poll();
look();
