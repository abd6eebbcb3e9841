// What a correction takes off the list of moves: asked before it is sent, said in words afterwards.

import { readJson } from "./read.js";
import { say, translated } from "./say.js";
import { sideName } from "./words.js";

const values = (lost) => ({ count: lost.plies, number: lost.number, side: sideName(lost.side), move: lost.notation, why: translated(lost) });

// What is to be confirmed before a correction is sent: a sentence, and what the button says; null where nothing is lost.
export async function losses({ ply, notation }) {
  const answer = await readJson(`correction?ply=${ply}&notation=${encodeURIComponent(notation)}`);
  if (!answer?.drops) return null;
  const lost = values(answer.drops);
  return lost.count === 1
    ? { text: say("One later move no longer fits, {number}. {side} {move}: {why} It will be taken off the list.", lost), done: say("Correct, and take one move off") }
    : { text: say("{count} later moves no longer fit, from {number}. {side} {move} on: {why} They will be taken off the list.", lost), done: say("Correct, and take {count} moves off", lost) };
}

// The same after it was done, until the game goes on.
export const dropped = (lost) =>
  lost.plies === 1
    ? say("A correction took one move off the list, {number}. {side} {move}: {why}", values(lost))
    : say("A correction took {count} moves off the list, from {number}. {side} {move} on: {why}", values(lost));
