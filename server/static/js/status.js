// Whose turn it is, what is wrong and what can be done: one card, decided by the phase.

import { passing } from "./closing.js";
import { carrying } from "./computer.js";
import { dropped } from "./losses.js";
import { address } from "./root.js";
import { apart, because, say, translated } from "./say.js";
import { capital, counterOf, reason, result, said, playerName, seats, sideName, sideOf, winner, written } from "./words.js";
import { renew, shape, tag } from "./svg.js";
import { face, flagFell, formatSpan } from "./clocks.js";
import * as seen from "./seen.js";
import { refusalOf } from "./wishes.js";

const answering = document.getElementById("ask") !== null; // who only looks on answers no questions
const rulesOnTime = document.querySelector("[data-ask=add-time]") !== null;
const at = (id) => document.getElementById(id);
const refusals = passing("refused");

const CARDS = {
  "set-up": (now) => ({
    headline: say("Set up the board"),
    subline: takeOff(now) || (asAWhole(now.note) ?? (now.note?.wrong?.length ? counted(now.note.wrong.length) : say("Put the pieces on their cells."))),
    kind: "ask",
    parts: now.note?.wrong?.length ? setUp(now) : [],
  }),
  playing: (now) => ({
    headline: toMove(now),
    subline: now.last ? said(now.moves.at(-1)) : now.moves.length ? say("The position was set.") : say("The game begins."),
    kind: now.advice && (now.advice.trouble || now.advice.played) ? "ask" : "good",
    parts: now.showing ? [tag("p", { class: "say" }, translated(now.showing)), ...why(now)] : now.advice ? carrying(now.advice) : [],
  }),
  lifted: (now) => ({
    headline: toMove(now),
    subline: say("{cell} is in the air.", { cell: now.note.cell }),
    kind: "good",
    parts: now.advice && !now.advice.played ? carrying(now.advice) : now.note.targets.length ? [heading(say("It may end on")), chips(now.note.targets.map(written))] : [],
  }),
  partial: (now) => ({
    headline: say("{side} is not finished", { side: sideName(now.side) }),
    subline: now.note.notation,
    kind: "ask",
    parts: wanted(now) ? carrying(now.advice) : unfinished(now.note),
  }),
  trouble: (now) => ({
    headline: say("Not a lawful move"),
    subline: `${toMove(now)}. ${now.note.instead.length && !wanted(now) ? say("Put the pieces back, or play one of these.") : say("Put the pieces back.")}`,
    kind: "wrong",
    parts: [
      tag("p", { class: "say" }, translated(now.note)),
      ...(wanted(now) ? carrying(now.advice) : now.note.instead.length ? [heading(say("Lawful instead")), chips(now.note.instead.map(written))] : []),
      ...why(now),
    ],
  }),
  unclear: (now) => (now.note.resigned ? givenUp(now.note) : isMissed(now.note) ? missed(now) : {
    headline: isAnswerable(now.note) ? say("Which move was it?") : say("What is on the board is not a move"),
    subline: isAnswerable(now.note) ? say("Choose one, or put the pieces in the middle of their cells.") : say("Put the pieces in the middle of their cells, or choose how to go on."),
    kind: "ask",
    parts: [choices(now), ...corrections(now), ...other(now.note)],
  }),
  blind: ({ note }) => ({
    headline: say("The camera does not see the board"),
    subline: note?.event === "camera-moved" ? say("The camera or the board was moved. Looking for the board.") : say("Clear the view."),
    kind: "ask",
    parts: [],
  }),
  paused: (now) => (now.note?.event === "time-lost" ? timeLost(now) : { headline: say("Paused"), subline: `${toMove(now)}.`, parts: answering ? overruling(now) : [] }),
  adjourned: (now) => ({
    headline: say("Adjourned"),
    subline: `${toMove(now)}. ${say("Set up this position when the game is resumed.")}`,
    kind: "ask",
    parts: answering ? putAside() : [],
  }),
  over: (now) => ({
    headline: now.outcome ? result(now.outcome) : say("The game is over"),
    subline: now.outcome ? `${now.outcome.result}, ${reason(now.outcome.reason)}` : "",
    kind: "good",
    parts: answering ? [...overruling(now), tag("p", { class: "actions" }, ...afterwards(now)), tag("p", { class: "hint" }, say("The next game begins when the pieces are set up again, or with “New game”."))] : [],
  }),
};

