// A page listens to the referee while somebody sees it, and knows when what it shows is old.

import { Line } from "./line.js";
import { address } from "./root.js";
import { beginSilence, endSilence, leavePage } from "./silence.js";
import { within } from "./within.js";

const WAKES_MS = 1200; // a page that is seen again and has heard nothing by then shows what is old
const SAYS_MS = 1000; // so often a page tells the worker that it looks on
const ANSWERS_MS = [400, 400, 400, 800, 1600, 3200]; // what is asked for may go into a connection that is dead, and then a next one
const AGAIN_MS = 300;
const WORKER_MS = 1500; // a worker that has said nothing by then is none: the page has a stream of its own

// What a page fetches besides its stream, null where there is no such thing; an Error where it has not come, for `listen`
// to ask again.
export async function missed(url) {
  let answer = null;
  for (const wait of ANSWERS_MS) answer ??= await fetch(url, { cache: "no-store", signal: within(wait) }).catch(() => null);
  if (!answer?.ok && answer?.status !== 404) throw new Error(`${url}: ${answer?.status ?? "no answer"}`);
  return answer.ok ? answer : null;
}

// `heard` has a function for each kind of message: "snapshot", "message" and "reset" get the text. "open" fetches what a
// page has besides: until it has come what is shown is old. Where it is missed after a message, all is fetched anew.
export function listen(url, heard) {
  const full = new URL(url, location.href).href;
  const tell = async (kind, text) => {
    if (!heard.open) return heard[kind]?.(text);
    if (kind === "reset" || !(await caughtUp(async () => heard[kind]?.(text)))) state(true);
  };
  const show = (lives) => (lives ? endSilence() : beginSilence());
  const state = async (lives) => {
    heardOf += 1;
    const turn = heardOf;
    while (lives && heard.open && !(await caughtUp(heard.open))) {
      if (turn !== heardOf) return;
      show(false);
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
    if (turn === heardOf) show(lives);
  };
  const own = () => new Line(full, tell, state);
  const stream = self.SharedWorker ? new Shared(full, tell, state, own) : own();
  let heardOf = 0;
  const look = () => {
    if (document.hidden) return stream.close();
    const before = heardOf;
    stream.open();
    setTimeout(() => before === heardOf && !document.hidden && state(false), WAKES_MS);
  };
  document.addEventListener("visibilitychange", look);
  addEventListener("pageshow", look);
  addEventListener("pagehide", () => {
    leavePage(true);
    stream.close();
  });
  addEventListener("pageshow", () => leavePage(false));
  look();
}

const caughtUp = (open) => open().then(() => true, (error) => void console.warn(error));

// The stream that all pages of this browser share; a page's own where the browser has none, or its worker does not answer.
class Shared {
  constructor(url, tell, state, own) {
    Object.assign(this, { url, own, line: null, timer: null, answered: false });
    try {
      this.worker = new SharedWorker(address("/static/js/lines.js"), { type: "module", name: "lines" });
      this.worker.addEventListener("error", () => this.instead());
    } catch {
      this.line = own();
      return;
    }
    this.worker.port.onmessage = ({ data }) => {
      if (data.url !== url || this.line || !this.timer) return;
      this.answered = true;
      this.heard = performance.now();
      if ("lives" in data) state((this.lives = data.lives));
      else tell(data.kind, data.text);
    };
  }

  open() {
    if (this.line) return this.line.open();
    if (this.timer) return;
    const say = () => this.worker.port.postMessage({ url: this.url, looks: true });
    this.timer = setInterval(say, SAYS_MS);
    say();
    setTimeout(() => this.timer && !this.answered && this.instead(), WORKER_MS);
  }

  close() {
    if (this.line) return this.line.close();
    clearInterval(this.timer);
    this.timer = null;
    this.worker.port.postMessage({ url: this.url, looks: false });
  }

  instead() {
    if (this.line) return;
    const open = Boolean(this.timer);
    clearInterval(this.timer);
    this.timer = null;
    this.line = this.own();
    if (open) this.line.open();
  }
}
