// A question that changed while it was open. One that lost its sense closes, and above the board stands why, until somebody
// taps anything; another takes no press that was under way when it changed.

import { say } from "./say.js";

const line = document.getElementById("ask-closed");

export function shut(dialog, question, why) {
  dialog.close();
  line.textContent = say("{why} “{question}” was closed.", { why, question });
  line.hidden = false;
  document.addEventListener("click", () => (line.hidden = true), { once: true });
}

// From a change until somebody can have seen it and decided anew. Lower, a press that was meant for what stood there before
// goes through; higher, who has looked has to press twice. People answer a sign they wait for in 200 to 300 ms; one that they
// do not expect, in the middle of a press, in about twice that.
const SIGHT_MS = 700;
let changed = null;

export function holdButtons(...buttons) {
  const mine = {};
  changed = mine;
  for (const button of buttons) button.setAttribute("aria-disabled", "true");
  setTimeout(() => {
    if (changed !== mine) return; // it has changed once more
    changed = null;
    for (const button of buttons) button.removeAttribute("aria-disabled");
  }, SIGHT_MS);
}

export const isHeld = () => changed !== null;

export const lookAgain = () => say("The board has changed since: look once more.");