// A piece that is off its square, and in no hand that is seen: the reason says what to do.
const isMissed = ({ reason: decided }) => decided?.rule === "piece-absent";
const missed = (now) => ({ headline: say("A piece is missing"), subline: because(now.note.reason), kind: "ask", parts: [...other(now.note), choices(now)] });

// Whether one move alone is awaited: that of the computer, or of the other board.
const wanted = ({ advice }) => Boolean(advice?.move) && !advice.played;

// A refusal as a movement: a button that asks for it, and what its present step shows.
function why(now) {
  if (now.showing) return [tag("p", { class: "say step" }, step(now.showing))];
  return answering && now.mode === "training" ? [tag("p", { class: "actions" }, tag("button", { type: "button", "data-ask": "show-why" }, say("Show me why")))] : [];
}

const STEPS = {
  tried: () => say("This was tried."),
  may: ({ cells }) => say("These may move: {cells}.", { cells: cells.join(", ") }),
  leg: ({ cells, over, notation }) =>
    over.length ? say("{move}: from {from} over {over} to {to}.", { move: notation, from: cells[0], over: over.join(", "), to: cells.at(-1) })
      : say("{move}: from {from} to {to}.", { move: notation, from: cells[0], to: cells.at(-1) }),
  take: ({ cells, notation }) => say("{move}: {cells} comes off.", { move: notation, cells: cells.join(", ") }),
};
const step = (showing) => `${say("{at} of {of}.", { at: showing.step, of: showing.of })} ${STEPS[showing.deed](showing)}`;

export function draw(now) {
  const card = CARDS[now.phase](now);
  if (now.showing) at("announce").textContent = step(now.showing);
  at("status").dataset.phase = now.phase;
  const asks = ["time-lost", "set-up"].includes(now.note?.event) || (answering && (now.put_away || now.undecided?.length)); // like a question on the board
  at("status").toggleAttribute("data-asks", Boolean(asks));
  at("status").dataset.at = `${now.ply} ${now.state}`;
  at("headline").textContent = card.headline;
  at("subline").textContent = card.subline;
  at("event").textContent = line(now.details ?? {});
  at("event").hidden = !at("event").textContent;
  const turn = (now.outcome && winner(now.outcome)) ?? now.side;
  at("turn-piece").setAttribute("class", `piece ${turn}`);
  at("turn-piece").firstElementChild.setAttribute("href", counterOf(turn));
  const parts = [...lostMoves(now), ...(card.parts ?? []), ...heldClocks(now), ...offeredDraw(now), ...undecided(now), ...waysOut(now), ...putAway(now)];
  at("reason").hidden = !parts.length;
  at("reason").className = `reason ${card.kind ?? ""}`;
  renew(at("reason"), parts);
  at("sides").replaceChildren(...seats.map((seat) => side(seat, now)));
  seen.draw(now);
  document.title = `${card.headline} · referee`;
}

