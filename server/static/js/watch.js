// All boards for spectators, as late as the delay: a small list is asked for every few seconds, and of a board that has
// changed the file that says where it is. Nothing stays open, so that any web server can answer any number of these.

import { drawn, shapes, sides, UNDECIDED } from "./hall_board.js";
import { say } from "./say.js";
import { tag } from "./svg.js";
import { within } from "./within.js";

const ANSWER_MS = 4000;
const EVERY_MS = 10000;
const place = document.getElementById("boards");
const offline = document.getElementById("offline");
const late = document.getElementById("late");
const files = place.dataset.files;
const REASONS = { ruling: say("decided by an arbiter"), undecided: UNDECIDED };
const shown = new Map(); // board -> { at, card }
const ORDER = new Intl.Collator(undefined, { numeric: true }); // table-2 before table-10
const MINUTES = new Intl.NumberFormat(document.documentElement.lang || undefined, { maximumFractionDigits: 1 });

async function get(name) {
  const answer = await fetch(`${files}/${name}`, { cache: "no-cache", signal: within(ANSWER_MS) });
  if (!answer.ok) throw new Error(answer.status);
  return answer.json();
}

function fill(card, { board, time, state, file }) {
  card.dataset.board = board;
  const ruled = REASONS[state.reason] ?? "";
  card.replaceChildren(tag("h2", {}, tag("span", {}, board), tag("span", {}, [state.result, ruled].filter(Boolean).join(" · "))));
  if (!shapes[state.game]) return;
  const last = state.last ? say("Last move: {move}", { move: state.last.notation }) : "";
  const record = tag("a", { href: `${files}/${file}` }, say("Record"));
  const seats = sides({ board, state, heard: time + Number(late.dataset.seconds) });
  card.append(drawn(state), tag("p", { class: "seats" }, ...seats), tag("p", { class: "last" }, last, " ", record));
}

function made(name) {
  const after = [...shown.keys()].filter((other) => ORDER.compare(other, name) > 0).sort(ORDER.compare)[0];
  return place.insertBefore(tag("article"), after ? shown.get(after).card : null);
}

async function follow() {
  const { delay, boards } = await get("boards.json");
  late.dataset.seconds = delay;
  late.textContent = delay ? say("{minutes} min later than at the boards", { minutes: MINUTES.format(delay / 60) }) : "";
  for (const { board, time, size } of boards) {
    const at = `${time} ${size}`;
    if (shown.get(board)?.at === at) continue;
    const now = await get(`${board}/now.json`);
    const card = shown.get(board)?.card ?? made(board);
    fill(card, now);
    shown.set(board, { at, card });
  }
  document.getElementById("nobody").hidden = shown.size > 0;
  document.body.dataset.ready = "yes";
}

async function again() {
  try {
    await follow();
    offline.hidden = true;
  } catch (error) {
    console.error(error);
    offline.hidden = false;
  }
  setTimeout(again, EVERY_MS * (0.75 + Math.random() / 2)); // not all at the same moment
}

again();
