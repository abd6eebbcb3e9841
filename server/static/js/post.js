// Says to the referee what somebody wants.

import { address } from "./root.js";
import { say } from "./say.js";
import { headers } from "./visit.js";
import { within } from "./within.js";

const ANSWER_MS = 10000; // what swallows a request may never answer

// What is answered; `problem` in it says what is wrong, and `code` of what kind it is (of HTTP), if anything came at all.
export async function ask(name, body, signal) {
  const said = JSON.stringify({ by: document.body.dataset.by, ...body });
  const response = await fetch(address(`/api/v1/${name}`), { method: "POST", headers: headers(), body: said, signal: signal ?? within(ANSWER_MS) }).catch(() => null);
  if (!response) return { problem: say("The referee does not answer.") };
  const answer = await response.json().catch(() => null); // what stands between may answer with a page of its own
  if (!answer) return { problem: say("The referee does not answer."), code: response.status };
  return response.ok ? answer : { problem: answer.detail, code: response.status };
}

// What is wrong, or nothing.
export const post = async (name, body) => (await ask(name, body)).problem ?? "";
