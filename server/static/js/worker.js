// Kept by the browser: what is shown while the referee does not answer. All else always comes from the referee itself.

const KEPT = "offline";
const SHELL = "/offline";
const PARTS = [SHELL, "/static/page.css", "/static/paper.css", "/static/icon.svg", "/static/js/offline.js"];

const keep = async () => (await caches.open(KEPT)).addAll(PARTS.map((part) => new Request(part, { cache: "reload" })));
let fresh = null; // once in the life of this worker: the language may have been changed

addEventListener("install", (event) => event.waitUntil(keep().then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => caches.match(SHELL)));
    event.waitUntil((fresh ??= keep().catch(() => null)));
  } else if (request.method === "GET" && origin === location.origin && PARTS.includes(pathname))
    event.respondWith(fetch(request).catch(() => caches.match(pathname)));
});
