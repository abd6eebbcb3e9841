// Help for who learns: the best three moves in the colours of the lights, and what a teacher says of the last moves.

import { decimal, say } from "./say.js";
import { sideName, written } from "./words.js";
import { seen as lit, tag } from "./svg.js";
import { seen, wish } from "./wishes.js";

const place = document.getElementById("tutor");
const RANKS = ["best", "second", "third"]; // colours in page.css where the lights show something else
let told = "";

export function install(current) {
  for (const button of document.querySelectorAll("[data-tutor]"))
    button.addEventListener("click", () => wish("tutor", { [button.dataset.tutor]: !current()?.tutor?.[button.dataset.tutor] }, seen(current())));
}

export function draw({ tutor, mode, leds }) {
  for (const button of document.querySelectorAll("[data-tutor]"))
    button.setAttribute("aria-pressed", String(Boolean(tutor?.[button.dataset.tutor])));
  const help = mode === "tournament" ? null : tutor;
  const lessons = help ? [help.weak && weakness(help.weak), help.threat && threat(help.threat), failed(help)].filter(Boolean) : [];
  const moves = help?.moves ?? [];
  place.hidden = !lessons.length && !moves.length;
  place.replaceChildren(
    ...lessons.map((text) => tag("p", { class: "say" }, text)),
    ...(moves.length ? [tag("h3", {}, say("Best moves")), tag("ul", {}, ...moves.map(best(leds)))] : []),
  );
  const all = lessons.join(" ");
  if (all && all !== told) document.getElementById("announce").textContent = all;
  told = all;
}

// Each in the colour in which the board shows it just now, whatever its palette.
const best = (leds) => ({ move, from, to }, at) => {
  const chip = tag("span", { class: `chip rank ${RANKS[at]}` }, `${at + 1}. `, ...written(move));
  if (leds[from]?.rgb && leds[from].rgb === leds[to]?.rgb) chip.style.borderColor = lit(leds[to].rgb);
  return tag("li", {}, chip);
};

function weakness({ move, better, cost, reply, takes, loses, missed }) {
  if (missed) return say("{move} misses a win: {better}.", { move, better });
  if (loses) return say("{move} loses. Better was {better}.", { move, better });
  if (reply && takes) return say("{move} was weak: {reply} captures {count}. Better was {better}.", { move, reply, count: takes, better });
  return say("{move} was weak, by about {cost} of a man. Better was {better}.", { move, cost: decimal(cost / 100, 1), better });
}

function threat({ side, move, takes, wins }) {
  if (wins) return say("{side} threatens to win with {move}.", { side: sideName(side), move });
  return say("{side} threatens {move}, which captures {count}.", { side: sideName(side), move, count: takes });
}

const failed = ({ trouble }) => trouble && say("The tutor has no answer: {why}", { why: trouble });
