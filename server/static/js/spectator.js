// The page of who only looks on.

import { follow } from "./follow.js";

follow();
