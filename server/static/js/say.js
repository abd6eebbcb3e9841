// Says texts in the language of the page. The English text is the key; {names} in it stand for values.

import { address } from "./root.js";

const { default: catalogue } = await import(address(`/languages/${document.documentElement.lang}.js`));

export const say = (text, values = {}) =>
  (catalogue.texts[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => values[name]);

const figures = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 3 });

// What decided, or what is waited for: the sentence of its rule with the figure and the limit.
export const because = ({ rule, measured, limit }) =>
  (catalogue.reasons?.[rule] ?? rule).replace(/\{(\w+)\}/g, (_, name) => figure({ measured, limit }[name]));
const figure = (number) => (number === null ? "–" : figures.format(number));

// Why a move is refused: the referee's sentence in English, the rule elsewhere.
export const refusal = ({ code, message }) => catalogue.refusals[code] ?? message;
