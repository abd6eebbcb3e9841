// What this visitor prefers goes into cookies, which the next drawing of any page reads.

import { post } from "./post.js";
import { say } from "./say.js";

const KEPT_S = 365 * 24 * 3600;
const form = document.getElementById("preferences");

form.addEventListener("change", ({ target }) => {
  document.cookie = `${target.name}=${target.value}; path=/; max-age=${KEPT_S}; samesite=strict`;
  if (target.name === "language") return location.reload();
  document.documentElement.dataset[target.name] = target.value;
  document.getElementById("saved").textContent = say("Saved.");
});
const refused = new Map(); // field -> what is wrong with what stands in it; it is not kept
// Those of the referee are kept where it runs, and hold when it is started again.
document.getElementById("kept")?.addEventListener("change", async ({ target }) => {
  const value = target.validity.badInput ? "?" : target.value; // a number that is none reads as empty: that would be the default
  const problem = await post("settings", { name: target.name, value });
  const name = target.closest("label").firstChild.textContent.trim();
  if (problem) refused.set(target, `${name}: ${problem}`);
  else refused.delete(target);
  target.toggleAttribute("aria-invalid", Boolean(problem));
  document.getElementById("kept-fault").textContent = [...refused.values()].join(" ");
  document.getElementById("kept-told").textContent = problem ? "" : say("Saved: {name}. It takes effect when the referee is restarted.", { name });
});
document.getElementById("kept")?.addEventListener("submit", (event) => event.preventDefault());

document.body.dataset.ready = "yes";
