// One stream of events from the referee, and whether it lives: in a page, or in the worker that all pages share.

const SILENT_MS = 4500; // the referee says something every two seconds; lower, a slow machine seems to be gone
const TRY_MS = 2000; // an attempt that brings nothing is given up: what swallows it may never let go of it
const SOON_MS = [400, 400, 400, 900, 900]; // the first attempts after a silence: a browser takes connections it has, and all may be dead
const AGAIN_MS = 800;
const LOOK_MS = 250;
const KINDS = ["snapshot", "reset", "message", "alive"];

export class Line {
  // `tell(kind, text)` gets what is said, `state(lives)` whether it is heard.
  constructor(url, tell, state) {
    Object.assign(this, { url, tell, state, last: "", lives: null, source: null, heard: 0, since: 0, tries: SOON_MS.length, timer: null });
  }

  open() {
    if (this.timer) return;
    this.lives = null; // how it is now must be said anew
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.connect();
  }

  close() {
    clearInterval(this.timer);
    this.timer = null;
    this.source?.close();
    this.source = null;
  }

  connect() {
    this.source?.close();
    this.since = this.heard = performance.now();
    const after = this.last ? `&last_id=${encodeURIComponent(this.last)}` : "";
    const source = (this.source = new EventSource(`${this.url}&beats=1${after}`));
    const hear = (kind) => (event) => {
      if (source !== this.source) return;
      this.heard = performance.now();
      if (event.lastEventId) this.last = event.lastEventId;
      this.say(true);
      if (kind !== "alive") this.tell(kind, event.data);
    };
    for (const kind of KINDS) source.addEventListener(kind, hear(kind));
    source.addEventListener("error", () => {
      if (source !== this.source) return;
      source.close(); // the browser would wait longer
      this.source = null;
      this.since = performance.now();
      this.say(false);
    });
  }

  look() {
    const now = performance.now();
    if (!this.source) return void (now - this.since > AGAIN_MS && this.connect());
    const silent = now - this.heard;
    if (this.lives && silent > SILENT_MS) {
      this.say(false);
      this.tries = -1;
    }
    if (silent <= (this.lives ? SILENT_MS : SOON_MS[this.tries] ?? TRY_MS)) return;
    this.tries += 1;
    this.connect();
  }

  say(lives) {
    if (lives === this.lives) return;
    this.lives = lives;
    this.state(lives);
  }
}
