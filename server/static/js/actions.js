// What players and arbiter may ask for. Each is asked once more before it is sent, except an answer to a question.

import { capital, notation, seats } from "./words.js";
import { tag } from "./svg.js";

const dialog = document.getElementById("ask");
const fault = document.getElementById("ask-fault");
let send = null;

const ASKED = {
  undo: (now) => ({
    title: "Take back a move",
    text: now.moves.length ? `Ply ${now.ply}, ${notation(now.moves.at(-1).notation)}, is taken back.` : "No move was made yet.",
    fields: [],
    done: "Take back",
    body: () => ({ plies: 1 }),
  }),
  correct: (now) => ({
    title: "Correct a move",
    text: "Say what was played. The moves after it are judged again.",
    fields: [
      field("Which move", "select", { name: "ply" }, plies(now)),
      field("What was played", "input", { name: "notation", placeholder: "E6-C8", autocomplete: "off", required: "" }),
    ],
    done: "Correct",
    body: (form) => ({ ply: Number(form.get("ply")), notation: form.get("notation").toUpperCase().replaceAll("X", "x") }),
  }),
  resign: (now) => ({
    title: "Resign",
    text: "The side chosen gives up the game.",
    fields: [field("Who resigns", "select", { name: "side" }, seats.map((seat) => option(seat, capital(seat), seat === now.side)))],
    done: "Resign",
    body: (form) => ({ side: form.get("side") }),
  }),
  "new-game": () => ({
    title: "New game",
    text: "The game so far stays in the record. Set up the pieces; the lights show what is missing.",
    fields: [],
    done: "Begin",
    body: () => ({}),
  }),
};

export function install(current) {
  document.addEventListener("click", (event) => {
    const choice = event.target.closest("[data-correct]");
    if (choice) post("correct", { ply: Number(choice.dataset.ply), notation: choice.dataset.correct });
    const name = event.target.closest("[data-ask]")?.dataset.ask;
    if (name && current()) open(name, ASKED[name](current()));
  });
  document.getElementById("ask-cancel").addEventListener("click", () => dialog.close());
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const problem = await send(new FormData(event.target));
    if (problem) fault.textContent = problem;
    else dialog.close();
  });
}

function open(name, asked) {
  document.getElementById("ask-title").textContent = asked.title;
  document.getElementById("ask-text").textContent = asked.text;
  document.getElementById("ask-fields").replaceChildren(...asked.fields);
  document.getElementById("ask-do").textContent = asked.done;
  fault.textContent = "";
  send = (form) => post(name, asked.body(form));
  dialog.showModal();
}

// Returns what is wrong, or nothing.
async function post(name, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`/api/v1/${name}`, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => null);
  if (!response) return "The referee does not answer.";
  return response.ok ? "" : (await response.json()).detail;
}

const option = (value, text, selected = false) => tag("option", selected ? { value, selected: "" } : { value }, text);
const plies = (now) => [
  option(now.ply + 1, "the one on the board now", true),
  ...now.moves.map((move) => option(move.ply, `${move.ply}. ${notation(move.notation)}`)).reverse(),
];

function field(text, name, attributes, options = []) {
  return tag("label", {}, text, tag(name, attributes, ...options));
}
