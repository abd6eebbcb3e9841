// A page follows its feed: each snapshot is drawn, each event is said aloud. Nothing is remembered but the newest.

import * as board from "./board.js";
import { listen } from "./listen.js";
import * as moves from "./moves.js";
import "./speech.js";
import * as status from "./status.js";
import * as cells from "./table.js";
import * as troubles from "./troubles.js";
import * as unseen from "./unseen.js";
import "./visit.js";
import { name } from "./words.js";

let newest = null;
let also = [];

export const current = () => newest;

function show(snapshot) {
  if (snapshot.game !== document.body.dataset.game) return location.reload();
  newest = snapshot;
  name(snapshot.details);
  document.body.dataset.mode = snapshot.mode;
  board.draw(snapshot);
  status.draw(snapshot);
  moves.draw(snapshot);
  cells.draw(snapshot);
  unseen.draw(snapshot);
  troubles.draw(snapshot);
  for (const draw of also) draw(snapshot);
  document.body.dataset.ready = "yes";
}

// The first connection brings only what is new; events of the past are in the snapshot. What a page has besides is
// drawn by `more`.
export function follow(...more) {
  also = more;
  connect();
}

function connect() {
  listen(`${document.body.dataset.feed}/events?snapshots=1`, {
    snapshot: (text) => show(JSON.parse(text)),
    message: (text) => {
      const told = JSON.parse(text);
      if (newest) status.announce(told);
      if (told.event === "refused") document.dispatchEvent(new CustomEvent("refused", { detail: told }));
    },
  });
}

addEventListener("keydown", (event) => {
  if (event.key === "t" && !event.ctrlKey && !event.metaKey && !event.target.closest("input, select, dialog")) board.turn();
});
document.getElementById("turn-board").addEventListener("click", board.turn);
