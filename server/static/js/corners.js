// The four corners of each level over the camera's picture: dragged with mouse or finger under a magnifier, moved by a
// pixel with the arrow keys, turned by a quarter. Everything is in pixels of the picture.

import { say } from "./say.js";
import { shape } from "./svg.js";

const FINGER = 22; // half of what a finger hits, in pixels of the window
const GRIP = 0.016; // radius of a corner's grip, and below the part of the picture the magnifier shows, of the width
const LENS = 0.13;
const ZOOM = 4;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Corners {
  // `moving` is called with every step of a corner, `moved` when a person has let go of it.
  constructor(svg, picture, moving, moved) {
    [this.svg, this.picture, this.moving, this.moved] = [svg, picture, moving, moved];
    this.level = 0;
    this.corners = [];
    this.names = [];
    this.held = null;
    svg.addEventListener("pointerdown", (event) => this.grab(event));
    svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => this.release());
    svg.addEventListener("keydown", (event) => this.key(event));
  }

  // Show `corners`, one list of four for each level, called `names`, in a picture of `size`.
  show(size, names, corners) {
    [this.size, this.names] = [size, names];
    this.corners = corners ?? names.map((_, level) => usual(size, names.length, level));
    this.svg.setAttribute("viewBox", `0 0 ${size.join(" ")}`);
    this.draw();
  }

  grid(cells) {
    const outlines = Object.entries(cells).map(([name, corners]) => shape("polygon", { "data-cell": name, points: corners.join(" ") }));
    this.svg.querySelector(".cells").replaceChildren(...outlines);
  }

  turn() {
    const [first, ...rest] = this.corners[this.level];
    this.corners[this.level] = [...rest, first];
    this.draw();
    this.moved();
  }

  draw() {
    this.svg.querySelector(".frame").setAttribute("points", this.corners[this.level].join(" "));
    const focused = document.activeElement?.dataset?.corner;
    this.svg.querySelector(".grips").replaceChildren(...this.corners[this.level].map((at, corner) => this.grip(at, corner)));
    if (focused !== undefined) this.svg.querySelector(`[data-corner="${focused}"]`)?.focus();
  }

  grip([x, y], corner) {
    const name = this.names[this.level][corner];
    const finger = FINGER / (this.svg.getScreenCTM()?.a || 1);
    const r = Math.max(GRIP * this.size[0], finger / 3);
    const text = shape("text", { x, y: y - 1.5 * r, "font-size": 1.4 * r });
    text.textContent = name;
    return shape("g", { class: "grip", "data-corner": corner, tabindex: 0, role: "button", "aria-label": say("Corner {name}, at {x}, {y}", { name, x: Math.round(x), y: Math.round(y) }) },
      shape("circle", { class: "reach", cx: x, cy: y, r: Math.max(2 * r, finger) }), shape("circle", { cx: x, cy: y, r }),
      shape("path", { d: `M${x - r} ${y}H${x + r}M${x} ${y - r}V${y + r}` }), text);
  }

  grab(event) {
    const corner = event.target.closest?.("[data-corner]")?.dataset.corner;
    if (corner === undefined) return;
    event.preventDefault();
    this.svg.setPointerCapture(event.pointerId);
    const [x, y] = this.at(event);
    const [cx, cy] = this.corners[this.level][corner];
    this.held = { corner, dx: cx - x, dy: cy - y };
    this.magnify();
  }

  drag(event) {
    if (!this.held) return;
    const [x, y] = this.at(event);
    this.place(this.held.corner, x + this.held.dx, y + this.held.dy);
    this.magnify();
  }

  release() {
    if (!this.held) return;
    this.held = null;
    this.svg.querySelector(".lens").replaceChildren();
    this.moved();
  }

  key(event) {
    const corner = event.target.dataset?.corner;
    const way = ARROWS[event.key];
    if (!way || corner === undefined) return;
    event.preventDefault();
    const step = event.shiftKey ? 10 : 1;
    const [x, y] = this.corners[this.level][corner];
    this.place(corner, x + step * way[0], y + step * way[1]);
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.moved(), 250);
  }

  place(corner, x, y) {
    const inside = (value, most) => Math.round(10 * Math.max(-most, Math.min(2 * most, value))) / 10;
    this.corners[this.level][corner] = [inside(x, this.size[0]), inside(y, this.size[1])];
    this.moving();
    this.draw();
  }

  at(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [point.x, point.y];
  }

  // What lies under the finger, enlarged beside it.
  magnify() {
    const [w, h] = this.size;
    const [x, y] = this.corners[this.level][this.held.corner];
    const half = LENS * w;
    const part = half / ZOOM;
    const left = Math.max(0, Math.min(w - 2 * half, x - half));
    const top = y > 3.4 * half ? y - 3.2 * half : y + 1.2 * half;
    const view = shape("svg", { x: left, y: top, width: 2 * half, height: 2 * half, viewBox: `${x - part} ${y - part} ${2 * part} ${2 * part}` },
      shape("image", { href: this.picture.src, width: w, height: h }),
      shape("path", { class: "cross", d: `M${x - part} ${y}H${x + part}M${x} ${y - part}V${y + part}` }));
    const rim = shape("rect", { class: "rim", x: left, y: top, width: 2 * half, height: 2 * half });
    this.svg.querySelector(".lens").replaceChildren(view, rim);
  }
}

// Where corners are put that nobody knows: levels beside each other.
function usual([w, h], levels, level) {
  const [left, right] = [w * ((level + 0.15) / levels), w * ((level + 0.85) / levels)];
  return [[left, 0.85 * h], [right, 0.85 * h], [right, 0.15 * h], [left, 0.15 * h]];
}
