// Whose turn it is, what is wrong and what can be done: one card, decided by the phase.

import { capital, notation, reason, result, said, seats, sideOf, winner, written } from "./words.js";
import { shape, tag } from "./svg.js";
import { face } from "./clocks.js";

const answering = document.getElementById("ask") !== null; // who only looks on answers no questions
const at = (id) => document.getElementById(id);

const CARDS = {
  "set-up": ({ note }) => ({
    headline: "Set up the board",
    subline: note?.wrong?.length ? counted(note.wrong.length) : "Put the pieces on their cells.",
    kind: "ask",
    parts: note?.wrong?.length ? [heading("Look at"), chips(note.wrong.map(written))] : [],
  }),
  playing: (now) => ({ headline: toMove(now), subline: now.moves.length ? said(now.moves.at(-1)) : "The game begins." }),
  lifted: (now) => ({
    headline: toMove(now),
    subline: `${now.note.cell} is in the air.`,
    kind: "good",
    parts: [heading("It may end on"), chips(now.note.targets.map(written))],
  }),
  partial: (now) => ({
    headline: `${capital(now.side)} is not finished`,
    subline: notation(now.note.notation),
    kind: "ask",
    parts: [heading("Still to do"), list(now.note.todo.map(capital), "todo")],
  }),
  trouble: (now) => ({
    headline: "Not a lawful move",
    subline: `${toMove(now)}. Put the pieces back, or play one of these.`,
    kind: "wrong",
    parts: [
      tag("p", { class: "say" }, now.note.message),
      ...(now.note.instead.length ? [heading("Lawful instead"), chips(now.note.instead.map(written))] : []),
    ],
  }),
  unclear: (now) => ({
    headline: "Which move was it?",
    subline: "Choose one, or put the pieces in the middle of their cells.",
    kind: "ask",
    parts: [choices(now)],
  }),
  blind: ({ note }) => ({
    headline: "The camera does not see the board",
    subline: note?.event === "camera-moved" ? "The camera or the board was moved. It is being looked for." : "Clear the view.",
    kind: "ask",
    parts: [],
  }),
  paused: (now) => ({ headline: "Paused", subline: `${toMove(now)} when the game is resumed.` }),
  adjourned: (now) => ({ headline: "Adjourned", subline: `${toMove(now)}. Set up this position when the game is resumed.` }),
  over: (now) => ({
    headline: now.outcome ? result(now.outcome) : "The game is over",
    subline: now.outcome ? `${now.outcome.result}, ${reason(now.outcome.reason)}` : "",
  }),
};

export function draw(now) {
  const card = CARDS[now.phase](now);
  at("status").dataset.phase = now.phase;
  at("headline").textContent = card.headline;
  at("subline").textContent = card.subline;
  at("turn-piece").setAttribute("class", `piece ${(now.outcome && winner(now.outcome)) ?? now.side}`);
  at("reason").hidden = !card.parts?.length;
  at("reason").className = `reason ${card.kind ?? ""}`;
  at("reason").replaceChildren(...(card.parts ?? []));
  at("sides").replaceChildren(...seats.map((seat) => side(seat, now)));
  at("fit").textContent = `${now.fit} %`;
  at("seen").classList.toggle("poor", now.fit < 50);
  document.title = `${card.headline} · referee`;
}

// For those who listen: moves politely, what is wrong at once.
export function announce(event) {
  const loud = { illegal: () => event.message, refused: () => event.message, "camera-moved": () => "The camera does not see the board." };
  const calm = {
    move: () => said(event),
    restored: () => "The last position stands again.",
    takeback: () => `${event.plies} ${event.plies === 1 ? "move" : "moves"} taken back.`,
    unclear: () => "Which move was it?",
    partial: () => `Not finished: ${event.todo.join(", ")}.`,
    "camera-found": () => "The board is seen again.",
    conflict: () => `Ply ${event.ply}, ${event.notation}, does not fit any more: ${event.message}`,
    left: () => `${capital(event.side)} is out: ${reason(event.why)}.`,
    position: () => "The position was set.",
    paused: () => "Paused.",
    adjourned: () => "Adjourned.",
    resumed: () => "The game goes on.",
    result: () => `${result(event)}: ${reason(event.reason)}.`,
  };
  at("refused").hidden = event.event !== "refused";
  at("refused").textContent = event.event === "refused" ? event.message : "";
  if (loud[event.event]) at("alarm").textContent = loud[event.event]();
  if (calm[event.event]) at("announce").textContent = calm[event.event]();
}

function side(seat, now) {
  const left = Object.values(now.cells).filter((code) => sideOf(code) === seat).length;
  const picture = shape("svg", { class: `piece ${seat}`, viewBox: "0 0 45 45", "aria-hidden": "true" }, shape("use", { href: "#man" }));
  const state = seat === now.side && now.phase !== "over" ? { class: "moving" } : {};
  return tag("li", state, picture, `${capital(seat)} `, tag("b", {}, `${left}`), left === 1 ? " piece" : " pieces", ...face(seat, now.clocks));
}

const counted = (cells) => (cells === 1 ? "One cell is not as expected" : `${cells} cells are not as expected`);
const toMove = (now) => `${capital(now.side)} to move`;
const heading = (text) => tag("h3", {}, text);
const chips = (texts) => list(texts.map((nodes) => tag("span", { class: "chip" }, ...nodes)), "chips");
const list = (items, name) => tag("ul", { class: name }, ...items.map((item) => tag("li", {}, item)));

function choices(now) {
  if (!answering) return chips(now.note.options.map(written));
  const buttons = now.note.options.map((option) =>
    tag("button", { type: "button", "data-correct": option, "data-ply": now.ply + 1 }, ...written(option)));
  return list(buttons, "chips");
}
