// What this visitor prefers goes into cookies, which the next drawing of any page reads.

import { say } from "./say.js";

const KEPT_S = 365 * 24 * 3600;
const form = document.getElementById("preferences");

form.addEventListener("change", ({ target }) => {
  document.cookie = `${target.name}=${target.value}; path=/; max-age=${KEPT_S}; samesite=strict`;
  if (target.name === "language") return location.reload();
  document.documentElement.dataset[target.name] = target.value;
  document.getElementById("saved").textContent = say("Saved.");
});
document.body.dataset.ready = "yes";
