// What every page besides the live ones shows of the camera: how well the board is seen, or why it is not.

import * as seen from "./seen.js";
import * as unseen from "./unseen.js";

const EACH_MS = 3000;
const feed = document.body.dataset.feed;

async function look() {
  const response = document.hidden ? null : await fetch(`${feed}/game`).catch(() => null);
  if (response && response.status !== 200) return; // a broadcast that has not begun
  if (response) {
    const now = await response.json();
    seen.draw(now);
    unseen.draw(now);
    document.body.dataset.ready = "yes";
  }
  setTimeout(look, EACH_MS);
}

if (feed) look();
else document.body.dataset.ready = "yes";
