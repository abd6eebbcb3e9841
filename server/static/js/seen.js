// How well the camera sees the board, in the header of every page.

const POOR = 50; // of 100: moves may be missed

export function draw(now) {
  document.getElementById("fit").textContent = now.cannot_see ? "–" : `${now.fit} %`;
  document.getElementById("seen").classList.toggle("poor", now.fit < POOR || Boolean(now.cannot_see));
}
