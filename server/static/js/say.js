// Says texts in the language of the page. The English text is the key; {names} in it stand for values.

import { address } from "./root.js";

const { default: catalogue } = await import(address(`/languages/${document.documentElement.lang}.js`));

// A name or what else people wrote, apart from the line around it: of an Arabic or a Hebrew one the numbers and signs beside
// it would change sides.
const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
export const apart = (text) => (FROM_THE_RIGHT.test(text) && !`${text}`.startsWith("\u2068") ? `\u2068${text}\u2069` : text);

export const say = (text, values = {}) =>
  (catalogue.texts[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => apart(shown(values[name])));

const shown = (value) => (typeof value === "number" && !Number.isInteger(value) ? decimal(value, `${value}`.split(".")[1]?.length ?? 0) : value);

// What decided, or what is waited for: the sentence of its rule with the figure and the limit.
export const because = ({ rule, measured, limit }) =>
  (catalogue.reasons?.[rule] ?? rule).replace(/\{(\w+)\}/g, (_, name) => figure({ measured, limit }[name], limit));

// A number with so many digits behind the sign that the language of the page has for it: every number that is no whole one.
export const decimal = (number, digits) =>
  new Intl.NumberFormat(document.documentElement.lang, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false }).format(number);

// No digit more than says something: of small numbers, what is hardly beside the limit, and what is nearly sure.
function figure(number, limit) {
  if (number === null) return "–";
  const fine = Math.abs(number) < 10 || number > 99 || (limit !== null && Math.abs(number - limit) < 1);
  return new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: fine ? 2 : 0 }).format(number);
}

// What the referee says in English, in the language of the page: a text with values, of which some are texts too, and the
// `parts` are made of texts and values themselves. Where nobody knows the text, the rule of the `code` that refuses a move.
// In Python: translate_sentence of server.languages.
export function translated({ message, text = message, values, parts = {}, code }) {
  if (!(text in catalogue.texts) && catalogue.rules[code] in catalogue.texts) return rule(code);
  if (!values) return catalogue.texts[text] ?? message;
  return say(text, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueSaid(name, value, parts[name], values)])));
}

const SEAT_NAMES = ["side", "owner", "turn"]; // "red" is a colour, "Red" a side
function valueSaid(name, value, part, { code }) {
  if (typeof value !== "string") return value;
  if (SEAT_NAMES.includes(name)) return catalogue.texts[value[0]?.toUpperCase() + value.slice(1)] ?? value;
  return translated({ message: value, ...part, ...(name === "why" ? { code } : {}) });
}

// The rule that a move breaks, in a sentence that says nothing about other moves.
export const rule = (code) => say(catalogue.rules[code] ?? "");
