// The page of players and arbiter.

import * as actions from "./actions.js";
import "./camera.js";
import { current, follow } from "./follow.js";

actions.install(current);
follow();
