// The page of who only looks on.

import "./visit.js";
import { follow } from "./follow.js";

follow();
