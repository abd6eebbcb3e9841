// A tournament: what is asked for on its page, and the page drawn anew when somebody or a board has changed something.

import { listen, missed } from "./listen.js";
import { ask } from "./post.js";
import { address } from "./root.js";

const fault = document.getElementById("fault");
const live = document.getElementById("live");
let waits = false; // something is new, and somebody is choosing or writing just now
let asked = 0; // of two answers on their way the one that was asked for later is drawn

const typed = (field) => (field.type === "number" ? Number(field.value) : field.value);

async function send(element, more) {
  const who = localStorage.getItem("arbiter") ?? "";
  const named = element.dataset.ask.endsWith("/result") ? { who } : {};
  const answer = await ask(element.dataset.ask, { ...JSON.parse(element.dataset.body ?? "{}"), ...more, ...named });
  const place = element.querySelector("[role=alert]") ?? fault; // a form says it where it was filled in
  fault.textContent = "";
  place.textContent = answer.problem ?? answer.note ?? "";
  if (answer.problem) {
    place.scrollIntoView({ block: "nearest" });
    if (element.tagName === "FORM") return; // drawn anew it would have lost what was written
  } else if (element.dataset.then) location.assign(element.dataset.then + (answer.name ?? ""));
  else if (element.tagName === "FORM") element.reset();
  document.activeElement?.blur();
  await redraw();
}

document.addEventListener("submit", (event) => {
  if (!event.target.dataset.ask) return;
  event.preventDefault();
  const fields = [...event.target.elements].filter(({ name, disabled }) => name && !disabled);
  send(event.target, Object.fromEntries(fields.map((field) => [field.name, typed(field)])));
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-ask]");
  if (button && (!button.dataset.sure || confirm(button.dataset.sure))) send(button, {});
});
// What is asked of some systems only: a round robin has as many rounds as its players need.
function suit({ target }) {
  if (target.name !== "system") return;
  for (const label of target.form.querySelectorAll("[data-of]")) {
    label.hidden = !label.dataset.of.split(" ").includes(target.value);
    label.querySelector("input").disabled = label.hidden;
  }
}
for (const system of document.getElementsByName("system")) suit({ target: system }); // as the browser has kept it
document.addEventListener("change", suit);
document.addEventListener("change", (event) => {
  const { ask: name, field } = event.target.dataset;
  if (name && field) send(event.target, { [field]: event.target.value });
});

// What may be chosen is put into a list when somebody turns to it: 200 boards to choose from at 200 tables are 40,000 lines.
function offer({ target }) {
  const list = target.closest?.("select[data-options]");
  if (!list || list.options.length > 1) return;
  const [chosen] = list.options;
  const offered = document.getElementById(list.dataset.options).content.cloneNode(true);
  const same = [...offered.children].find(({ value }) => value === chosen.value);
  list.append(offered);
  if (!same) return;
  chosen.remove();
  list.value = same.value;
}
for (const turned of ["pointerdown", "focusin"]) document.addEventListener(turned, offer);

async function redraw() {
  if (!live) return;
  waits = live.contains(document.activeElement) && ["SELECT", "INPUT"].includes(document.activeElement.tagName);
  if (waits) return;
  const turn = ++asked;
  const said = await (await missed(location.href))?.text();
  if (!said || turn !== asked) return;
  const fresh = new DOMParser().parseFromString(said, "text/html").getElementById("live");
  const open = [...live.querySelectorAll("details")].map((one) => one.open).reverse();
  live.replaceChildren(...fresh.children);
  [...live.querySelectorAll("details")].reverse().forEach((one, at) => (one.open = open[at] ?? false));
}

if (live) {
  live.addEventListener("focusout", () => setTimeout(() => waits && redraw()));
  listen(address("/api/v1/hall/events?"), {
    message: async (text) => {
      const { tournaments, matters } = JSON.parse(text);
      if (matters || tournaments?.includes(live.dataset.tournament)) await redraw(); // rows say whose record is in doubt
    },
    open: async () => {
      await redraw(); // what was said while nobody listened is said to nobody again
      document.body.dataset.ready = "yes";
    },
  });
} else document.body.dataset.ready = "yes";
