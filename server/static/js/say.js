// Says texts in the language of the page. The English text is the key; {names} in it stand for values.

const { default: catalogue } = await import(`/languages/${document.documentElement.lang}.js`);

export const say = (text, values = {}) =>
  (catalogue.texts[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => values[name]);

// Why a move is refused: the referee's sentence in English, the rule elsewhere.
export const refusal = ({ code, message }) => catalogue.refusals[code] ?? message;
