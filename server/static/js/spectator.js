// The page of who only looks on.

import { follow } from "./follow.js";
import { say } from "./say.js";

const note = document.getElementById("late");

follow(({ late }) => {
  note.hidden = !late;
  note.textContent = late ? say("Shown {minutes} minutes after they were played.", { minutes: Math.round(late / 6) / 10 }) : "";
});
