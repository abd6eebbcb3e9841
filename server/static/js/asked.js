// The questions that are asked once more before something is done: what each says, what it has to be told, what it asks for.

import { flagFell, timeLeft } from "./clocks.js";
import { current } from "./follow.js";
import { losses } from "./losses.js";
import { told } from "./moves.js";
import { readJson } from "./read.js";
import { address } from "./root.js";
import { asItStands } from "./stands.js";
import { settlement } from "./status.js";
import { seatedName, seats, sideName, sideOf, sidesOf } from "./words.js";
import { say } from "./say.js";
import { tag } from "./svg.js";
import { seen, wish } from "./wishes.js";

const LEVELS = Array.from({ length: 10 }, (_, at) => at + 1);
const USUAL_LEVEL = 3; // offered first
const BEGUN_MS = 30000; // another game is shown within this, by a busy computer too
const SHOWN_MS = 2000; // after a refusal the page shows within this the game that was begun meanwhile, if that was why

// What is taken back: what was said of the end first, against the computer all moves back to a person's.
function takenBack(now) {
  if (now.outcome?.said) return say("The game goes on from where it stood.");
  if (now.left) return say("{side} is in the game again.", { side: sideName(now.left) });
  if (!now.moves.length) return say("No move was made yet.");
  const away = now.moves.slice(-(now.takes_back ?? 1)).map(({ notation }) => notation).join(" ");
  const one = () => say("Ply {ply}, {move}, is taken back.", { ply: now.ply, move: away });
  const told = now.takes_back > 1 ? say("{count} moves are taken back: {moves}.", { count: now.takes_back, moves: away }) : one();
  return now.outcome ? `${told} ${say("The result is taken back with it.")}` : told;
}

// The sides that have pieces on the board. `also` are others, of which the last is chosen while the game goes on.
const stillIn = ({ cells, side, phase }, also = []) => {
  const seated = new Set([...sidesOf(cells), ...also]);
  const chosen = phase === "over" ? side : also.at(-1) ?? side;
  return seats.filter((seat) => seated.has(seat)).map((seat) => option(seat, seatedName(seat), seat === chosen));
};

// The sides of three that the clock has put out since the last move.
const fallen = ({ out = [], ply }) => out.filter((one) => one.why === "time" && one.ply === ply && !one.set).map((one) => one.side);
const inSeconds = (time) => time.split(":").reduce((minutes, seconds) => minutes * 60 + Number(seconds), 0) * (time.includes(":") ? 1 : 60);

