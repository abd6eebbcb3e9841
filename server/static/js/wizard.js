// From nothing to the first move: each step opens the next one.

import * as placing from "./placing.js";
import { ask } from "./post.js";
import { say } from "./say.js";

const POLL_MS = 500;
const at = (id) => document.getElementById(id);
const open = (name, yes = true) => (at(`step-${name}`).disabled = !yes);

placing.install(() => {
  open("pieces");
  check();
});

function offerRules() {
  const fitting = [...at("rules").options].filter((option) => !(option.hidden = option.dataset.game !== at("game").value));
  fitting[0].selected = true;
}

async function check() {
  at("pieces-told").textContent = say("Looking …");
  const { wrong, problem } = await ask("wizard/pieces", {});
  placing.mark(wrong ?? []);
  at("pieces-told").textContent =
    problem ?? (wrong.length ? say("Look at {cells}", { cells: wrong.join(", ") }) : say("Every piece stands where it belongs."));
  at("pieces-told").className = `fit ${problem ? "wrong" : wrong.length ? "ask" : "good"}`;
  open("start", !problem);
}

at("game").addEventListener("change", offerRules);
offerRules();
at("look-again").addEventListener("click", check);
at("step-camera").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { problem } = await ask("wizard/camera", Object.fromEntries(new FormData(event.target)));
  at("camera-fault").textContent = problem ?? "";
  for (const later of ["place", "pieces", "start"]) open(later, false);
  if (problem) return;
  open("place");
  await placing.begin();
  at("find").click();
});
at("start").addEventListener("click", async () => {
  const { problem } = await ask("wizard/start", { port: at("lights").value, protocol: at("protocol").value });
  at("start-fault").textContent = problem ?? say("The game begins …");
  if (!problem) follow();
});

// The wizard's page ends and the game's begins at the same address.
async function follow() {
  const response = await fetch("/api/v1/game").catch(() => null);
  if (response?.ok) location.replace("/");
  else setTimeout(follow, POLL_MS);
}

document.body.dataset.ready = "yes";
