// Kept by the browser: what is shown while the referee does not answer. All else always comes from the referee itself.

const KEPT = "offline";
const own = (path) => new URL(path, location.href).pathname; // this script lies where the pages begin
const SHELL = own("offline");
const PARTS = [SHELL, ...["page.css", "paper.css", "icon.svg", "js/offline.js", "js/root.js"].map((name) => own(`static/${name}`))];

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
