// One stream of events from the referee, and whether it lives: in a page, or in the worker that all pages share.

const SILENT_MS = 4500; // the referee says something every two seconds; lower, a slow machine seems to be gone
const SOON_MS = [300, 300, 300, 300, 300, 300]; // after a silence: a browser takes the connections it has, six, and all may be dead
const AGAIN_MS = 800; // ... and then; what swallows one may never let go of it, so that the next does not wait for its end
const ATTEMPTS = 3; // at a time, the newest; each lives 2.4 s: lower, a slow machine never answers, higher, pages get no connection
const LOOK_MS = 150;
const KINDS = ["snapshot", "reset", "message", "alive"];

export class Line {
  // `tell(kind, text)` gets what is said, `state(lives)` whether it is heard.
  constructor(url, tell, state) {
    Object.assign(this, { url, tell, state, last: "", lives: null, attempts: [], heard: 0, since: 0, tries: SOON_MS.length, timer: null });
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
    this.keep([]);
  }

  // Of the attempts only `kept` go on.
  keep(kept) {
    for (const attempt of this.attempts) if (!kept.includes(attempt)) attempt.close();
    this.attempts = kept;
  }

  // One more attempt; the first that brings anything is the line.
  connect() {
    this.since = performance.now();
    const after = this.last ? `&last_id=${encodeURIComponent(this.last)}` : "";
    const source = new EventSource(`${this.url}&beats=1${after}`);
    const hear = (kind) => (event) => {
      if (!this.attempts.includes(source)) return;
      if (this.attempts.length > 1) this.keep([source]);
      this.heard = performance.now();
      if (event.lastEventId) this.last = event.lastEventId;
      this.say(true);
      if (kind !== "alive") this.tell(kind, event.data);
    };
    for (const kind of KINDS) source.addEventListener(kind, hear(kind));
    source.addEventListener("error", () => {
      source.close(); // the browser would wait longer
      if (!this.attempts.includes(source)) return;
      this.keep(this.attempts.filter((attempt) => attempt !== source));
      if (!this.attempts.length) this.say(false);
    });
    this.keep([...this.attempts, source].slice(-ATTEMPTS));
  }

  look() {
    const now = performance.now();
    if (this.lives && now - this.heard <= SILENT_MS) return;
    if (this.lives) {
      this.keep([]); // what it missed it would never tell
      this.tries = 0;
      this.say(false);
    } else if (now - this.since < (SOON_MS[this.tries] ?? AGAIN_MS)) return;
    this.tries += 1;
    this.connect();
  }

  say(lives) {
    if (lives === this.lives) return;
    this.lives = lives;
    this.state(lives);
  }
}