// `names` is what a question is about: "ply" the last move or the next, which may be another by now; "game" nothing that moves
// change. What its button says may depend on what is chosen.
// What is typed where it `stays` is for whatever game is on the board, also once its button is gone.
// What it says of the board is read again with each change where it `reads`; what it `warns` of is said before it is sent.
// Where it can be done at the board as well, `met` says of a later state that this has happened, and what is still to be sent.
export const ASKED = {
  undo: (now) => ({
    names: "ply",
    title: now.outcome?.said ? say("Take back the result") : say("Take back a move"),
    text: takenBack(now),
    fields: [],
    done: say("Take back"),
    body: () => ({ plies: 1 }),
  }),
  correct: (now) => ({
    title: say("Correct a move"),
    text: say("Say what was played. The moves after it are judged again."),
    fields: playedAt(now, field(say("Which move"), "select", { name: "ply" }, plies(now))),
    done: (form) => replaced(now, Number(form.get("ply"))),
    warns: losses,
    body: (form) => ({ ply: Number(form.get("ply")), notation: form.get("notation") }),
  }),
  "bring-back": () => ({
    title: say("As it was before the correction"),
    text: say("The correction is undone, and the moves that it took off the list are on it again. First press “Bring them back”, then set up the board as it stood then."),
    fields: [],
    done: say("Bring them back"),
    body: () => ({}),
  }),
  resign: (now) => ({
    title: say("Resign"),
    text: say("The side chosen gives up the game."),
    fields: [field(say("Who resigns"), "select", { name: "side" }, stillIn(now))],
    done: say("Resign"),
    body: (form) => ({ side: form.get("side") }),
  }),
  draw: () => ({
    title: say("Draw"),
    text: say("The game ends without a winner."),
    fields: [field(say("Why"), "select", { name: "why" }, [option("agreed", say("The players agree")), option("claimed", say("Claimed: repetition, or too long without progress"))])],
    done: say("End the game"),
    body: (form) => ({ claim: form.get("why") === "claimed" }),
  }),
  forfeit: (now) => ({
    title: say("Forfeit"),
    text: say("The side chosen has lost."),
    fields: [
      field(say("Who has lost"), "select", { name: "side" }, [...stillIn(now), option("all", seats.length === 2 ? say("Both sides") : say("All sides"))]),
      field(say("Why"), "select", { name: "why" }, [option("rules", say("Broke the rules")), option("absence", say("Did not come")), option("time", say("Out of time"))]),
    ],
    done: say("Forfeit"),
    warns: ({ side, why }) => {
      const time = why === "time" ? timeLeft(side) : "";
      return time ? { text: say("The clock of {side} shows {time}.", { side: sideName(side), time }), done: say("Forfeit all the same") } : null;
    },
    body: (form) => ({ side: form.get("side"), why: form.get("why") }),
  }),
  "add-time": (now) => ({
    title: flagFell(now) ? say("Add time") : say("Change a clock"),
    text: flagFell(now) ? say("The game goes on, with the time that you add.") : say("The clock of the side chosen shows more or less from now on."),
    fields: [
      field(say("Whose clock"), "select", { name: "side" }, stillIn(now, fallen(now))),
      ...(flagFell(now) ? [] : [field(say("What to do"), "select", { name: "what" }, [option("add", say("Add")), option("take", say("Take away"))])]),
      field(say("Minutes:seconds"), "input", { name: "time", placeholder: "5:00", title: say("Minutes, or minutes and seconds like 2:30"), pattern: "(?=.*[1-9])[0-9]{1,3}(:[0-5]?[0-9])?", autocomplete: "off", required: "" }),
    ],
    done: flagFell(now) ? say("Add time") : say("Change a clock"),
    body: (form) => ({ side: form.get("side"), seconds: (form.get("what") === "take" ? -1 : 1) * inSeconds(form.get("time")) }),
  }),
  "as-played": (now) => ({
    names: "ply",
    title: say("Let it stand"),
    text: say("The next move counts although it is not lawful; the record says so."),
    fields: [played(standing(now))],
    done: say("Let it stand"),
    body: (form) => ({ notation: form.get("notation") }),
  }),
  "as-it-stands": asItStands,
  "put-back": (now) => ({
    title: say("Put it back"),
    text: say("Set up the last position again. The lights show what to put right; none of it counts as a move."),
    fields: [],
    done: say("Put it back"),
    met: (later) => stoodAgain(now, later) && { told: say("The last position stands again.") },
    body: () => ({}),
  }),
  "stands-so": () => ({
    title: say("The camera is mistaken"),
    text: say("Every piece stands on the board exactly as the page shows it, and only the camera sees it differently. From now on what it sees counts as this position."),
    fields: [],
    done: say("They stand as the page shows"),
    body: () => ({}),
  }),
  settle: (now, how) => ({
    title: say("How the previous game ended"),
    text: say("{game}, put away after ply {ply}: {result}. This is written into its record; the game on the board goes on.", { game: now.before ?? "", ply: now.put_away.ply, result: settlement(how) }),
    fields: [],
    done: settlement(how),
    body: () => ({ how }),
  }),
  adjourn: (now) => ({
    title: say("Adjourn"),
    text: say("The game is put away. Set up this position, then Go on resumes it; if other games were begun since, resume it on its page under Games."),
    fields: [],
    done: say("Adjourn"),
    body: () => ({}),
  }),
  details: (now) => ({
    names: "game",
    stays: true,
    title: say("Players and event"),
    text: say("What is left empty is not known. Each change stays in the record."),
    fields: [
      ...seats.flatMap((seat) => [
        text(sideName(seat), `player-${seat}`, now.details?.players?.[seat]),
        field(say("Rating of {side}, if wanted", { side: sideName(seat) }), "input", { name: `rating-${seat}`, title: say("Rating of {side}: a whole number from 1 to 9999", { side: sideName(seat) }), value: now.details?.ratings?.[seat] ?? "", inputmode: "numeric", pattern: "[1-9][0-9]{0,3}", autocomplete: "off" }),
      ]),
      text(say("Event"), "event", now.details?.event),
      text(say("Round"), "round", now.details?.round),
      text(say("Place"), "place", now.details?.place),
      text(say("Arbiter's name"), "arbiter", now.details?.arbiter),
    ],
    done: say("Save"),
    body: (form) => ({
      ...Object.fromEntries(["event", "round", "place", "arbiter"].map((key) => [key, form.get(key)])),
      players: Object.fromEntries(seats.map((seat) => [seat, form.get(`player-${seat}`)])),
      ratings: Object.fromEntries(seats.map((seat) => [seat, form.get(`rating-${seat}`)])),
      was: now.details ?? {},
    }),
  }),
  rematch: (now) => ({
    names: "game",
    title: say("Rematch"),
    text: say("The same players once more, with the sides exchanged. Press “Begin” or set up the pieces: either begins it."),
    fields: [],
    done: say("Begin"),
    met: (later) => hasBegun(now, later) && { told: say("The rematch has begun: the names have changed sides."), rest: () => exchange(now, later) },
    body: () => ({}),
    sent: () => rematch(now),
  }),
  opponent: (now) => ({
    names: "game",
    title: say("Computer"),
    text: say("The computer says its moves on this page and with the lights; you make them on the board."),
    fields: seated(now),
    done: say("Play"),
    body: (form) => ({ side: form.get("side"), level: form.get("level") ? Number(form.get("level")) : null }),
  }),
  share: (now) => ({
    names: "game",
    title: say("Share"),
    text: LOCAL.test(location.hostname) ? say("This address works on this computer only: serve the page to the network to share it.") : say("Anyone who may see this page can open the game with it."),
    fields: [tag("img", { src: address(`/games/${now.name}/qr.svg`), alt: say("The address as a QR code"), class: "qr" }), field(say("Address"), "input", { name: "address", readonly: "", value: `${location.origin}${address(`/games/${now.name}`)}` })],
    done: say("Copy"),
    body: () => ({}),
    sent: async (form) => (await navigator.clipboard?.writeText(form.get("address")), ""),
  }),
  "new-game": (now) => ({
    title: say("New game"),
    text: say("The game so far stays in the record. First press “Begin”, then set up the pieces; the lights show what is missing."),
    fields: [],
    done: say("Begin"),
    met: (later) => hasBegun(now, later) && { told: say("The new game has begun.") },
    body: () => ({}),
  }),
};

