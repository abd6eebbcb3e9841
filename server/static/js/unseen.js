// That the board is not seen, over everything else: why, and what to do. Spectators are told that it is so.

import { ask } from "./post.js";
import { address } from "./root.js";
import { say, translated } from "./say.js";
import { tag } from "./svg.js";

const banner = document.getElementById("unseen");
const looksOn = document.body.dataset.feed.endsWith("/spectator");
const ENDED = "recording-ended";
const NO_PICTURE = "no-picture";
const TURNED = "turned";
const HALTED = "halted";
const WORKING = "working";
const byPhone = Boolean(document.body.dataset.phone); // a phone has neither a cable nor a plug to pull
const LOOK_MS = 400;
const CAUSES = {
  "no-picture": say("The camera gives no picture: check its cable, or restart it."),
  frozen: byPhone ? say("The phone sends the same picture again and again: turn its screen on, or open its page again.")
    : say("The camera shows the same picture again and again: unplug it and plug it in again."),
  dark: say("It is too dark to see the board: put a light on."),
  noise: say("The picture is too noisy to tell the pieces: put more light on the board."),
  small: say("The farthest cells are too small in the picture: put the camera higher or nearer."),
  shake: say("The picture shakes: put the camera on firm ground."),
  blur: say("The picture is not sharp: wait for the camera to focus, or clean its lens."),
  covered: say("Something covers the board or the camera, or the light on it is moving. If nothing does, play on."),
  turned: say("The picture is turned, mirrored or of another shape than when the board was set up: turn the camera or the phone back as it was then, or find the board anew on the set-up page."),
  moved: say("The board is not where it was: put the camera back, or find the board anew on the set-up page."),
  slow: say("The camera sends too few pictures to follow a game: give it a better network, or set it to more pictures a second."),
  behind: say("This machine is too slow for the camera: choose a smaller picture or fewer frames a second."),
};
let shown = null;

export function draw({ cannot_see: unseen }) {
  const now = unseen ? `${unseen.cause} ${unseen.detail ?? ""}` : "";
  if (now === shown) return; // said once, not with every snapshot
  shown = now;
  banner.classList.toggle("asks", Boolean(unseen) && ![ENDED, WORKING].includes(unseen.cause));
  banner.dataset.cause = unseen?.cause ?? "";
  banner.replaceChildren(...(unseen ? told(unseen) : []));
}

function told(unseen) {
  const { cause, message, detail } = unseen;
  if (cause === ENDED) return ended();
  if (cause === HALTED) return halted();
  if (cause === WORKING) return working();
  const headline = tag("b", {}, say("The board is not seen."));
  if (looksOn) return [headline];
  const other = cause === NO_PICTURE && document.body.dataset.otherCamera ? [" ", chosen("other-camera", say("Choose another camera"))] : [];
  if (cause === NO_PICTURE && byPhone) {
    const again = other.length ? say("its code is behind “Choose another camera”") : say("its address was said where the referee was started");
    return [headline, " ", say("The phone sends no picture: turn its screen on, or open its page again; {again}.", { again }), ...other];
  }
  return [headline, " ", general(cause, message, detail), ...(detail ? [" ", tag("small", {}, translated({ ...unseen, message: detail }))] : []), ...other];
}

// What helps in general: not beside what the camera answered, which says better what to do.
function general(cause, message, detail) {
  if (detail && cause === NO_PICTURE) return say("The camera gives no picture.");
  return (detail && cause === TURNED ? "" : CAUSES[cause]) ?? message;
}

function chosen(what, text) {
  const button = tag("button", { type: "button", class: what === "again" ? "" : "main" }, text);
  button.addEventListener("click", () => go(what));
  return button;
}

// What the page showed last is vouched for by nobody: it goes on by itself, or somebody starts the program again.
function halted() {
  const headline = tag("b", {}, say("The referee is stuck."));
  return looksOn ? [headline] : [headline, " ", say("Wait a moment; if it stays stuck, restart the program. Nothing it has reported is lost.")];
}

// It is known to be at work, and says more as soon as that is done.
function working() {
  const headline = tag("b", {}, say("Working, wait."));
  return looksOn ? [headline] : [headline, " ", say("The referee is reading the board, which takes this computer a moment.")];
}

// A recording is no end: whoever may is offered what comes after it.
function ended() {
  const headline = tag("b", {}, say("The recording is over."));
  if (!document.body.dataset.rules) return [headline];
  return [headline, " ", chosen("again", say("Play it again")), chosen("own-board", say("Set up your own board"))];
}

async function go(what) {
  const problem = await onward(what);
  banner.textContent = problem || say("A moment …");
}

// Leads to what was asked for; what is wrong, or nothing.
export async function onward(what) {
  const { problem, page } = await ask("onward", { what });
  if (page) location.assign(address(page));
  else if (!problem) setTimeout(() => follow(what), LOOK_MS);
  return problem ?? "";
}

// The site ends and another one begins at the same address: the game anew, or the one of the own board.
async function follow(what) {
  const response = await fetch(address("/api/v1/game")).catch(() => null);
  const now = response?.status === 200 ? await response.json() : null;
  if (response?.status === 409) return void location.assign(address("/")); // it could not be opened: that page says why
  const begun = now && what !== "other-camera" && now.cannot_see?.cause !== ENDED && (what === "again" || !now.film);
  if (begun) location.assign(address("/"));
  else setTimeout(() => follow(what), LOOK_MS);
}
