// The page of players.

import * as actions from "./actions.js";
import "./camera.js";
import * as computer from "./computer.js";
import * as film from "./film.js";
import { current, follow } from "./follow.js";
import * as plies from "./plies.js";
import * as tutor from "./tutor.js";

actions.install(current);
plies.install(current);
tutor.install(current);
follow((now) => {
  actions.offer(now);
  plies.keepUp(now);
  computer.draw(now);
  tutor.draw(now);
  film.draw(now);
});
