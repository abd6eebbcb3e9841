// The board as a table for who hears the page: one row a rank, the highest first, each cell by its name.

import { say } from "./say.js";
import { tag } from "./svg.js";
import { pieceName } from "./words.js";

const NAME = /^(\d?)([A-Z])(\d+)$/;
const place = document.getElementById("board-table");
const names = [...document.querySelectorAll("#board .cell")].map((cell) => cell.dataset.cell);
const holes = new Map();
build();

function build() {
  const parts = names.map((name) => NAME.exec(name).slice(1));
  for (const level of new Set(parts.map(([level]) => level))) {
    const here = parts.filter((part) => part[0] === level);
    const files = [...new Set(here.map(([, file]) => file))].sort();
    const ranks = [...new Set(here.map(([, , rank]) => Number(rank)))].sort((one, other) => other - one);
    const head = tag("tr", {}, tag("td"), ...files.map((file) => tag("th", { scope: "col" }, file)));
    const title = level ? say("Level {number}", { number: level }) : say("The board as a table");
    place.append(tag("table", {}, tag("caption", {}, title), tag("thead", {}, head),
      tag("tbody", {}, ...ranks.map((rank) => row(level, files, rank)))));
  }
}

function row(level, files, rank) {
  return tag("tr", {}, tag("th", { scope: "row" }, `${rank}`), ...files.map((file) => {
    const cell = tag("td");
    if (names.includes(`${level}${file}${rank}`)) holes.set(`${level}${file}${rank}`, cell);
    return cell;
  }));
}

export function draw(now) {
  for (const [name, cell] of holes) {
    const text = now.cells[name] ? pieceName(now.cells[name]) : "";
    if (cell.textContent !== text) cell.textContent = text;
  }
}