// For those who listen: moves politely, what is wrong at once.
export function announce(event) {
  const loud = { illegal: () => translated(event), refused: () => refusalOf(event), "camera-moved": () => say("The camera does not see the board") };
  const calm = {
    move: () => (event.or ? `${said(event)}. ${whichMove(event)}` : said(event)),
    restored: () => say("The last position stands again."),
    takeback: () => (event.plies === 0 ? say("The result is taken back.") : event.plies === 1 ? say("One move taken back.") : say("{count} moves taken back.", { count: event.plies })),
    unclear: () => (event.resigned ? say("Has {side} resigned?", { side: sideName(event.resigned) }) : isMissed(event) ? say("A piece is missing") : isAnswerable(event) ? say("Which move was it?") : say("What is on the board is not a move")),
    "new-game": () => say("A new game."),
    settled: () => say("Last game: {result}.", { result: event.result === "*" ? settlement("unfinished") : result(event) }),
    "set-up": () => (event.options?.length ? say("Was this played?") : counted(event.wrong.length)),
    "stands-so": () => say("The pieces stand as the page shows them; the camera was mistaken."),
    partial: () => say("Not finished: {todo}.", { todo: remaining(event).map(deed).join(", ") }),
    "seen-again": () => say("The board is seen again."),
    "camera-found": () => say("The board is seen again."),
    conflict: () => say("Ply {ply}, {move}, does not fit any more and is left out, with those after it: {why}", { ply: event.ply, move: event.notation, why: translated(event) }),
    "brought-back": () => say("The correction is undone."),
    "clocks-started": () => say("The clocks run."),
    "draw-offered": () => say("{account} offers a draw", { account: event.account }),
    "draw-declined": () => say("The draw is declined or withdrawn."),
    left: () => (seats.length > 2 ? say("{side} is out: {why}.", { side: sideName(event.side), why: reason(event.why) }) : ""), // of two: the result says so
    position: () => say("The position was set."),
    paused: () => say("Paused"),
    "time-lost": () => say("Time was lost"),
    "press-withdrawn": () => say("The clock was pressed, but no move is seen: the time of whoever pressed runs on."),
    "time-added": () => addedTime(event),
    "time-counted": () => say("The lost time counts for {side}.", { side: sideName(event.side) }),
    adjourned: () => say("Adjourned"),
    resumed: () => say("The game goes on."),
    result: () => `${result(event)}: ${reason(event.reason)}.`,
  };
  const refused = event.event === "refused" ? refusalOf(event) : event.event === "left-out" ? translated(event) : "";
  refusals.say(refused);
  if (loud[event.event]) at("alarm").textContent = loud[event.event]();
  else if (calm[event.event]) at("alarm").textContent = ""; // something newer has happened
  if (calm[event.event]) at("announce").textContent = calm[event.event]();
}

function side(seat, now) {
  const left = Object.values(now.cells).filter((code) => sideOf(code) === seat).length;
  const picture = shape("svg", { class: `piece ${seat}`, viewBox: "0 0 45 45", "aria-hidden": "true" }, shape("use", { href: counterOf(seat) }));
  const state = seat === now.side && now.phase !== "over" ? { class: "moving" } : {};
  const count = tag("span", { class: "left" }, tag("b", {}, `${left}`), ` ${left === 1 ? say("piece") : say("pieces")}`);
  const out = now.out?.find((one) => one.side === seat && !one.back);
  const gone = out ? say("out: {why}", { why: reason(out.why) }) : "–"; // no time is left on a clock that nobody plays by
  const clock = out || (now.clocks && !left) ? [tag("span", { class: "gone" }, gone)] : face(seat, now.clocks);
  return tag("li", state, picture, tag("span", { class: "who" }, playerName(seat)), " ", count, ...clock);
}

// Of three a side has left since the last move: the board is to show it.
function takeOff({ out = [], left }) {
  const gone = out.at(-1);
  if (gone?.side !== left) return "";
  const side = sideName(gone.side);
  return gone.why === "resigned" ? say("{side} has resigned: take the pieces of {side} off the board.", { side }) : say("{side} is out, {why}: take the pieces of {side} off the board.", { side, why: reason(gone.why) });
}

// What is wrong with all of the board, where it is no matter of single cells.
const asAWhole = (note) => (["sides-exchanged", "another-board"].includes(note?.reason?.rule) ? because(note.reason) : null);
// The cells that do not stand as they did, where a question is open.
const other = ({ differs = [] }) => (differs.length ? [heading(say("Look at")), chips(differs.map(written))] : []);
const counted = (cells) => (cells === 1 ? say("One cell is not as expected") : say("{count} cells are not as expected", { count: cells }));
// What remains of a move, as values; those who are not helped are told that it goes on, and nothing more.
const remaining = ({ due = [{}] }) => due;
const deed = ({ deed: what, cells = [], or_else: orElse }) => {
  if (what === "capture-with") return say("Capture with one of {pieces}", { pieces: cells.join(", ") });
  if (orElse) return say("or go on to {cells}", { cells: cells.join(", ") });
  return capital(what === "remove" ? say("remove {cell}", { cell: cells.join(" / ") }) : say("Go on"));
};
// A capture that must go on, or may, says where to; what is to be taken off is a list of its own.
function unfinished({ targets = [], at, ...note }) {
  const left = targets.length ? remaining(note).filter((step) => step.deed !== "go-on" || step.or_else) : remaining(note);
  return [
    ...(targets.length ? [heading(targets.includes(at) ? say("It may end on") : say("It must go on, and may end on")), chips(targets.map(written))] : []),
    ...(left.length ? [heading(say("Still to do")), list(left.map(deed), "todo")] : []),
  ];
}
const toMove = (now) => say("{side} to move", { side: sideName(now.side) });
const line = ({ event, round, place }) => [event, round, place].filter(Boolean).map(apart).join(" · ");
const heading = (text) => tag("h3", {}, text);
const chips = (texts) => list(texts.map((nodes) => tag("span", { class: "chip" }, ...nodes)), "chips");
const list = (items, name) => tag("ul", { class: name }, ...items.map((item) => tag("li", {}, item)));

