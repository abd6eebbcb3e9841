// Why nothing is said just now, or what decided what was said last: one line for the arbiter.

import { because, say } from "./say.js";
import { tag } from "./svg.js";

const line = document.getElementById("waits");

export function draw({ waits = [], note }) {
  const decided = note?.reason?.rule ? [note.reason] : [];
  const asked = waits.length ? say("Why not yet?") : decided.length ? say("Why?") : "";
  line.classList.toggle("waiting", waits.length > 0);
  const told = (waits.length ? waits : decided).map((reason) => tag("span", {}, because(reason)));
  const parts = asked ? [tag("b", {}, asked), ...told] : [say("Nothing is waited for.")];
  line.replaceChildren(...parts.flatMap((part, number) => (number ? [" ", part] : [part])));
}
