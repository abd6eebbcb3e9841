// From nothing to the first move: each step opens the next one.

import * as placing from "./placing.js";
import { ask } from "./post.js";
import { say } from "./say.js";

const POLL_MS = 500;
const THUMBNAILS_MS = 3000;
const AGAIN_MS = 2000;
const STEP_S = 1; // a start position stands longer before the first move
const LOOKED_THROUGH_S = 300; // of a film, for the moment at which the pieces stand; after it the person chooses
const at = (id) => document.getElementById(id);
// A step that opens comes into view: on a phone it would be below the window.
function open(name, yes = true) {
  const step = at(`step-${name}`);
  const begins = yes && step.disabled;
  step.disabled = !yes;
  if (begins) step.scrollIntoView({ block: "nearest" });
}

placing.install(() => {
  open("pieces");
  check();
});

const SEEMS = {
  empty: say("The board is empty: set up the pieces."),
  covered: say("Something lies over the board, a hand perhaps: take it away."),
};
let checks = 0;
let showing = null;

// Of the rule sets only those of the game, what clubs play chosen.
function offerRules() {
  const offers = [...at("rules").querySelectorAll("[data-game]")];
  const fitting = offers.filter((offer) => !(offer.hidden = offer.dataset.game !== at("game").value));
  fitting[0].querySelector("input").checked = true;
}

function thumbnails() {
  if (!document.hidden && !at("step-camera").dataset.chosen)
    for (const place of document.querySelectorAll(".thumbnail")) thumbnail(place);
  setTimeout(thumbnails, THUMBNAILS_MS);
}

function thumbnail(place) {
  const picture = new Image();
  picture.alt = say("What the camera sees");
  picture.addEventListener("load", () => place.replaceChildren(picture));
  picture.src = `/api/v1/wizard/cameras/${place.dataset.number}.jpg?at=${Date.now()}`;
}

// A camera is asked again until every piece stands where it belongs: nobody has to walk to the button.
async function check() {
  const number = ++checks;
  at("pieces-told").className = "fit";
  at("pieces-told").textContent = say("Looking …");
  let answer = await ask("wizard/pieces", {});
  if (number !== checks) return;
  if (answer.wrong?.length && !at("film").hidden) {
    open("start"); // nobody has to wait for the end of a long film
    answer = (await lookThrough(number)) ?? answer;
  }
  if (number !== checks) return;
  const { wrong, seems, live, problem } = answer;
  placing.mark(wrong ?? []);
  at("pieces-told").textContent =
    problem ?? (wrong.length ? SEEMS[seems] ?? say("Look at {cells}", { cells: wrong.join(", ") }) : say("Every piece stands where it belongs."));
  if (live && (problem || wrong.length)) setTimeout(() => number === checks && check(), AGAIN_MS);
  at("pieces-told").className = `fit ${problem ? "wrong" : wrong.length ? "ask" : "good"}`;
  open("start", !problem);
}

// A film that begins before the pieces stand is looked through, from where it is; null where they never do.
async function lookThrough(number) {
  const from = Number(at("film-at").value);
  const last = Math.min(Number(at("film-at").max), from + LOOKED_THROUGH_S);
  for (let t = from + STEP_S; t <= last; t += STEP_S) {
    at("pieces-told").textContent = say("Looking for the moment at which the pieces stand: {seconds} s", { seconds: Math.round(t) });
    if ((await ask("wizard/film", { t, same_place: true })).problem) break;
    const answer = await ask("wizard/pieces", {});
    if (number !== checks) return null;
    if (answer.wrong?.length === 0) {
      showMoment(t);
      return answer;
    }
  }
  if (number === checks) await ask("wizard/film", { t: from, same_place: true });
  return null;
}

function showMoment(t) {
  at("film-at").value = t;
  at("film-told").textContent = `${at("film-at").value} s`;
}

// The sizes that the camera can give, the one in use chosen: more pixels make small and far boards readable.
function offerModes(modes) {
  at("modes").hidden = modes.length < 2;
  const offers = modes.map(({ camera, size, format, fps, used }) => {
    return new Option(`${size.join(" × ")}, ${fps}/s (${format})`, camera, used, used);
  });
  at("mode").replaceChildren(...offers);
}

at("game").addEventListener("change", offerRules);
offerRules();
at("cameras")?.addEventListener("change", (event) => (at("source").value = event.target.value));
thumbnails();
at("mode").addEventListener("change", () => {
  at("source").value = at("mode").value;
  at("step-camera").requestSubmit();
});
at("film-at").addEventListener("input", () => showMoment(at("film-at").value));
at("film-at").addEventListener("change", async () => {
  checks++;
  for (const later of ["pieces", "start"]) open(later, false);
  const { problem } = await ask("wizard/film", { t: Number(at("film-at").value) });
  at("camera-fault").textContent = problem ?? "";
  if (!problem) at("find").click();
});
at("look-again").addEventListener("click", check);
at("step-camera").addEventListener("submit", async (event) => {
  event.preventDefault();
  showing?.abort(); // a second click begins anew
  const mine = (showing = new AbortController());
  const { game, rules, camera } = Object.fromEntries(new FormData(event.target));
  checks++;
  at("camera-fault").textContent = "";
  at("camera-told").hidden = false;
  at("camera-told").textContent = say("Waiting for a picture …");
  const { problem, duration_s: seconds, modes } = await ask("wizard/camera", { game, rules, camera }, mine.signal);
  if (mine !== showing) return;
  at("camera-told").hidden = true;
  at("camera-fault").textContent = problem ?? "";
  for (const later of ["place", "pieces", "start"]) open(later, false);
  offerModes(modes ?? []);
  if (problem) return;
  at("film").hidden = !seconds;
  at("film-at").max = seconds ?? 0;
  showMoment(0);
  open("place");
  await placing.begin();
  at("find").click();
});
at("start").addEventListener("click", async () => {
  const { problem } = await ask("wizard/start", { port: at("lights").value, protocol: at("protocol").value });
  at("start-fault").textContent = problem ?? say("The game begins …");
  if (!problem) follow();
});

// The wizard's page ends and the game's begins at the same address.
async function follow() {
  const response = await fetch("/api/v1/game").catch(() => null);
  if (response?.status === 200) location.replace("/");
  else setTimeout(follow, POLL_MS);
}

document.body.dataset.ready = "yes";
