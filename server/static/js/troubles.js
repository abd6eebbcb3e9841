// What is out of order while the game goes on all the same: the lights of the board, the record that waits, the line
// to the hall, the room on the disk.

import { say } from "./say.js";
import { tag } from "./svg.js";

const line = document.getElementById("troubles");
let shown = "";

// What is wrong stands behind the port: "/dev/ttyUSB0: there is no such device".
// What is to be typed stands between signs that are for the terminal.
function sentence(lights) {
  const at = lights.indexOf(": ");
  const said = at < 0 ? say(lights) : `${lights.slice(0, at)}: ${say(lights.slice(at + 2))}`;
  return said.split("\u0060").map((part, n) => (n % 2 ? tag("code", {}, part) : part));
}

export function draw({ lights, record, hall, disk }) {
  const now = `${lights ?? ""}\n${record ?? ""}\n${hall ?? ""}\n${disk ?? ""}`;
  if (!line || now === shown) return; // said once, not with every snapshot
  shown = now;
  const told = [];
  if (record?.includes("another program")) {
    told.push(say("Another program holds the record: moves are shown when it lets go."), " ");
  } else if (record) {
    told.push(say("Moves are refereed and held in memory, and shown once they can be saved:"), " ");
    told.push(say(record.split("; ")[0]), ". ");
  }
  if (disk && !record) told.push(say("The game goes on, but there is hardly any room for it:"), " ", say(disk), ". ");
  if (lights) told.push(say("The lights do not work as they should; the game goes on."), " ", tag("small", {}, ...sentence(lights)), " ");
  if (hall) told.push(say("The hall does not follow this board; the game goes on."), " ", tag("small", {}, hall));
  line.replaceChildren(...told);
  line.hidden = !told.length;
}
