// The move that the computer, or the other board, wants made here: as sentences, as steps, and what went wrong with it.

import { say, translated } from "./say.js";
import { tag } from "./svg.js";
import { reason, sideName } from "./words.js";

let told = "";

// What is wrong between two boards.
const elsewhere = ({ values, ...said }) => translated({ ...said, values: { ...values, reason: values.reason && reason(values.reason) } });

// What the computer plays, or that something else was made of it.
function sentence({ side, move, played, trouble, far, said }) {
  if (far && said) return elsewhere(said);
  if (far && played) return say("{move} was played at the other board, but {played} was made here.", { move, played });
  if (far) return say("{side} has played {move} at the other board. Make this move here.", { move, side: sideName(side) });
  if (trouble) return say("The computer has no move: {why}. Choose its level again; if that does not help, play its side yourselves and run referee doctor.", { why: trouble });
  if (played) return say("The computer wanted {move}, but {played} was made. Take it back, or go on.", { move, played });
  return say("The computer plays {move} for {side}. Make this move on the board.", { move, side: sideName(side) });
}

const STEPS = {
  lift: ([cell]) => say("Take the piece on {cell}.", { cell }),
  leg: (cells, over) =>
    over.length ? say("From {from} over {over} to {to}.", { from: cells[0], over: over.join(", "), to: cells.at(-1) })
      : say("From {from} to {to}.", { from: cells[0], to: cells.at(-1) }),
  take: (cells) => say("Take off {cells}.", { cells: cells.join(", ") }),
};
const stepped = ({ steps }) => steps.map(({ deed, cells, over }) => STEPS[deed](cells, over));

function astray({ wrong, left }) {
  return [
    ...(wrong.length ? [say("Wrong on {cells}.", { cells: wrong.join(", ") })] : []),
    ...(left.length ? [say("Not done yet on {cells}.", { cells: left.join(", ") })] : []),
  ];
}

// For the card that says whose turn it is: the sentence, where it went wrong, and the steps, the one that is lit marked.
export function carrying(advice) {
  const steps = stepped(advice).map((text, at) => tag("li", at + 1 === advice.step ? { class: "lit" } : {}, text));
  return [
    ...[sentence(advice), ...astray(advice)].map((text) => tag("p", { class: "say" }, text)),
    ...(steps.length ? [tag("ol", { class: "carry" }, ...steps)] : []),
  ];
}

// For those who listen: once for each move, and once for what went wrong with it.
export function draw({ advice, phase }) {
  const awaited = advice && phase !== "lifted" && phase !== "partial";
  if (advice && !awaited) return;
  const all = advice ? [sentence(advice), ...astray(advice), ...stepped(advice)].join(" ") : "";
  if (all && all !== told) document.getElementById("announce").textContent = all;
  told = all;
}
