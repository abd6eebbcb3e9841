// The arbiter's page: what the camera believes, every ruling, and a position set by hand.

import * as actions from "./actions.js";
import "./camera.js";
import * as editor from "./editor.js";
import { current, follow } from "./follow.js";
import * as plies from "./plies.js";

actions.install(current);
plies.install(current);
editor.install(current);
follow(actions.offer, editor.draw);
