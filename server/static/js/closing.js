// A question that changed while it was open. One that lost its sense closes, and above the board stands why; another takes no
// press that was under way when it changed. What stands above the board so ends by itself.

import { say } from "./say.js";

const LASTS_MS = 30000; // above the board, where nothing follows: longer it pushes the board down, shorter it is missed by who looks at the pieces
const READ_MS = 6000; // it stays so long although the game goes on: less leaves no time to read two lines after a quick reply

const closed = passing("ask-closed");
document.addEventListener("click", () => closed.say(""), { capture: true }); // a tap that brings the next one hides this one first

// A line above the board that goes by itself: after LASTS_MS, or when the game has gone on since it was said.
export function passing(id) {
  const line = document.getElementById(id);
  let [ends, at, since] = [0, "", 0];
  const hide = () => (line.hidden = true);
  return {
    say(text) {
      clearTimeout(ends);
      [at, since] = ["", performance.now()];
      line.textContent = text;
      line.hidden = !text;
      if (!text) return;
      line.scrollIntoView({ block: "nearest" }); // whoever pressed a button far below would see nothing
      ends = setTimeout(hide, LASTS_MS);
    },
    follow({ name, ply }) {
      at ||= `${name} ${ply}`;
      if (at !== `${name} ${ply}` && performance.now() - since > READ_MS) hide();
    },
  };
}

export function shut(dialog, question, why) {
  close(dialog, say("{why} “{question}” was closed.", { why, question }));
}

// Of a question whose answer the board has given: what that is.
export function close(dialog, told) {
  dialog.close();
  closed.say(told);
}

export const followClosed = (now) => closed.follow(now);

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
