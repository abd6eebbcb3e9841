// The set-up page while a game goes on: the camera was moved, or the grid does not lie on the cells.

import * as placing from "./placing.js";
import { ask } from "./post.js";
import { readJson } from "./read.js";
import { address } from "./root.js";
import { say } from "./say.js";

const RETRY_MS = 500;

placing.install((where) => {
  document.getElementById("kept").textContent = say("Saved in {file}. The referee looks at the board anew.", { file: where });
});

placing.onWayRound((mirrored) => {
  if (!mirrored) return void (document.getElementById("kept").textContent = say("Saved: the picture is not mirrored."));
  document.getElementById("kept").textContent = say("Saved: pictures from this camera are flipped back from now on. The referee starts afresh.");
  setTimeout(follow, RETRY_MS);
});

// Another board lies there: the referee makes way for the page on which its game is chosen.
const other = document.getElementById("other-game");
other?.addEventListener("click", async () => {
  const { problem } = await ask("onward", { what: "other-game" });
  document.getElementById("other-game-fault").textContent = problem ?? say("A moment …");
  if (!problem) setTimeout(lead, RETRY_MS);
});
document.addEventListener("diagnosed", ({ detail: { cause, game } }) => {
  if (cause !== "other-game" || !other) return;
  other.textContent = say("Change to {game}", { game: JSON.parse(document.getElementById("game-titles").textContent)[game] ?? game });
  other.dataset.game = game;
  other.classList.add("main");
  other.closest(".card").scrollIntoView({ block: "nearest" });
});

// The page on which a game is chosen knows of none yet.
async function lead() {
  const response = await fetch(address("/api/v1/game"), { cache: "no-store" }).catch(() => null);
  if (response?.status === 204) location.assign(`${address("/")}#${other.dataset.game ?? ""}`);
  else setTimeout(lead, RETRY_MS);
}

// The referee opens the camera anew and is at the same address.
async function follow() {
  if (await readJson("setup")) location.reload();
  else setTimeout(follow, RETRY_MS);
}

async function begin() {
  if (await placing.begin()) document.body.dataset.ready = "yes";
  else setTimeout(begin, RETRY_MS);
}

begin();
