// Why a page hears nothing: nobody answers, the board is set up on another page, or the game could not be opened.

import { address } from "./root.js";
import { say } from "./say.js";
import { within } from "./within.js";

const ASK_MS = 2000;
const BANNER_MS = 500; // who answers has said why by then: lower shows a wrong reason first, higher is silent longer
const SET_UP = 204; // there is no game: its board is set up, or another one chosen
const FAILED = 409; // what is answered in the place of a game that could not be opened
const banner = document.getElementById("offline");
const lost = banner?.textContent;
let since = null; // performance.now() when the page heard nothing any more
let asking = null;
let gone = false;

// What is shown is old from now on.
export function beginSilence() {
  if (since !== null) return;
  since = performance.now();
  const mine = since;
  document.body.toggleAttribute("data-stale", true);
  if (!document.body.dataset.game) return reveal();
  setTimeout(() => mine === since && reveal(), BANNER_MS);
  asking = setInterval(() => askWhy(mine), ASK_MS);
  askWhy(mine);
}

export function endSilence() {
  since = null;
  clearInterval(asking);
  document.body.toggleAttribute("data-stale", false);
  if (banner) banner.hidden = true;
  tell(false);
}

// The page itself goes: the stream that ends then is not lost.
export const leavePage = (yes) => (gone = yes);

function reveal() {
  if (banner) banner.hidden = gone;
}

// A game that cannot go on has a page that says why, at the address where this one's was.
async function askWhy(mine) {
  const answer = await fetch(address("/api/v1/game"), { cache: "no-store", signal: within(ASK_MS) }).catch(() => null);
  if (mine !== since) return;
  if (answer?.status === FAILED && document.body.dataset.rules) return location.assign(address("/"));
  tell(answer?.status === SET_UP);
  if (answer) reveal();
}

// While the board is set up no clock runs: each stands where it was when the game was left.
function tell(setUp) {
  const text = setUp ? say("The board is being set up, or another game chosen, on another page. The game goes on after that.") : lost;
  if (banner && banner.textContent !== text) banner.textContent = text;
  document.dispatchEvent(new CustomEvent("set-up", { detail: setUp ? since : null }));
}
