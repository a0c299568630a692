// The audio player, shown instead of the browser's. The browser's player keeps
// its place, invisible: the tracker reads from its position whether the player
// is in view.
import { media, seek, toggle } from "./media.js";

const player = document.getElementById("player");
const [play, elapsed, line, total, mute, volume] = ["play", "elapsed", "seek", "total", "mute", "volume"].map((id) =>
  document.getElementById(id),
);

const two = (n) => String(n).padStart(2, "0");
function clock(seconds) {
  const s = Math.floor(seconds);
  const minutes = Math.floor(s / 60);
  return s < 3600 ? `${minutes}:${two(s % 60)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(s % 60)}`;
}

function moved() {
  elapsed.textContent = clock(media.currentTime);
  line.value = media.currentTime;
  line.style.setProperty("--done", `${(media.currentTime / (media.duration || 1)) * 100}%`);
  line.setAttribute("aria-valuetext", `${elapsed.textContent} of ${total.textContent}`);
}
function measured() {
  if (!Number.isFinite(media.duration)) return;
  line.max = media.duration;
  total.textContent = clock(media.duration);
  moved();
}
function turned() {
  player.classList.toggle("playing", !media.paused);
  play.setAttribute("aria-label", media.paused ? "Play" : "Pause");
  play.title = `${media.paused ? "Play" : "Pause"} (k)`;
}
function heard() {
  mute.setAttribute("aria-pressed", media.muted);
  volume.value = media.muted ? 0 : media.volume;
  volume.style.setProperty("--done", `${volume.value * 100}%`);
}

const on = (types, f) => {
  for (const type of types.split(" ")) media.addEventListener(type, f);
  f();
};
on("durationchange loadedmetadata", measured);
on("timeupdate seeking", moved);
on("play pause ended", turned);
on("volumechange", heard);

play.addEventListener("click", toggle);
line.addEventListener("input", () => seek(Number(line.value)));
line.addEventListener("keydown", (e) => {
  const by = { ArrowLeft: -5, ArrowDown: -5, ArrowRight: 5, ArrowUp: 5 }[e.key];
  if (!by) return;
  e.preventDefault();
  seek(media.currentTime + by);
});
mute.addEventListener("click", () => (media.muted = !media.muted));
volume.addEventListener("input", () => {
  media.volume = Number(volume.value);
  media.muted = media.volume === 0;
});
media.inert = true;
player.hidden = false;