// What is not as expected, what may have been played since, and a way to say that it stands so all the same.
function setUp(now) {
  const { wrong, options = [] } = now.note;
  return [
    ...(asAWhole(now.note) ? [] : [heading(say("Look at")), chips(wrong.map(written))]),
    ...(options.length ? [heading(say("Was this played?")), choices(now)] : []),
    ...(answering ? [tag("p", { class: "actions" }, tag("button", { type: "button", "data-ask": "stands-so" }, say("The camera is mistaken")))] : []),
  ];
}

// Whatever the referee makes of the board, people can go on from here; each is asked once more before it is done.
const STUCK = ["set-up", "partial", "trouble", "unclear", "blind"];
function waysOut({ phase, moves }) {
  if (!answering || !STUCK.includes(phase)) return [];
  const out = (act, text) => tag("button", { type: "button", "data-ask": act }, text);
  const ways = [out("as-it-stands", say("Take the board as it stands")), out("put-back", say("Put it back"))];
  if (moves.length) ways.push(out("correct", say("Correct a move")));
  return [tag("p", { class: "actions out" }, ...ways, out("new-game", say("New game")))];
}

// All pieces of a side were taken off by hand.
function givenUp({ resigned }) {
  const yes = tag("button", { type: "button", "data-resign": resigned }, say("{side} resigned", { side: sideName(resigned) }));
  return {
    headline: say("Has {side} resigned?", { side: sideName(resigned) }),
    subline: say("All pieces of one side are off the board. If nobody has resigned, put them back."),
    kind: "ask",
    parts: answering ? [tag("p", { class: "actions" }, yes)] : [],
  };
}

// The computer slept, its date was set, the program was not running, or the board was set up, while a game clock ran:
// people say whether that time counts.
function timeLost(now) {
  const { kind, seconds } = now.note;
  const time = formatSpan(Math.abs(seconds));
  const what = {
    slept: () => say("This computer slept for {time}.", { time }),
    stopped: () => say("The program did not run for {time}.", { time }),
    "set-up": () => say("For {time} the board was being set up, or a game chosen.", { time }),
    unknown: () => say("This computer slept for {time}, or its date was set.", { time }),
    set: () => (seconds < 0 ? say("The date of this computer was set back by {time}.", { time }) : say("The date of this computer was set forward by {time}.", { time })),
  };
  const ask = (act, text) => tag("button", { type: "button", "data-ask": act }, text);
  const ways = seconds > 0
    ? [heading(say("Does that time count for {side}?", { side: sideName(now.side) })), tag("p", { class: "actions" }, ask("count-lost", say("It counts")), ask("resume", say("Leave it out")))]
    : [tag("p", { class: "actions" }, ask("resume", say("Go on")))];
  return { headline: say("Time was lost"), subline: `${what[kind]()} ${say("The clocks of the game stand still.")}`, kind: "ask", parts: answering ? ways : [] };
}

function addedTime({ side, seconds }) {
  const said = { side: sideName(side), time: formatSpan(Math.abs(seconds)) };
  return seconds > 0 ? say("{side} has {time} more on its clock.", said) : say("{side} has {time} less on its clock.", said);
}

// A flag that has ended the game, or that would do so again: who rules may add time.
function overruling(now) {
  const again = now.phase === "paused" && now.clocks?.left[now.side] <= 0;
  if (!again && !(rulesOnTime && flagFell(now))) return [];
  const told = again ? say("{side} has no time left: the flag falls again unless time is added.", { side: sideName(now.side) }) : say("If the flag fell wrongly, add time: the game goes on.");
  const add = tag("button", { type: "button", "data-ask": "add-time" }, say("Add time"));
  return [tag("p", { class: "hint" }, told), ...(rulesOnTime ? [tag("p", { class: "actions" }, add)] : [])];
}

