// Says aloud what the page writes for screen readers, and beeps when something is wrong, for who wants it.

const { speech, sound } = document.documentElement.dataset;
const TONE_HZ = 440;
const TONE_S = 0.25;
const LOUDNESS = 0.15;
let audio = null;

function speak(text) {
  const words = new SpeechSynthesisUtterance(text.replaceAll("–", ", ").replaceAll("×", " × "));
  words.lang = document.documentElement.lang;
  speechSynthesis.cancel(); // what is old by now is not said any more
  speechSynthesis.speak(words);
}

function beep() {
  audio ??= new AudioContext();
  const [tone, level] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.value = TONE_HZ;
  level.gain.value = LOUDNESS;
  tone.connect(level).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + TONE_S);
}

// At the board of a tournament nothing sounds; spectators are elsewhere.
const silent = () => document.body.dataset.mode === "tournament" && !document.body.dataset.feed.endsWith("/spectator");

function listen(id, hear) {
  const place = document.getElementById(id);
  const isNew = ({ addedNodes }) => addedNodes.length > 0; // what was taken away is no news
  const told = (changes) => changes.some(isNew) && place.textContent && !silent() && hear([...place.childNodes].map((line) => line.textContent).join("; "));
  new MutationObserver(told).observe(place, { childList: true });
}

if (speech === "on") for (const id of ["announce", "alarm", "unseen"]) listen(id, speak);
if (sound === "on") for (const id of ["alarm", "unseen"]) listen(id, beep);
