// The set-up page while a game goes on: the camera was moved, or the grid does not lie on the cells.

import * as placing from "./placing.js";
import { readJson } from "./read.js";
import { say } from "./say.js";

const RETRY_MS = 500;

placing.install((where) => {
  document.getElementById("kept").textContent = say("Saved in {file}. The referee looks at the board anew.", { file: where });
});

placing.onWayRound((mirrored) => {
  if (!mirrored) return void (document.getElementById("kept").textContent = say("Saved: the picture is as the board lies."));
  document.getElementById("kept").textContent = say("Saved: the pictures of this camera are turned back from now on. The referee begins anew.");
  setTimeout(follow, RETRY_MS);
});

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
