// A question that lost its sense while it was open: it closes, and above the board stands why, until somebody taps anything.

import { say } from "./say.js";

const line = document.getElementById("ask-closed");

export function shut(dialog, question, why) {
  dialog.close();
  line.textContent = say("{why} “{question}” was closed.", { why, question });
  line.hidden = false;
  document.addEventListener("click", () => (line.hidden = true), { once: true });
}

export const lookAgain = () => say("The board has changed since: look once more.");
