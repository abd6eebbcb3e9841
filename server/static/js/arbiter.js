// The arbiter's page: what the camera believes, every ruling, and a position set by hand.

import * as actions from "./actions.js";
import "./camera.js";
import * as editor from "./editor.js";
import { current, follow } from "./follow.js";
import * as plies from "./plies.js";
import * as waits from "./waits.js";
import { seen, wish } from "./wishes.js";

actions.install(current);
plies.install(current);
editor.install(current);
const mode = document.getElementById("mode");
mode.addEventListener("change", () => wish("mode", { mode: mode.value }, seen(current())));
follow(actions.offer, plies.keepUp, editor.draw, waits.draw, (now) => (mode.value = now.mode));
