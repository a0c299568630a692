// Measures how this page is read and sends it to the server.
// docs/reference/beacon.md says what is sent and when.
const { kind, beacon } = document.body.dataset;
const frame = document.querySelector("iframe");
const media = document.querySelector("video, audio");
const item = document.querySelector("[data-depth]");
const count = Number((item || frame)?.dataset.parts) || 0; // parts of the content: sections, or equal slices
const marks = item && count ? [...item.querySelectorAll("[data-part]")] : []; // the elements that sections begin with
const now = () => performance.now();
const start = performance.getEntriesByType("navigation")[0]?.responseStart || now();

const idle = 30_000; // ms without input, after which nobody is reading
const maxSnapshots = 240; // snapshots of one view; the last 40 are reserved for hiding, leaving and the like
let last = now(); // time of the last tick
let input = last; // of the last input
let inside = -idle; // of the last input in the frame
let on = false;
let wasVisible = false; // at the last tick
let engaged = 0;
let present = 0;
let depth = 0;
let downloaded = false;
let shown = [];
let sent = 0;
let told = "";
let toldPresent = 0;
let quarters = []; // of each page in shown, as bits from the top: which are in view
const pages = new Map(); // ms by page or part, the most recent one last
const bands = new Map(); // ms of each quarter of a page, from the top, by page
let edges = []; // top of each part, and the bottom of the last; pixels of the viewport that shows them
const clicks = new Map(); // on links of the content, by part and target, the most recent one last

// An embedded page is a frame. It may be out of view while it is visible, and
// cannot know whether its window has the focus. So coming into view for the
// first time counts as input, as does moving over the page.
const framed = window !== parent;
let inView = !framed;
const seen = (all) => {
  tick();
  inView = all.at(-1).isIntersecting;
  if (inView && !told) input = now();
  tick();
  send(maxSnapshots, !told);
};
if (framed) new IntersectionObserver(seen).observe(document.body);
const visible = () => inView && document.visibilityState === "visible";

function playing() {
  if (!media || media.paused || media.ended) return false;
  const r = media.getBoundingClientRect();
  return r.bottom > 0 && r.top < innerHeight;
}

// tick credits the time since the last tick to the state at that time, then
// reads the new state. It credits at most 1.5 s, because sleep is not reading.
function tick() {
  const t = now();
  const ms = Math.min(t - last, 1500);
  last = t;
  if (on) {
    engaged += ms;
    for (const [i, p] of shown.entries()) {
      const share = ms / shown.length;
      const sum = (pages.get(p) || 0) + share;
      pages.delete(p);
      pages.set(p, sum);
      const seen = [0, 1, 2, 3].filter((q) => (quarters[i] >> q) & 1);
      if (!seen.length) continue;
      const times = bands.get(p) || [0, 0, 0, 0];
      for (const q of seen) times[q] += share / seen.length;
      bands.set(p, times);
    }
  }
  if (wasVisible || visible()) present = t - start;
  wasVisible = visible();
  on =
    wasVisible &&
    (document.hasFocus() || t - inside < idle || (framed && t - input < idle)) &&
    (t - input < idle || playing());
  if (item && wasVisible && item.complete !== false) {
    const r = item.getBoundingClientRect();
    if (r.height) reach(((innerHeight - r.top) / r.height) * 100);
    if (count) {
      edges = Array.from({ length: count + 1 }, (_, i) => r.top + (r.height * i) / count);
      for (const [i, m] of marks.entries()) if (i) edges[i] = m.getBoundingClientRect().top;
      shown = partsInView(innerHeight);
    }
  }
}

// partsInView returns the numbers of the parts that are wholly visible or fill
// half of a viewport, or else of the one that fills most of it.
function partsInView(viewport) {
  const parts = [];
  let most = 0;
  let best;
  for (let i = 0; i < count; i++) {
    const bottom = edges[i + 1];
    const height = Math.min(bottom, viewport) - Math.max(edges[i], 0);
    if (height > 0 && height >= Math.min(viewport / 2, bottom - edges[i] - 1)) parts.push(i + 1);
    if (height > most) {
      most = height;
      best = i + 1;
    }
  }
  return parts.length || !best ? parts : [best];
}

// partAt returns the part at a height, or 0.
const partAt = (y) => edges.slice(0, count).findLastIndex((top) => top <= y + 1) + 1;

// clicked counts a click on a link. What leads to a place in the file does not
// count. The server keeps of https the address without query and fragment, and
// of other schemes the name; so does this.
function clicked(href, part) {
  if (navigator.globalPrivacyControl || !URL.canParse(href)) return;
  const { protocol, origin, pathname } = new URL(href);
  const path = origin.length + pathname.length > 200 ? "/" : pathname;
  const key = `${Math.trunc(part) || 0} ${protocol === "https:" ? origin + path : protocol.slice(0, -1)}`;
  const n = clicks.get(key) || 0;
  if (n >= 100 || (!n && clicks.size >= 20)) return;
  clicks.delete(key);
  clicks.set(key, n + 1);
  send(maxSnapshots - 40);
}

const reach = (percent) => (depth = Math.max(depth, Math.min(100, Math.round(percent))));

