// A game that is over, move by move: the slider, the buttons and the arrow keys choose the position that is drawn.
// It stands by itself in an exported page, so it imports nothing.

const game = JSON.parse(document.getElementById("game").textContent);
const words = JSON.parse(document.getElementById("words").textContent);
const slider = document.getElementById("ply");
const cells = new Map([...document.querySelectorAll(".cell")].map((cell) => [cell.dataset.cell, cell]));
const PIECE = 36; // of the 40 units of a cell
const STEP_MS = 900;
let timer = null;

function shape(name, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}

function piece([name, code]) {
  const { x, y } = cells.get(name).dataset;
  const { side, letter, drawn } = words.pieces[code];
  const body = shape("g", { class: `piece ${side}`, transform: `translate(${x} ${y})`, "data-cell": name });
  body.append(shape("use", { href: drawn ? `#piece-${code}` : "#token", x: -PIECE / 2, y: -PIECE / 2, width: PIECE, height: PIECE }));
  if (!drawn) body.append(shape("text", {}, letter));
  else if (game.seats.length > 2) body.append(shape("text", { class: "initial", y: 12 }, words.seats[side].initial));
  return body;
}

function show(ply) {
  const step = game.positions[ply];
  slider.value = ply;
  document.getElementById("pieces").replaceChildren(...Object.entries(step.cells).map(piece));
  document.getElementById("lights").replaceChildren(...(step.at ?? []).map((name) =>
    shape("polygon", { class: "last", points: cells.get(name).getAttribute("points") })));
  document.getElementById("headline").textContent = ply ? `${step.number}. ${words.seats[step.side].name}: ${step.move}` : words.start;
  const end = game.result ? `${game.result.result} (${words.reason})` : "";
  document.getElementById("subline").textContent = [step.spent == null ? "" : words.took.replace("{seconds}", Math.round(step.spent)), end].filter(Boolean).join(" · ");
  const photo = document.getElementById("photo");
  photo.closest(".photo").hidden = !step.picture;
  if (step.picture) photo.src = step.picture;
  for (const button of document.querySelectorAll("[data-ply]"))
    button.toggleAttribute("aria-current", +button.dataset.ply === ply);
}

const at = () => +slider.value;
const go = (ply) => show(Math.max(0, Math.min(game.positions.length - 1, ply)));

function stop() {
  clearInterval(timer);
  timer = null;
  document.getElementById("play").textContent = words.run;
}

function play() {
  if (timer) return stop();
  if (at() === game.positions.length - 1) go(0);
  document.getElementById("play").textContent = words.stop;
  timer = setInterval(() => (at() < game.positions.length - 1 ? go(at() + 1) : stop()), STEP_MS);
}

slider.addEventListener("input", () => go(at()));
document.getElementById("first").addEventListener("click", () => go(0));
document.getElementById("back").addEventListener("click", () => go(at() - 1));
document.getElementById("on").addEventListener("click", () => go(at() + 1));
document.getElementById("play").addEventListener("click", play);
document.getElementById("moves").addEventListener("click", (event) => {
  const ply = event.target.closest("[data-ply]")?.dataset.ply;
  if (ply) go(+ply);
});
document.addEventListener("keydown", (event) => {
  if (event.target === slider) return;
  if (event.key === "ArrowRight") go(at() + 1);
  if (event.key === "ArrowLeft") go(at() - 1);
});
show(0);
