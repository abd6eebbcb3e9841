// What a change must bring along when one is logged in, the button to log out, and what the browser keeps.

import { address } from "./root.js";

const TOKEN = /(?:^|; )csrf=([^;]+)/;

export function headers() {
  const token = document.cookie.match(TOKEN)?.[1];
  return token ? { "Content-Type": "application/json", "X-CSRF-Token": token } : { "Content-Type": "application/json" };
}

// What is shown when the referee does not answer; browsers keep it on this machine and over TLS only.
if (self === top) navigator.serviceWorker?.register(address("/worker.js")).catch(() => null);

const leave = document.getElementById("log-out");
leave?.addEventListener("click", async () => {
  await fetch(address("/logout"), { method: "POST", headers: headers(), body: "{}" });
  location.assign(address("/login"));
});
