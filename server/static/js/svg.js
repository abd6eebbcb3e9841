// Small helpers for building SVG and HTML without strings of markup.

const SVG = "http://www.w3.org/2000/svg";

export function shape(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export function tag(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Shows `parts` in `place`, and leaves there whatever is shown already: a button that was replaced between press and release
// takes no click, and who listens or has the focus on it loses the place. A button that would say something else is another.
export function renew(place, parts) {
  let at = place.firstChild;
  for (const part of parts) {
    let same = at;
    while (same && !same.isEqualNode(part)) same = same.nextSibling;
    if (same) {
      while (at !== same) at = remove(at);
      at = same.nextSibling;
    } else if (holds(at, part)) {
      renew(at, [...part.childNodes]);
      at = at.nextSibling;
    } else place.insertBefore(part, at);
  }
  while (at) at = remove(at);
}

function remove(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

// Whether a part differs from what is shown in what it holds, and in nothing else.
const holds = (shown, part) => shown?.nodeType === Node.ELEMENT_NODE && shown.tagName !== "BUTTON" && shown.cloneNode(false).isEqualNode(part.cloneNode(false));

const drawnAs = JSON.parse(document.getElementById("led-colours")?.textContent ?? "{}");

// An LED at a quarter of its power still looks bright to an eye; a screen's colour would look nearly black.
export function seen(led) {
  const rgb = drawnAs[led] ?? led;
  const channels = [1, 3, 5].map((at) => parseInt(rgb.slice(at, at + 2), 16));
  return `rgb(${channels.map((value) => Math.round(255 * Math.sqrt(value / 255))).join(" ")})`;
}
