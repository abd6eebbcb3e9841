// Sends what the phone's camera sees, picture by picture: the next when the last one has arrived.

import { say } from "./say.js";
import { headers } from "./visit.js";

const LEAST_GAP_MS = 110;
const ANSWER_MS = 5000;
const RETRY_MS = 1000;
const QUALITY = 0.85;
const WANTED = {
  audio: false,
  video: { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 15 } },
};

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
  const options = { method: "POST", headers: { ...headers(), "Content-Type": "image/jpeg" }, body, signal: AbortSignal.timeout(ANSWER_MS) };
  const response = await fetch(`/api/v1/camera/frames?phone=${name}`, options).catch(() => null);
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

begin?.addEventListener("click", async () => {
  if (!navigator.mediaDevices) {
    told.textContent = say("Browsers open the camera on encrypted pages only: start the referee with --tls own.");
    return;
  }
  try {
    view.srcObject = await navigator.mediaDevices.getUserMedia(WANTED);
  } catch (error) {
    told.textContent = say("The camera cannot be opened: {reason}", { reason: error.message });
    return;
  }
  view.hidden = false;
  begin.hidden = true;
  await view.play();
  await stayAwake();
  document.addEventListener("visibilitychange", stayAwake);
  film();
});
document.body.dataset.ready = "yes";
