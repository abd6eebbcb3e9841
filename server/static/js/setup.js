// The set-up page while a game goes on: the camera was moved, or the grid does not lie on the cells.

import * as placing from "./placing.js";
import { say } from "./say.js";

const RETRY_MS = 500;

placing.install((where) => {
  document.getElementById("kept").textContent = say("Saved in {file}. The referee looks at the board anew.", { file: where });
});

async function begin() {
  if (await placing.begin()) document.body.dataset.ready = "yes";
  else setTimeout(begin, RETRY_MS);
}

begin();
