// Games into the record, and one out of it for good.

import { ask } from "./post.js";
import { readJson } from "./read.js";
import { address } from "./root.js";
import { say } from "./say.js";
import { tag } from "./svg.js";

const CHANGED_SINCE = 409; // of HTTP
const TOO_LARGE = 413;
const TAKES_MS = 8000; // a look that runs may take a second or two on a small computer
const ASKS_MS = 250;
const FOLLOWS_MS = 3000; // as often as the other pages look at the board
const at = (id) => document.getElementById(id);

at("import")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const [file] = at("import-file").files;
  const text = file ? await file.text() : at("import-text").value;
  at("import-told").hidden = true;
  if (text.includes("\0")) return void (at("import-fault").textContent = say("{file} is not text: choose a file with games as text.", { file: file?.name ?? "" }));
  const variant = at("import-variant").value;
  const { games, assumed, unruled, lacks_result: lacksResult, changes = [], problem, code } = await ask("games/import", { text, name: file?.name ?? "text", ...(variant ? { variant } : {}) });
  at("import-fault").textContent = code === TOO_LARGE ? say("That is too much at once: divide it into smaller files, or use the command “referee games import”.") : problem ?? "";
  if (!games) return;
  const page = games.length === 1 ? address(`/games/${games[0]}`) : address("/games");
  if (!assumed && !unruled && !lacksResult && !changes.length) return location.assign(page);
  const told = assumed ? [say("The text does not say which game it is: it was read as {game}, {rules}.", assumed), " "] : [];
  if (unruled) told.push(say("The text names no rules: {game} was read by those of {rules}.", unruled), " ");
  if (lacksResult) told.push(say("No result was found, so the game counts as not finished. Its page can correct that."), " ");
  told.push(...changes.flatMap((one) => tellChanges(one)).flatMap((line) => [line, " "]));
  at("import-told").replaceChildren(...told, tag("a", { href: page }, games.length === 1 ? say("Look at the game") : say("Look at the games")));
  at("import-told").hidden = false;
  const drawn = await fetch(location.href).then((answer) => answer.text());
  at("list").replaceWith(new DOMParser().parseFromString(drawn, "text/html").getElementById("list"));
});

// What of a game is otherwise in the record than in the text.
function tellChanges({ game, variations, comments, result, unfinished }) {
  return [
    variations || comments ? say("{game}: not kept: variations ({variations}), comments ({comments}).", { game, variations, comments }) : "",
    result ? say("{game}: it is over by the rules, so its result is {result}.", { game, result }) : "",
    unfinished ? say("{game}: it has no result, so it counts as not finished.", { game }) : "",
  ].filter(Boolean);
}

// Where another page was first, this one is told so once it shows what that has done.
const correction = at("correct-result");
const late = sessionStorage.getItem("late");
sessionStorage.removeItem("late");
if (correction && late) {
  correction.closest("details").open = true;
  at("correct-fault").textContent = late;
}
correction?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, was } = correction.dataset;
  const { problem, code, changed } = await ask(`games/${name}/result`, { how: new FormData(correction).get("how"), was: JSON.parse(was) });
  at("correct-fault").textContent = problem ?? "";
  const told = changed === false ? say("This is the result already: nothing was changed.") : code === CHANGED_SINCE ? problem : "";
  if (told) sessionStorage.setItem("late", told);
  if (!problem || told) location.reload();
});

// What others write into the game, a corrected result above all, is on this page within moments.
const followed = at("followed");

async function follow() {
  const { name, events } = followed.dataset;
  const since = document.hidden ? null : await readJson(`games/${name}/links?after=${events}`);
  if (!since?.links.length) return setTimeout(follow, FOLLOWS_MS);
  if (correction?.closest("details").open) sessionStorage.setItem("late", say("Too late: the result has changed since."));
  location.reload();
}
if (followed) setTimeout(follow, FOLLOWS_MS);

// Until the board has it: its page then says what to put up.
at("take-up")?.addEventListener("click", async ({ target: { dataset } }) => {
  let { problem } = await ask("take-up", { game: dataset.name });
  for (let waits = TAKES_MS / ASKS_MS; !problem && waits > 0; waits -= 1) {
    if ((await readJson("game"))?.name === dataset.name) return location.assign(address("/"));
    await new Promise((done) => setTimeout(done, ASKS_MS));
  }
  at("take-up-fault").textContent = problem ?? say("The board has not taken it up. Look there whether something is wrong, and try again.");
});

// Asked once more on the button itself: what is deleted does not come back.
at("delete")?.addEventListener("click", async ({ target }) => {
  if (!target.dataset.sure) {
    target.dataset.sure = "yes";
    target.textContent = say("Delete for good?");
    return;
  }
  const { problem } = await ask(`games/${target.dataset.name}/delete`, {});
  at("delete-fault").textContent = problem ?? "";
  if (!problem) location.assign(address("/games"));
});
