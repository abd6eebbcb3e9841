// What is out of order while the game goes on all the same: the lights of the board, or the record that waits.

import { say } from "./say.js";
import { tag } from "./svg.js";

const line = document.getElementById("troubles");
let shown = "";

export function draw({ lights, record }) {
  const now = `${lights ?? ""}\n${record ?? ""}`;
  if (!line || now === shown) return; // said once, not with every snapshot
  shown = now;
  const told = [];
  if (record?.includes("another program")) {
    told.push(say("Another program holds the record: moves are shown when it lets go."), " ");
  } else if (record) {
    const advice = say("The disk takes nothing: moves are kept in memory and shown when it does. Make room on it, or plug it in.");
    told.push(advice, " ", tag("small", {}, record), " ");
  }
  if (lights) told.push(say("The lights do not work; the game goes on without them."), " ", tag("small", {}, lights));
  line.replaceChildren(...told);
  line.hidden = !told.length;
}
