// The camera's picture, about once a second while it can be seen, with the cells drawn over it.

import { shape, tag } from "./svg.js";

const EACH_MS = 1000;
const box = document.getElementById("camera");
const shown = document.getElementById("grid-shown");
const picture = tag("img", { alt: "What the camera sees" });
let visible = false;
let grid = null;
let overlay = null;

async function look() {
  if (visible && !document.hidden) {
    const response = await fetch("/api/v1/camera/grid").catch(() => null);
    grid = response?.ok ? await response.json() : null;
    picture.src = `/api/v1/camera.jpg?at=${Date.now()}`;
  }
  setTimeout(look, EACH_MS);
}

function drawGrid() {
  overlay?.remove();
  overlay = null;
  if (!grid || !shown.checked) return;
  const outlines = Object.values(grid.cells).map((corners) => shape("polygon", { points: corners.join(" ") }));
  overlay = shape("svg", { viewBox: `0 0 ${grid.size.join(" ")}`, "aria-hidden": "true" }, ...outlines);
  box.append(overlay);
}

picture.addEventListener("load", () => {
  if (!picture.isConnected) box.replaceChildren(picture);
  drawGrid();
});
shown.addEventListener("change", drawGrid);
new IntersectionObserver(([entry]) => (visible = entry.isIntersecting)).observe(box);
look();
