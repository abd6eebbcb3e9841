// The camera's picture, about once a second while it can be seen, with the cells drawn over it and, for an arbiter,
// what the reader believes of each.

import { readJson } from "./read.js";
import { address } from "./root.js";
import { decimal, say } from "./say.js";
import { shape, tag } from "./svg.js";
import { lookName } from "./words.js";

const EACH_MS = 1000;
const ROOM = 0.9; // of the box for the board in a close-up: pieces stand up beyond its edge
const SURE = 0.99; // below this a cell is in doubt
const box = document.getElementById("camera");
const shown = document.getElementById("grid-shown");
const closeUp = document.getElementById("close-up"); // this and what follows: on the arbiter's page only
const numbers = document.getElementById("all-numbers");
const told = document.getElementById("belief");
const picture = tag("img", { alt: say("What the camera sees") });
let visible = false;
let grid = null;
let beliefs = null;
let overlay = null;
let asked = null;

async function look() {
  if (visible && !document.hidden) {
    [grid, beliefs] = await Promise.all([readJson("camera/grid"), told ? readJson("camera/cells") : null]);
    picture.src = address(`/api/v1/camera.jpg?at=${Date.now()}`);
  }
  setTimeout(look, EACH_MS);
}

function drawGrid() {
  overlay?.remove();
  overlay = null;
  picture.style.transform = closeUp?.checked && grid ? nearer(grid) : "";
  if (!grid || !shown.checked) return;
  const parts = Object.entries(grid.cells).flatMap(([name, corners]) => cell(name, corners, beliefs?.[name]));
  overlay = shape("svg", { viewBox: `0 0 ${grid.size.join(" ")}`, "aria-hidden": "true" }, ...parts);
  overlay.style.transform = picture.style.transform;
  box.append(overlay);
  tell();
}

// Brings the board to the size of the box: the picture fits into the box, the cells fill only a part of it.
function nearer({ size: [w, h], cells }) {
  const [xs, ys] = [0, 1].map((axis) => Object.values(cells).flat().map((corner) => corner[axis]));
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const [wide, high] = [box.clientWidth, box.clientHeight];
  const fitted = Math.min(wide / w, high / h);
  const zoom = Math.max(1, ROOM * Math.min(wide / fitted / (right - left), high / fitted / (bottom - top)));
  const away = [((left + right - w) / 2) * fitted * zoom, ((top + bottom - h) / 2) * fitted * zoom];
  return `translate(${-away[0]}px, ${-away[1]}px) scale(${zoom})`;
}

function cell(name, corners, belief) {
  const state = belief ? judged(belief) : "";
  const outline = shape("polygon", { points: corners.join(" "), class: state, "data-cell": name });
  if (!belief || !(numbers?.checked || state === "odd" || state === "doubtful")) return [outline];
  const middle = [0, 1].map((axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length);
  const size = Math.abs(corners[1][0] - corners[0][0]) + Math.abs(corners[1][1] - corners[0][1]);
  const text = shape("text", { x: middle[0], y: middle[1], "font-size": Math.max(9, size / 3) });
  text.textContent = Math.floor(100 * belief.confidence);
  return [outline, text];
}

function judged({ look, expected, confidence, hidden }) {
  if (hidden) return "hidden";
  if (look !== expected) return "odd";
  return confidence < SURE ? "doubtful" : "sure";
}

function tell() {
  const belief = asked && beliefs?.[asked];
  if (!belief) return;
  const sure = say("{percent} % sure", { percent: decimal(100 * belief.confidence, 1) });
  const other = belief.look === belief.expected ? say("as expected") : say("{look} expected", { look: lookName(belief.expected) });
  told.textContent = `${asked}: ${lookName(belief.look)}, ${sure}, ${other}${belief.hidden ? `, ${say("hidden")}` : ""}`;
}

picture.addEventListener("load", () => {
  if (!picture.isConnected) box.replaceChildren(picture);
  drawGrid();
});
shown.addEventListener("change", drawGrid);
for (const choice of [numbers, closeUp]) choice?.addEventListener("change", drawGrid);
if (!told) box.addEventListener("click", () => box.setAttribute("aria-pressed", document.querySelector("main").classList.toggle("swapped")));
else
  box.addEventListener("click", (event) => {
    asked = event.target.dataset.cell ?? asked;
    tell();
  });
new IntersectionObserver((entries) => (visible = entries.at(-1).isIntersecting)).observe(box);
look();
