// What the referee answers when it is asked how something stands.

import { address } from "./root.js";
import { within } from "./within.js";

const ANSWER_MS = 10000; // what swallows a request may never answer

// The answer of a path of the API; null where there is none, or none in time.
export async function readJson(what) {
  const response = await fetch(address(`/api/v1/${what}`), { signal: within(ANSWER_MS) }).catch(() => null);
  return response?.status === 200 ? response.json().catch(() => null) : null;
}
