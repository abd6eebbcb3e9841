// The worker that all pages of a browser share: one stream of each kind for as many tabs as look at it, and none for those
// that nobody sees. A browser opens six connections to a place, and each would take one.

import { Line } from "./line.js";

const GONE_MS = 6000; // a page that looks on says so every second; one that was killed cannot say that it goes
const lines = new Map(); // url -> { line, ports: Map(port -> when it last spoke), snapshot, lives }

function lineTo(url) {
  const kept = lines.get(url) ?? { ports: new Map(), snapshot: null, lives: null };
  kept.line ??= new Line(
    url,
    (kind, text) => {
      if (kind === "snapshot") kept.snapshot = text;
      send(kept, { url, kind, text });
    },
    (lives) => {
      kept.lives = lives;
      send(kept, { url, lives });
    },
  );
  lines.set(url, kept);
  return kept;
}

const send = (kept, said) => kept.ports.forEach((_, port) => port.postMessage(said));

function join(url, port) {
  const kept = lineTo(url);
  const known = kept.ports.has(port);
  kept.ports.set(port, performance.now());
  if (known) return;
  if (kept.ports.size === 1) return kept.line.open();
  if (kept.lives !== null) port.postMessage({ url, lives: kept.lives });
  if (kept.lives && kept.snapshot) port.postMessage({ url, kind: "snapshot", text: kept.snapshot });
  if (kept.lives) port.postMessage({ url, kind: "reset", text: "{}" }); // what it has not heard, it fetches
}

function leave(url, port) {
  const kept = lines.get(url);
  if (!kept?.ports.delete(port) || kept.ports.size) return;
  kept.line.close();
  kept.lives = null;
}

onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data: { url, looks } }) => (looks ? join(url, port) : leave(url, port));
};

setInterval(() => {
  const now = performance.now();
  for (const [url, kept] of lines) for (const [port, spoke] of kept.ports) if (now - spoke > GONE_MS) leave(url, port);
}, 1000);