// A new game, and once it has begun its names, whoever began it: the page, another one, or the pieces that were set up.
async function rematch(now) {
  let refused = false;
  const problem = await wish("new-game", {}, seen(now), () => (refused = true));
  if (problem) return problem;
  for (let waited = 0, most = BEGUN_MS; waited < most; waited += 100) {
    if (current().name !== now.name) return exchange(now, current());
    if (refused) most = Math.min(most, waited + SHOWN_MS);
    await new Promise((done) => setTimeout(done, 100));
  }
  return refused ? "" : say("The referee does not answer."); // the names stand as they were, and nobody would know why
}

// Whether `later` is a new game that has begun since `now`, and not one that was put away and is taken up.
const hasBegun = (now, later) => later.name !== now.name && !later.moves.length;
const stoodAgain = (now, later) => later.name === now.name && later.ply === now.ply && ["playing", "lifted"].includes(later.phase);

// The names change sides, unless they have already: of several pages that ask, each says the same.
const exchange = (now, later) => {
  const names = now.details ?? {};
  const known = Object.keys(names.players ?? {}).length + Object.keys(names.ratings ?? {}).length > 0;
  return known ? wish("details", exchanged(names), seen(later)) : "";
};

// The move that two odd cells suggest: from the one that holds a piece of the side to move.
function standing({ phase, note, cells, side }) {
  if (phase !== "trouble" || note.cells.length !== 2) return "";
  const [from] = note.cells.filter((name) => cells[name] && sideOf(cells[name]) === side);
  return from ? `${from}-${note.cells.find((name) => name !== from)}` : "";
}

