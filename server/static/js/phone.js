// Sends what the phone's camera sees, picture by picture: the next when the last one has arrived.

import { address } from "./root.js";
import { say } from "./say.js";
import { headers } from "./visit.js";
import { within } from "./within.js";

const LEAST_GAP_MS = 110;
const ANSWER_MS = 5000;
const RETRY_MS = 1000;
const QUALITY = 0.85;
const WANTED = {
  audio: false,
  video: { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 15 } },
};

const at = (id) => document.getElementById(id);
const view = document.getElementById("view");
const told = document.getElementById("told");
const begin = document.getElementById("begin");
const canvas = document.createElement("canvas");
const name = String(Math.random()).slice(2);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
let sent = 0;

// A phone that sleeps films nothing; the lock is lost whenever the page is hidden.
async function stayAwake() {
  if (document.visibilityState === "visible") await navigator.wakeLock?.request("screen").catch(() => null);
}

function shot() {
  canvas.width = view.videoWidth;
  canvas.height = view.videoHeight;
  canvas.getContext("2d").drawImage(view, 0, 0);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
}

async function send() {
  const body = await shot();
  const options = { method: "POST", headers: { ...headers(), "Content-Type": "image/jpeg" }, body, signal: within(ANSWER_MS) };
  const response = await fetch(address(`/api/v1/camera/frames?phone=${name}`), options).catch(() => null);
  if (!response) throw new Error(say("The referee does not answer."));
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail);
  sent += answer.taken ? 1 : 0;
  const size = `${canvas.width} × ${canvas.height}`;
  told.textContent = say("{count} pictures of {size} were sent.", { count: sent, size });
}

async function film() {
  for (;;) {
    const begun = performance.now();
    try {
      await send();
    } catch (error) {
      told.textContent = error.message;
      await pause(RETRY_MS);
    }
    await pause(Math.max(0, LEAST_GAP_MS - (performance.now() - begun)));
  }
}

// A phone that slept, or another program that took the camera, has ended the film: it is opened anew.
async function open() {
  view.srcObject = await navigator.mediaDevices.getUserMedia(WANTED);
  view.hidden = false;
  begin.hidden = true;
  await view.play();
  await stayAwake();
}

async function awake() {
  await stayAwake();
  const [track] = view.srcObject?.getVideoTracks() ?? [];
  if (document.visibilityState === "visible" && track?.readyState !== "live") await open().catch((error) => (told.textContent = error.message));
}

let filming = false;
async function start() {
  if (!navigator.mediaDevices) {
    told.textContent = say("Browsers open the camera on encrypted pages only: scan the code on the referee's page.");
    return;
  }
  try {
    await open();
  } catch (error) {
    told.textContent = say("The camera cannot be opened: {reason}", { reason: error.message });
    return;
  }
  if (filming) return;
  filming = true;
  document.addEventListener("visibilitychange", awake);
  const battery = await navigator.getBattery?.().catch(() => null);
  if (battery) charge(battery);
  film();
}

function charge(battery) {
  const show = () => (at("battery").textContent = battery.charging ? "" : say("Battery: {percent} %. Plug the phone in for a long game.", { percent: Math.round(100 * battery.level) }));
  for (const kind of ["levelchange", "chargingchange"]) battery.addEventListener(kind, show);
  show();
}

begin?.addEventListener("click", start);
if (begin) start(); // who came by the code wants nothing else; the button stays where the browser wants a tap
document.body.dataset.ready = "yes";
