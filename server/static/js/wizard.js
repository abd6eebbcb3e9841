// From nothing to the first move: each step opens the next one.

import * as placing from "./placing.js";
import { sentence } from "./diagnosis.js";
import { ask } from "./post.js";
import { readJson } from "./read.js";
import { address } from "./root.js";
import { say } from "./say.js";
import { within } from "./within.js";

const POLL_MS = 500;
const THUMBNAILS_MS = 3000;
const AGAIN_MS = 2000;
const LOOK_MS = 60000; // to look at all pieces takes a small and busy computer longer than other answers
const GAME_MS = 2000; // between two sites at one address nobody answers for a moment
const SILENT_MS = 6000; // ... and after this long the program has ended, or hangs
const FAILED = 409; // the game could not be opened
const GONE = 404; // the set-up has ended
const STEP_S = 1; // a start position stands longer before the first move
const LOOKED_THROUGH_S = 300; // of a film, for the moment at which the pieces stand; after it the person chooses
const sayNoAnswer = () =>
  say("The referee does not answer. Look at the window it was started in, and start it again: this page then goes on by itself.");
const at = (id) => document.getElementById(id);
const STEPS = ["place", "pieces", "start"];
// What a step says holds for what was chosen before it, and goes with it.
const FORGET = { place: forgetFound, pieces: forgetPieces, start: forgetStart };

// A step that opens comes into view: on a phone it would be below the window.
function open(name, yes = true) {
  const step = at(`step-${name}`);
  const begins = yes && step.disabled;
  step.disabled = !yes;
  if (begins) step.scrollIntoView({ block: "nearest" });
  if (!yes) FORGET[name]();
}

// Another picture is chosen: these steps have to be gone through again.
function closeFrom(first) {
  checks++;
  for (const later of STEPS.slice(STEPS.indexOf(first))) open(later, false);
}

// What was chosen and found in this window: a page that is loaded anew goes on from there.
const remembered = () => JSON.parse(sessionStorage.getItem("set-up") ?? "null");
const remember = (more) => sessionStorage.setItem("set-up", JSON.stringify({ ...remembered(), ...more }));

placing.install((saved, corners) => {
  remember({ corners });
  open("pieces");
  check();
});

placing.onWayRound((mirrored) => {
  if (!mirrored) return offerStart();
  closeFrom("pieces");
  at("find").click();
});

// The board of another game: one tap changes to it.
document.addEventListener("diagnosed", ({ detail: { game } }) => {
  const change = at("change-game");
  change.hidden = !game;
  change.dataset.game = game ?? "";
  change.textContent = game ? say("Change to {game}", { game: at("game").querySelector(`[value="${game}"]`).textContent }) : "";
});
at("change-game").addEventListener("click", ({ target }) => {
  at("game").value = target.dataset.game;
  target.hidden = true;
  offerRules();
  at("step-camera").requestSubmit();
});

let checks = 0;
let ready = false;
let looking = false;
let anyhow = false; // what the button says: to start although the pieces do not stand so
let wanted = false; // it was clicked while nobody knew yet how they stand: the look under way answers it
let starting = false;
let showing = null;

// Of the rule sets only those of the game, what clubs play chosen.
function offerRules() {
  at("boards").querySelector(`[value="${at("game").value}"]`).checked = true;
  at("print").href = address(`/api/v1/wizard/games/${at("game").value}.pdf`);
  at("diagram").src = address(`/api/v1/wizard/games/${at("game").value}.svg`);
  const offers = [...at("rules").querySelectorAll("[data-game]")];
  const fitting = offers.filter((offer) => !(offer.hidden = offer.dataset.game !== at("game").value));
  (fitting.find((offer) => offer.querySelector(":checked")) ?? fitting[0]).querySelector("input").checked = true;
  nameRules();
  offerDarker();
}

// Whether White plays the darker pieces is said of one board: that of another game, which may have no White, has its own.
function offerDarker(said = null) {
  const [{ dataset, defaultSelected }] = at("game").selectedOptions;
  const box = at("darker").querySelector("input");
  at("darker").hidden = dataset.white === undefined;
  box.checked = !at("darker").hidden && (said ?? (defaultSelected && box.defaultChecked));
}

function nameRules() {
  at("rules-chosen").textContent = at("rules").querySelector(":checked").closest(".offer").querySelector("b").textContent;
}
at("rules").addEventListener("change", nameRules);

function thumbnails() {
  if (!document.hidden && !at("step-camera").dataset.chosen)
    for (const place of document.querySelectorAll(".thumbnail")) thumbnail(place);
  setTimeout(thumbnails, THUMBNAILS_MS);
}

function thumbnail(place) {
  const picture = new Image();
  picture.alt = say("What the camera sees");
  picture.addEventListener("load", () => place.replaceChildren(picture));
  picture.src = address(`/api/v1/wizard/cameras/${place.dataset.number}.jpg?at=${Date.now()}`);
}

