// The clocks: what each side has left when a snapshot comes, counted down here until the next one.

import { decimal } from "./say.js";
import { tag } from "./svg.js";

const EACH_MS = 200;
let clocks = null;
let since = 0;
let held = null; // performance.now() when the clocks were stopped without a snapshot that says so

// The clock of a side as elements for its line, none in a game without clocks.
export function face(seat, next) {
  if (next !== clocks) [clocks, since] = [next, performance.now()];
  if (!clocks) return [];
  return [tag("time", { class: "clock", role: "timer", "data-seat": seat, "aria-live": "off" }, shown(seat))];
}

const gone = () => Math.max(0, (held ?? performance.now()) - since) / 1000;
const seconds = (seat) => Math.max(0, clocks.left[seat] - (clocks.running === seat ? gone() : 0));
const shown = (seat) => written(seconds(seat));

// What is on the clock of a side that has time left; nothing where it has none, or no clock.
export const timeLeft = (seat) => (clocks?.left[seat] !== undefined && seconds(seat) > 0 ? shown(seat) : "");

// Seconds as on the face of a clock, rounded as format_time of engine/match/clock.py does in records: what has begun counts
// whole, a tenth where tenths are shown, so that nought means that the flag has fallen.
export function written(left) {
  const [tenths, whole] = [Math.ceil(left * 10), Math.ceil(left)];
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const seconds = tenths < 200 ? decimal(tenths / 10, 1).padStart(4, "0") : `${whole % 60}`.padStart(2, "0");
  return hours ? `${hours}:${`${minutes}`.padStart(2, "0")}:${seconds}` : `${minutes}:${seconds}`;
}

// A span as records and the pages of past games have it, h:mm:ss; what has begun counts as a whole second.
export function formatSpan(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map((part, place) => `${part}`.padStart(place ? 2 : 1, "0")).join(":");
}

// Whether the clock has ended the game: who rules may say that it was wrong, and give time.
export const flagFell = ({ phase, outcome, clocks }) => phase === "over" && Boolean(clocks) && ["time", "time-material"].includes(outcome?.reason);

function show() {
  for (const clock of document.querySelectorAll(".clock")) clock.textContent = shown(clock.dataset.seat);
}

document.addEventListener("set-up", ({ detail }) => {
  held = detail;
  show();
});
setInterval(show, EACH_MS);
