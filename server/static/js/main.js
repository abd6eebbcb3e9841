// The page of players.

import * as actions from "./actions.js";
import "./camera.js";
import { current, follow } from "./follow.js";
import * as plies from "./plies.js";

actions.install(current);
plies.install(current);
follow(actions.offer);