// A camera is asked again until every piece stands where it belongs: nobody has to walk to the button.
async function check() {
  const number = ++checks;
  at("pieces-told").className = "fit";
  const stop = placing.counting((seconds) => {
    if (number === checks) at("pieces-told").textContent = placing.sayLooking(seconds);
  });
  looking = true;
  open("start"); // a click meanwhile is not lost: it waits for the answer
  let answer = await ask("wizard/pieces", {}, within(LOOK_MS));
  stop();
  if (number !== checks) return;
  if (answer.cells?.length && !at("film").hidden) answer = (await lookThrough(number)) ?? answer;
  if (number !== checks) return;
  looking = false;
  const { cause, cells, live, problem, asks_way_round: side } = answer;
  ready = cause === "ready";
  placing.mark(cause === "empty" ? [] : cells ?? []); // an empty board is a sentence, and no cross on each cell
  at("pieces-told").textContent = problem ?? sentence(answer);
  document.dispatchEvent(new CustomEvent("diagnosed", { detail: { game: answer.game } })); // the button that changes to it
  at("diagram").hidden = ready || Boolean(problem);
  if (live && !ready) setTimeout(() => number === checks && check(), AGAIN_MS);
  at("pieces-told").className = `fit ${problem ? "wrong" : ready ? "good" : "ask"}`;
  open("start", !problem);
  placing.askWayRound(problem ? null : side, live);
  offerStart();
  if (wanted) answerStart();
}

// Before the pieces were seen to stand, to start is the small button, and says what it does.
function offerStart() {
  at("start").disabled = !at("way-round").hidden; // that is answered first
  at("start").classList.toggle("main", ready);
  anyhow = !ready;
  at("start").textContent = ready ? say("Start the game") : say("Start anyway");
  at("look-again").classList.toggle("main", !ready);
}