// parts returns the hundredths of a medium that were at least half played, as
// runs: the first one, and the one behind the last.
function parts(played, part) {
  const runs = {};
  let from = -1;
  for (let p = 0; p <= 100; p++) {
    let half = 0;
    for (let i = 0; p < 100 && i < played.length; i++)
      half += Math.max(0, Math.min(played.end(i), part * (p + 1)) - Math.max(played.start(i), part * p));
    const has = half >= part / 2;
    if (has && from < 0) from = p;
    if (!has && from >= 0) {
      runs[from] = p;
      from = -1;
    }
  }
  return runs;
}

function snapshot() {
  const s = { engaged: Math.floor(engaged), width: innerWidth };
  if (pages.size) {
    // A page or part counts from one second on. The most recent ones fit into a
    // body of 4 KiB, as do the most recent bands and clicks. The server already
    // has the others.
    const [most, banded] = clicks.size ? [bands.size ? 60 : 100, 20] : [bands.size ? 160 : 220, 40];
    const seen = [...pages].filter((p) => p[1] >= 1000).slice(-most);
    s.pages = Object.fromEntries(seen.map(([p, ms]) => [p, Math.floor(ms)]));
    if (bands.size)
      s.bands = Object.fromEntries(
        seen.flatMap(([p]) => (bands.has(p) ? [[p, bands.get(p).map(Math.floor)]] : [])).slice(-banded),
      );
  }
  if (media && media.duration > 0 && media.duration < 1e9) {
    const { played } = media; // distinct ranges, merged and in order
    const ends = Array.from(played, (_, i) => played.end(i));
    const ms = (seconds) => Math.floor(seconds * 1000);
    s.duration = ms(media.duration);
    s.played = ends.reduce((sum, end, i) => sum + ms(end - played.start(i)), 0);
    s.reached = ms(Math.max(0, ...ends));
    s.parts = parts(played, media.duration / 100);
  }
  if (clicks.size) s.clicks = Object.fromEntries([...clicks].slice(-8));
  if (kind === "scroll") s.depth = depth || (downloaded ? 100 : 0);
  if (downloaded) s.downloaded = true;
  if (navigator.webdriver) s.automation = true;
  return s;
}

// send sends a snapshot if something has changed, or with always in any case. A
// snapshot from a page that stays open counts as sent once it has arrived. If
// it does not arrive, it is sent again when the next one is due.
function send(limit, always, leaving) {
  if (!told && !visible()) return; // a tab that was never visible
  tick();
  const s = snapshot();
  const text = JSON.stringify(s);
  const more = text !== told || (limit === maxSnapshots && present - toldPresent > 100);
  if (sent >= limit || !(more || always)) return;
  told = text;
  toldPresent = present;
  sent++;
  s.present = Math.floor(present);
  if (leaving) s.final = true;
  const body = JSON.stringify(s);
  const lost = () => (told = "?");
  if ((leaving || !visible()) && navigator.sendBeacon?.(beacon, body)) return;
  fetch(beacon, { method: "POST", body, keepalive: true }).then((r) => r.status < 500 || lost(), lost);
}

const schedule = [5, 15, 30];
setInterval(() => {
  tick();
  if (last - start < schedule[0] * 1000) return;
  const at = schedule.shift();
  if (!schedule.length) schedule.push(Math.max(at + 30, (last - start) / 1000));
  send(maxSnapshots - 40);
}, 1000);
requestAnimationFrame(() => setTimeout(() => send(maxSnapshots, true)));

const events = (target, types, f) => {
  for (const t of types.split(" ")) target.addEventListener(t, f, { capture: true, passive: true });
};
events(window, "pointermove pointerdown keydown wheel touchmove scroll", () => {
  input = now();
  if (!on || (item && count)) tick();
});
events(window, "focus blur pageshow resize", tick);
events(document, "visibilitychange freeze", () => (visible() ? tick() : send(maxSnapshots)));
events(window, "pagehide", () => send(maxSnapshots, true, true));
events(window, "online", () => send(maxSnapshots));
if (media) {
  events(media, "play pause", tick);
  events(media, "ended", () => send(maxSnapshots, true));
}
if (item) {
  events(item, "click auxclick", (e) => {
    const a = e.button < 2 && e.target.closest("a[href]");
    if (!a) return;
    tick();
    clicked(a.getAttribute("href"), partAt(a.getBoundingClientRect().top));
  });
}
for (const a of document.querySelectorAll("[data-download]")) {
  events(a, "click", () => {
    downloaded = true;
    send(maxSnapshots, true);
  });
}

// Messages are accepted only from the content frame, and only as far as they
// can be true.
events(window, "message", ({ source, data }) => {
  const m = data?.vitrine;
  if (!frame || source !== frame.contentWindow || typeof m !== "object" || !m) return;
  tick();
  if (m.active) {
    input = now();
    if (kind === "pages") inside = input; // HTML of a user is not trusted about the focus
  }
  if (kind === "scroll" && m.depth > 0) reach(m.depth);
  if ((kind === "pages" || frame.dataset.parts) && Array.isArray(m.shown)) {
    const all = m.shown.map((p, i) => [p, Number(m.bands?.[i])]);
    const some = all.filter(([p]) => Number.isInteger(p) && p > 0).slice(0, 16);
    shown = some.map(([p]) => p);
    quarters = some.map(([, mask]) => mask);
  }
  if (count && Array.isArray(m.edges)) {
    edges = m.edges;
    shown = partsInView(m.height);
  }
  if (m.click) clicked(m.click, m.part ?? partAt(m.y));
  tick();
});
frame?.contentWindow.postMessage({ vitrine: "again" }, "*"); // in case it was ready before this script
