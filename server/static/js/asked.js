// The questions that are asked once more before something is done: what each says, what it has to be told, what it asks for.

import { flagFell, timeLeft } from "./clocks.js";
import { current } from "./follow.js";
import { losses } from "./losses.js";
import { told } from "./moves.js";
import { address } from "./root.js";
import { asItStands } from "./stands.js";
import { settlement } from "./status.js";
import { seats, sideName, sideOf } from "./words.js";
import { say } from "./say.js";
import { tag } from "./svg.js";
import { seen, wish } from "./wishes.js";

const LEVELS = Array.from({ length: 10 }, (_, at) => at + 1);
const USUAL_LEVEL = 3; // offered first
const BEGUN_MS = 30000; // another game is shown within this, by a busy computer too

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

// The sides that have pieces on the board: of three one may be out. `also` are others, of which the last is chosen while the game goes on.
const stillIn = ({ cells, side, phase }, also = []) => {
  const seated = new Set([...Object.values(cells).map(sideOf), ...also]);
  const chosen = phase === "over" ? side : also.at(-1) ?? side;
  return seats.filter((seat) => seated.has(seat)).map((seat) => option(seat, sideName(seat), seat === chosen));
};

// The sides of three that the clock has put out since the last move.
const fallen = ({ out = [], ply }) => out.filter((one) => one.why === "time" && one.ply === ply).map((one) => one.side);
const inSeconds = (time) => time.split(":").reduce((minutes, seconds) => minutes * 60 + Number(seconds), 0) * (time.includes(":") ? 1 : 60);

const EXAMPLE = document.body.dataset.example; // a move of this game

// `names` is what a question is about: "ply" the last move or the next, which may be another by now; "game" nothing that moves
// change. What its button says may depend on what is chosen.
// What it says of the board is read again with each change where it `reads`; what it `warns` of is said before it is sent.
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
    fields: [
      field(say("Which move"), "select", { name: "ply" }, plies(now)),
      field(say("What was played"), "input", { name: "notation", placeholder: EXAMPLE, autocomplete: "off", required: "" }),
    ],
    done: (form) => replaced(now, Number(form.get("ply"))),
    warns: losses,
    body: (form) => ({ ply: Number(form.get("ply")), notation: form.get("notation") }),
  }),
  "bring-back": () => ({
    title: say("As it was before the correction"),
    text: say("The correction is undone, and the moves that it took off the list are on it again. Set up the board as it stood then."),
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
    fields: [field(say("What was played"), "input", { name: "notation", value: standing(now), placeholder: EXAMPLE, autocomplete: "off", required: "" })],
    done: say("Let it stand"),
    body: (form) => ({ notation: form.get("notation") }),
  }),
  "as-it-stands": asItStands,
  "put-back": () => ({
    title: say("Put it back"),
    text: say("The last position is put up again. The lights show what is to be put right; nothing of it is a move."),
    fields: [],
    done: say("Put it back"),
    body: () => ({}),
  }),
  "stands-so": () => ({
    title: say("The camera is mistaken"),
    text: say("Every piece stands on the board exactly as the page shows it, and only the camera sees it otherwise. From now on what it sees is taken for this position."),
    fields: [],
    done: say("They stand as the page shows"),
    body: () => ({}),
  }),
  settle: (now, how) => ({
    title: say("How the game before ended"),
    text: say("{game}, put away after ply {ply}: {result}. This is written into its record; the game on the board goes on.", { game: now.before ?? "", ply: now.put_away.ply, result: settlement(how) }),
    fields: [],
    done: settlement(how),
    body: () => ({ how }),
  }),
  adjourn: (now) => ({
    title: say("Adjourn"),
    text: say("The game is put away. Go on takes it up again once this position stands; if other games were begun since, its page under Games does."),
    fields: [],
    done: say("Adjourn"),
    body: () => ({}),
  }),
  details: (now) => ({
    names: "game",
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
    text: say("The same players once more, with the sides exchanged. Set up the pieces."),
    fields: [],
    done: say("Begin"),
    body: () => ({}),
    sent: () => rematch(now),
  }),
  opponent: (now) => ({
    names: "game",
    title: say("Computer"),
    text: say("The computer says its moves on this page and with the lights; you make them on the board."),
    fields: [
      field(say("Side"), "select", { name: "side" }, seats.map((seat) => option(seat, sideName(seat), seat !== now.side))),
      field(say("Played by"), "select", { name: "level" }, [option("", say("People")), ...LEVELS.map((level) => option(`${level}`, say("Computer, level {level}", { level }), level === USUAL_LEVEL))]),
    ],
    done: say("Play"),
    body: (form) => ({ side: form.get("side"), level: form.get("level") ? Number(form.get("level")) : null }),
  }),
  share: (now) => ({
    names: "game",
    title: say("Share"),
    text: LOCAL.test(location.hostname) ? say("This address works on this computer only: serve the page to the network to share it.") : say("Whoever may see this page opens the game with it."),
    fields: [tag("img", { src: address(`/games/${now.name}/qr.svg`), alt: say("The address as a QR code"), class: "qr" }), field(say("Address"), "input", { name: "address", readonly: "", value: `${location.origin}${address(`/games/${now.name}`)}` })],
    done: say("Copy"),
    body: () => ({}),
    sent: async (form) => (await navigator.clipboard?.writeText(form.get("address")), ""),
  }),
  "new-game": () => ({
    title: say("New game"),
    text: say("The game so far stays in the record. Set up the pieces; the lights show what is missing."),
    fields: [],
    done: say("Begin"),
    body: () => ({}),
  }),
};

// A new game, and once it has begun its names: of two pages that ask one is granted, and exchanges them.
async function rematch(now) {
  let refused = false;
  const problem = await wish("new-game", {}, seen(now), () => (refused = true));
  if (problem) return problem;
  for (let waited = 0; waited < BEGUN_MS && !refused; waited += 100) {
    if (current().name !== now.name) return wish("details", exchanged(now.details ?? {}), seen(current()));
    await new Promise((done) => setTimeout(done, 100));
  }
  return refused ? "" : say("The referee does not answer."); // the names stand as they were, and nobody would know why
}

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

// What a correction does, on its button: which move it replaces, if any.
const replaced = ({ moves }, ply) => (moves[ply - 1] ? say("Replace {move}", { move: moves[ply - 1].notation }) : say("Correct"));

function field(text, name, attributes, options = []) {
  return tag("label", {}, text, tag(name, attributes, ...options));
}
