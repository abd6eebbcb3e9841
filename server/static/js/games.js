// Games into the record, and one out of it for good.

import { ask } from "./post.js";
import { address } from "./root.js";
import { say } from "./say.js";

const at = (id) => document.getElementById(id);

at("import")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const [file] = at("import-file").files;
  const text = file ? await file.text() : at("import-text").value;
  const { games, problem } = await ask("games/import", { text, name: file?.name ?? "text" });
  at("import-fault").textContent = problem ?? "";
  if (games) location.assign(games.length === 1 ? address(`/games/${games[0]}`) : address("/games"));
});

at("correct-result")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { problem } = await ask(`games/${event.target.dataset.name}/result`, { how: new FormData(event.target).get("how") });
  at("correct-fault").textContent = problem ?? "";
  if (!problem) location.reload();
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
