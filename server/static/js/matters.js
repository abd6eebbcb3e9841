// The arbiters' queue: what waits, who sees to it, and what is decided. Who was second is shown the list anew.

import { ask } from "./post.js";
import { say } from "./say.js";
import { tag } from "./svg.js";

const list = document.getElementById("matters");
const who = document.getElementById("who");
let shown = "";

who.value = localStorage.getItem("arbiter") ?? "";
who.addEventListener("change", () => localStorage.setItem("arbiter", who.value));

async function send(matter, what, more = {}) {
  const { problem } = await ask(`hall/matters/${matter.id}/${what}`, { version: matter.version, who: who.value, ...more });
  document.getElementById("matters-fault").textContent = problem ?? "";
  shown = "";
  await follow();
}

function button(text, action) {
  const made = tag("button", { type: "button" }, text);
  made.addEventListener("click", action);
  return made;
}

function row(matter, said) {
  const link = tag("a", { href: `/hall/${matter.board}` }, matter.board);
  const item = tag("li", { "data-matter": matter.id }, link, ` ${said[matter.kind] ?? matter.kind} `);
  if (matter.state === "open" || matter.free) item.append(button(say("I see to it"), () => send(matter, "claim")));
  else {
    const ruling = tag("input", { maxlength: 500, "aria-label": say("Decision") });
    item.append(`– ${matter.owner} `, ruling, button(say("Decide"), () => send(matter, "rule", { ruling: ruling.value })));
  }
  return item;
}

let texts = {};

// Ask for the queue, and draw it if anything in it is new: somebody may be writing in it.
export async function follow(said = texts) {
  texts = said;
  const answer = await fetch("/api/v1/hall/matters");
  if (!answer.ok) return;
  const { matters } = await answer.json();
  const now = JSON.stringify(matters);
  if (now === shown) return;
  shown = now;
  list.replaceChildren(...matters.map((matter) => row(matter, said)));
  document.getElementById("queue").hidden = !matters.length;
}