// The clocks wait for the first move, or for whoever starts them.
function heldClocks({ clocks, phase }) {
  if (!clocks?.held || phase === "over") return [];
  const start = tag("button", { type: "button", "data-ask": "press" }, say("Start the clocks"));
  return [tag("p", { class: "hint" }, say("The clocks start with the first move, or when somebody starts them.")), ...(answering && phase === "playing" ? [tag("p", { class: "actions" }, start)] : [])];
}

// A draw that is offered: another player agrees, or the arbiter; or somebody declines.
function offeredDraw({ draw_offered_by: by = [] }) {
  if (!by.length) return [];
  const ask = (act, text) => tag("button", { type: "button", "data-ask": act }, text);
  const ways = answering ? [tag("p", { class: "actions" }, ask("draw", say("Draw")), ask("decline-draw", say("Decline")))] : [];
  return [heading(say("{account} offers a draw", { account: by.join(", ") })), ...ways];
}

// How a game that was put away may have ended.
export function settlement(how) {
  if (how === "draw") return say("Draw");
  return how === "unfinished" ? say("Not finished") : say("{side} resigned", { side: sideName(how) });
}

// What a correction took off the list, until the game goes on: whoever rules here may have it back.
function lostMoves({ dropped: lost }) {
  if (!lost) return [];
  const back = tag("button", { type: "button", "data-ask": "bring-back" }, say("As it was before the correction"));
  return [tag("p", { class: "say" }, dropped(lost)), ...(answering && document.body.dataset.rules ? [tag("p", { class: "actions" }, back)] : [])];
}

// The game that was under way when the pieces were put up again: people may say how it ended.
function putAway({ put_away: before, before: game }) {
  if (!answering || !before) return [];
  const answers = before.choices.map((how) => tag("button", { type: "button", "data-settle": how }, settlement(how)));
  return [heading(say("A new game. How did {game} end, put away after ply {ply}?", { game: game ?? "", ply: before.ply })), tag("p", { class: "actions answers" }, ...answers)];
}

// A game that was put away: pieces put up for another one do not tell which of the two people want.
function putAside() {
  const ask = (act, text) => tag("button", { type: "button", "data-ask": act }, text);
  const told = say("Setting up the pieces does not begin a new game now: choose “New game”, or “Go on” with this one.");
  return [tag("p", { class: "hint" }, told), tag("p", { class: "actions" }, ask("resume", say("Go on")), ask("new-game", say("New game")))];
}

// After a game: the same two once more with sides exchanged, other ones, and what to do with this one.
function afterwards({ name }) {
  const ask = (act, text) => tag("button", { type: "button", "data-ask": act }, text);
  return [
    ask("rematch", say("Rematch")),
    ask("new-game", say("New game")),
    ask("share", say("Share")),
    tag("a", { class: "button", href: address(`/games/${name}`) }, say("Look at it")),
    tag("a", { class: "button", href: address(`/games/${name}/export.pgn`), download: "" }, say("Save as text")),
    tag("a", { class: "button", href: address(`/games/${name}/export.pdf`), download: "" }, say("Score sheet")),
  ];
}

const isAnswerable = ({ options, corrections = [] }) => options.length + corrections.length > 0;

// What the last ply may have been instead of what the record has.
function corrections({ note, ply }) {
  if (!note.corrections) return [];
  return [heading(say("Was ply {ply} another move?", { ply })), offered(note.corrections, ply)];
}

function choices(now) {
  return offered(now.note.options, now.ply + 1);
}

// One move, several one after another, or that there was none.
const answer = (option) => (option === "no move" ? [say("No move was made")] : written(option.replaceAll(" ", ", ")));
function offered(options, ply) {
  if (!answering) return chips(options.map(answer));
  const buttons = options.map((option) =>
    tag("button", { type: "button", "data-correct": option, "data-ply": ply }, ...answer(option)));
  return list(buttons, "chips");
}

// Plies that led to one position by several moves: which it was is asked while the game goes on.
const whichMove = ({ ply }) => say("Which move was ply {ply}? The position is the same.", { ply });
function undecided({ undecided: plies = [] }) {
  return plies.flatMap((one) => [heading(whichMove(one)), offered(one.options, one.ply)]);
}
