// The banner of every page of a hall: what is wrong with the hall itself, within seconds, and gone when all is well.

import { FAULTS } from "./hall_words.js";
import { address } from "./root.js";
import { within } from "./within.js";

const EVERY_MS = 2000;
const PATIENCE_MS = 3000;
const banner = document.getElementById("hall-faults");

async function look() {
  let lines;
  try {
    const answer = await fetch(address("/api/v1/hall/health"), { signal: within(PATIENCE_MS) });
    if (answer.status === 401) return;
    const { faults } = await answer.json();
    lines = faults.map(({ what, why }) => `${FAULTS[what] ?? what} (${why})`);
  } catch {
    lines = [FAULTS.page];
  }
  const text = lines.join(" ");
  if (banner.textContent !== text) banner.textContent = text;
  banner.hidden = !text;
}

look();
setInterval(look, EVERY_MS);
