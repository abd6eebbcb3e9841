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

const drawnAs = JSON.parse(document.getElementById("led-colours")?.textContent ?? "{}");

// An LED at a quarter of its power still looks bright to an eye; a screen's colour would look nearly black.
export function seen(led) {
  const rgb = drawnAs[led] ?? led;
  const channels = [1, 3, 5].map((at) => parseInt(rgb.slice(at, at + 2), 16));
  return `rgb(${channels.map((value) => Math.round(255 * Math.sqrt(value / 255))).join(" ")})`;
}
