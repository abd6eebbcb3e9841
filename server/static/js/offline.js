// The page that is shown while the referee does not answer: it asks again, and shows what was wanted when it does.

import { address } from "./root.js";

const EACH_MS = 3000;

async function look() {
  const response = await fetch(address("/healthz"), { cache: "no-store" }).catch(() => null);
  if (response) location.reload();
  else setTimeout(look, EACH_MS);
}

document.getElementById("again").addEventListener("click", () => location.reload());
setTimeout(look, EACH_MS);
