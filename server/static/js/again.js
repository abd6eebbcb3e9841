// A page that cannot be shown yet is asked for again, and is there as soon as it can be.

import { within } from "./within.js";

const EVERY_MS = 2000;
const NOT_YET = 503;

async function look() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store", signal: within(EVERY_MS) }).catch(() => null);
  if (answer && answer.status !== NOT_YET) location.reload();
  else setTimeout(look, EVERY_MS);
}

setTimeout(look, EVERY_MS);