const LOCAL = /^(localhost|127\..*|\[::1\])$/;
const LONGEST = 80;
const text = (label, name, value = "") => field(label, "input", { name, value, dir: "auto", maxlength: LONGEST, autocomplete: "off" });

// The next seat's name and rating to each seat.
function exchanged(details) {
  const next = (said = {}) => Object.fromEntries(seats.map((seat, at) => [seat, said[seats[(at + 1) % seats.length]] ?? ""]));
  return { ...details, players: next(details.players), ratings: next(details.ratings) };
}

const option = (value, text, selected = false) => tag("option", selected ? { value, selected: "" } : { value }, text);

// A side, and the level at which the computer plays it, or the usual one.
function seated(now) {
  const sides = now.phase === "over" ? seats : sidesOf(now.cells);
  const side = field(say("Side"), "select", { name: "side" }, sides.map((seat) => option(seat, sideName(seat), seat !== now.side)));
  const level = field(say("Played by"), "select", { name: "level" }, [option("", say("People")), ...LEVELS.map((level) => option(`${level}`, say("Computer, level {level}", { level })))]);
  const offer = () => (level.lastChild.value = `${now.computer?.[side.lastChild.value] ?? USUAL_LEVEL}`);
  side.addEventListener("change", offer);
  offer();
  return [side, level];
}

// The plies, each with what it is a ply of: that of another course of the game is another, though it has the same number.
const plies = (now) => {
  const notations = now.moves.map(({ notation }) => notation);
  const ply = (number, text, selected) => {
    const one = option(number, text, selected);
    one.dataset.of = notations.slice(0, number).join(" ");
    return one;
  };
  return [
    ply(now.ply + 1, say("the one on the board now"), true),
    ...now.moves.map((move) => ply(move.ply, `${told(now.moves, move).number}. ${sideName(move.side)}: ${move.notation}`)).reverse(),
  ];
};

// The field for what was played.
const played = (value = "") => field(say("What was played"), "input", { name: "notation", value, autocomplete: "off", required: "" });

// The same after the field that says at which ply, with a move that can be played there as its example: no example where
// that would help somebody. `choice` is asked whenever another ply is chosen.
function playedAt(now, choice) {
  const [typed, list] = [played(), choice.querySelector("select")];
  const show = async () => {
    const ply = list.value;
    const lawful = now.mode === "tournament" || !ply ? null : await readJson(`lawful?ply=${ply}`);
    if (list.value === ply) typed.querySelector("input").placeholder = lawful?.moves.find(({ notation }) => notation !== now.moves[ply - 1]?.notation)?.notation ?? "";
  };
  list.addEventListener("change", show);
  show();
  return [choice, typed];
}

// What a correction does, on its button: which move it replaces, if any.
const replaced = ({ moves }, ply) => (moves[ply - 1] ? say("Replace {move}", { move: moves[ply - 1].notation }) : say("Correct"));

function field(text, name, attributes, options = []) {
  return tag("label", {}, text, tag(name, attributes, ...options));
}
