// What an arbiter has a board do from the hall's pages at once, and whether it has arrived.

import { ask } from "./post.js";
import { apart, say } from "./say.js";
import { tag } from "./svg.js";

export const ORDERS = { "stands-so": say("The camera is mistaken"), pause: say("Pause"), resume: say("Go on") };
export const NAMELESS = say("Say who you are first.");
const ARRIVED = { sent: say("sent"), "at-board": say("at the board"), refused: say("refused"), unanswered: say("the board does not answer") };
const FAULTS = { 409: say("The board is not connected: go there."), 422: NAMELESS, 503: say("The broker cannot be reached: try again.") };

// Who asks: the name is kept in this browser; `changed` hears that it is another one.
export function arbiterName(changed = () => {}) {
  const field = document.getElementById("who");
  field.value = localStorage.getItem("arbiter") ?? "";
  field.addEventListener("change", () => {
    localStorage.setItem("arbiter", field.value);
    changed();
  });
  return field;
}

// Have a board do something, on its game as it was shown; why it was not sent, "" if it was.
export async function order(board, what, who, on) {
  const { problem, code } = await ask(`hall/boards/${board}/commands`, { do: what, who, ...(on && { on }) });
  return problem ? FAULTS[code] ?? problem : "";
}

// What was sent to be done at once, for a minute: whether it has arrived.
export function showOrders(orders) {
  const lines = orders.map(({ board, do: what, state, why }) => tag("li", { class: state }, `${board}: ${ORDERS[what] ?? what} – ${ARRIVED[state]}${why ? `: ${apart(why)}` : ""}`));
  document.getElementById("orders-sent").replaceChildren(...lines);
}
