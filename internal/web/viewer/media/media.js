// A video or a sound: its speed, and the keys of players while nothing else has
// the focus.
export const media = document.querySelector("video, audio");
const player = document.getElementById("player"); // of a sound
const speed = document.getElementById("speed");
const rates = Array.from(speed.options, (o) => Number(o.value));

media.preservesPitch = media.webkitPreservesPitch = true;
const play = (rate) => (media.defaultPlaybackRate = media.playbackRate = rate);
speed.hidden = false;
speed.addEventListener("change", () => play(Number(speed.value)));
// The browser's own menu changes the speed, too.
media.addEventListener("ratechange", () => (speed.value = String(media.playbackRate)));

export const seek = (to) => {
  if (media.duration) media.currentTime = Math.min(Math.max(to, 0), media.duration);
};
const by = (seconds) => () => seek(media.currentTime + seconds);
export const toggle = () => (media.paused ? media.play().catch(() => {}) : media.pause());
function full() {
  if (document.fullscreenElement) document.exitFullscreen();
  else if (media.requestFullscreen) media.requestFullscreen().catch(() => {});
  else media.webkitEnterFullscreen?.(); // iPhone
}

// The browser's controls also have these keys, and use them while they have the
// focus.
const own = { " ": toggle, ArrowLeft: by(-5), ArrowRight: by(5) };
const keys = {
  k: toggle,
  j: by(-10),
  l: by(10),
  m: () => (media.muted = !media.muted),
  f: () => media.videoWidth && full(),
  "<": () => play(rates.findLast((r) => r < media.playbackRate) ?? rates[0]),
  ">": () => play(rates.find((r) => r > media.playbackRate) ?? rates.at(-1)),
};
for (let n = 0; n < 10; n++) keys[n] = () => seek((media.duration * n) / 10);

// Browsers draw no captions for sounds.
const cue = document.getElementById("cue");
if (cue) {
  const tracks = Array.from(media.textTracks);
  const main = (tag) => tag.split("-")[0];
  const chosen = tracks.find((t) => navigator.languages.some((l) => main(l) === main(t.language))) ?? tracks[0];
  for (const t of tracks) t.mode = t === chosen ? "hidden" : "disabled";
  chosen.addEventListener("cuechange", () =>
    cue.replaceChildren(...Array.from(chosen.activeCues, (c) => c.getCueAsHTML())),
  );
}

addEventListener("keydown", (e) => {
  const at = document.activeElement;
  const inside = player?.contains(at) && at.tagName !== "SELECT";
  const f = keys[e.key] || (at !== media && !inside && own[e.key]);
  if (!f || e.ctrlKey || e.metaKey || e.altKey || (at && at !== document.body && at !== media && !inside)) return;
  e.preventDefault();
  f();
});
