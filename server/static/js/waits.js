// Why nothing is said just now, or what decided what was said last: one line for the arbiter.

import { because, say } from "./say.js";
import { tag } from "./svg.js";

const GOES_ON = new Set(["playing", "over"]); // in all others somebody waits for people, and the card above says for what
const line = document.getElementById("waits");

export function draw({ waits = [], note, phase }) {
  const decided = note?.reason?.rule ? [note.reason] : [];
  const asked = waits.length ? say("Why not yet?") : decided.length ? say("Why?") : "";
  line.classList.toggle("waiting", waits.length > 0);
  const told = (waits.length ? waits : decided).map((reason) => tag("span", {}, because(reason)));
  const parts = asked ? [tag("b", {}, asked), ...told] : GOES_ON.has(phase) ? [say("Not waiting for anything.")] : [];
  line.replaceChildren(...parts.flatMap((part, number) => (number ? [" ", part] : [part])));
}