// A film that begins before the pieces stand is looked through, from where it is; null where they never do.
async function lookThrough(number) {
  const from = Number(at("film-at").value);
  const last = Math.min(Number(at("film-at").max), from + LOOKED_THROUGH_S);
  for (let t = from + STEP_S; t <= last; t += STEP_S) {
    at("pieces-told").textContent = say("Looking for the moment at which the pieces stand: {seconds} s", { seconds: Math.round(t) });
    if ((await ask("wizard/film", { t, same_place: true }, within(LOOK_MS))).problem) break;
    const answer = await ask("wizard/pieces", {}, within(LOOK_MS));
    if (number !== checks) return null;
    if (answer.cause === "ready") {
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

at("boards").addEventListener("change", ({ target }) => {
  at("game").value = target.value;
  offerRules();
});
offerRules();
at("cameras").addEventListener("change", ({ target }) => choose(target.value));

// A phone is asked in by its code, and its picture is shown as soon as it comes; a film or an address is typed.
async function choose(source) {
  at("source").value = source;
  at("source-named").hidden = source !== "";
  at("phone-offer").hidden = source !== "phone:";
  if (source !== "phone:") return;
  at("phone-told").textContent = say("Waiting for the phone …");
  const { url, problem } = await ask("wizard/phone", {});
  if (problem) return void (at("phone-told").textContent = problem);
  at("phone-code").src = address(`/api/v1/wizard/phone/qr.svg?at=${Date.now()}`);
  at("phone-url").href = at("phone-url").textContent = url;
  await followPhone();
}

// Says whether pictures come for as long as the phone is the camera; the first one is shown.
let followed = 0; // who chooses it anew is followed once
async function followPhone() {
  const mine = ++followed;
  let shown = false;
  while (mine === followed && at("source").value === "phone:") {
    const sending = (await readJson("wizard/phone"))?.sending;
    if (sending) at("phone-told").textContent = say("The phone sends its picture.");
    else if (shown) at("phone-told").textContent = say("camera phone: no pictures come; open its page there again, and keep the screen on");
    if (sending && !shown) at("step-camera").requestSubmit();
    shown ||= sending;
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}
choose(document.querySelector("#cameras :checked")?.value || at("source").value);
if (at("source").value && !document.querySelector("#cameras :checked")?.value) at("source-named").hidden = false;
thumbnails();
at("mode").addEventListener("change", () => {
  at("source").value = at("mode").value;
  at("step-camera").requestSubmit();
});
at("film-at").addEventListener("input", () => showMoment(at("film-at").value));
at("film-at").addEventListener("change", async () => {
  closeFrom("pieces");
  forgetFound();
  const { problem } = await ask("wizard/film", { t: Number(at("film-at").value) });
  at("camera-fault").textContent = problem ?? "";
  remember({ moment: Number(at("film-at").value), corners: null });
  if (!problem) at("find").click();
});
at("look-again").addEventListener("click", check);
at("step-camera").addEventListener("input", () => {
  showing?.abort();
  showing = null; // what is shown and said is of another choice
  at("camera-told").hidden = true;
  closeFrom("place");
});
at("step-camera").addEventListener("submit", async (event) => {
  event.preventDefault();
  showing?.abort(); // a second click begins anew
  const mine = (showing = new AbortController());
  const { game, rules, camera, white = "lighter" } = Object.fromEntries(new FormData(event.target));
  closeFrom("place");
  at("camera-fault").textContent = "";
  at("camera-told").hidden = false;
  at("camera-told").textContent = say("Waiting for a picture …");
  const { problem, duration_s: seconds, modes } = await ask("wizard/camera", { game, rules, camera, white }, mine.signal);
  if (mine !== showing) return;
  at("camera-told").hidden = true;
  at("camera-told").textContent = "";
  at("camera-fault").textContent = problem ?? "";
  offerModes(modes ?? []);
  at("film").hidden = !seconds;
  if (problem) return placing.forgetPicture();
  at("film-at").max = seconds ?? 0;
  showMoment(0);
  sessionStorage.removeItem("set-up");
  remember({ game, rules, camera, white, seconds, modes });
  open("place");
  await placing.begin();
  at("find").click();
});
const tellStart = (text) => (at("start-fault").textContent = text);
at("start").addEventListener("click", () => {
  if (starting) return; // the page says so
  if (!looking || anyhow) return start();
  wanted = true;
  tellStart(say("The game begins as soon as the pieces are seen to stand."));
});

// What was clicked before the pieces had been looked at: the game begins, or it is said why it does not.
function answerStart() {
  wanted = false;
  if (ready) return start();
  tellStart(say("The pieces are not seen in place yet: see step 3, or start anyway."));
}

function forgetFound() {
  placing.forgetPlace();
  at("change-game").hidden = true;
}

function forgetPieces() {
  at("pieces-told").textContent = "";
  at("pieces-told").className = "fit";
  at("diagram").hidden = true;
  placing.mark([]);
  placing.askWayRound(null);
}

function forgetStart() {
  wanted = ready = looking = anyhow = false;
  at("start").textContent = say("Start the game");
  tellStart("");
}

async function start() {
  starting = true;
  tellStart(say("The game begins …")); // a busy computer takes its time to answer
  const wanted = { port: at("lights").value, protocol: at("protocol").value, anyhow };
  let [{ problem, code }, unanswered] = [await ask("wizard/start", wanted), false];
  for (; problem && !code; { problem, code } = await ask("wizard/start", wanted)) {
    unanswered = true;
    tellStart(sayNoAnswer());
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  if (unanswered && code === GONE) problem = null; // it was heard all the same
  starting = !problem;
  tellStart(problem ?? "");
  if (!problem) begin(tellStart);
}

// What has kept the game from being opened may be put right: the board stays where it was found.
at("again")?.addEventListener("click", async () => {
  const { problem } = await ask("wizard/again", {});
  at("again-told").textContent = problem ?? "";
  if (!problem) begin((text) => (at("again-told").textContent = text));
});

// The camera is still open where the program has not been started anew since: the board is shown where it was found.
async function goOn({ game, rules, camera, white, seconds, modes, moment = 0, corners }) {
  at("game").value = game;
  offerRules();
  const set = at("rules").querySelector(`[data-game="${game}"] [value="${rules}"]`);
  if (set) set.checked = true;
  nameRules();
  offerDarker(white === "darker");
  for (const one of document.querySelectorAll("#cameras input")) one.checked = one.value === camera;
  at("source").value = camera;
  at("source-named").hidden = Boolean(document.querySelector("#cameras :checked")?.value);
  offerModes(modes ?? []);
  at("film").hidden = !seconds;
  at("film-at").max = seconds ?? 0;
  showMoment(moment);
  if (!(await placing.begin(corners))) return;
  open("place");
  if (!corners) return at("find").click();
  open("pieces");
  check();
}
if (remembered()) goOn(remembered());
else document.querySelector(`[name=pictured][value="${CSS.escape(location.hash.slice(1))}"]`)?.click(); // the one that was seen

// The set-up ends and the game begins: at the same address, or around this page where that was a recording's; then the
// game that answers is the recording's for as long as anybody answers here. A game that cannot be opened has a page that
// says why; where nobody answers any more, `tell` says what to do.
async function begin(tell) {
  sessionStorage.removeItem("set-up");
  const { home } = document.body.dataset;
  const status = async (url) => (await fetch(url, { cache: "no-store", signal: within(GAME_MS) }).catch(() => null))?.status;
  let answered = Date.now();
  tell(say("The game begins …"));
  for (;;) {
    const now = await status(`${home}/api/v1/game`);
    const gone = home === address("") || (now && (await status(address("/api/v1/game"))) === 404);
    if (now === FAILED || (now === 200 && gone)) return location.replace(`${home}/`);
    if (now) answered = Date.now();
    if (Date.now() - answered > SILENT_MS)
      tell(sayNoAnswer());
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

document.body.dataset.ready = "yes";
