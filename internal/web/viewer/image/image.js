// The image viewer. It fits the image at first, zooms where people point, and
// keeps a dragged image in view. A very tall image starts at its top.
const id = (name) => document.getElementById(name);
const stage = document.querySelector(".picture");
const img = stage.querySelector("img");
const framed = "embed" in document.body.dataset;
const step = 1.25; // factor of the buttons and keys

let scale = 1; // CSS pixels per pixel of the image
let x = 0; // position of the upper left corner on the stage
let y = 0;
let home = true; // at the fitted scale, which follows the window

const clamp = (n, least, most) => Math.min(Math.max(n, least), most);
const natural = () => [img.naturalWidth || 1, img.naturalHeight || 1];

// room returns the area that the image is fitted into. The edges of a larger
// image cannot be dragged into it.
function room() {
  const s = getComputedStyle(stage);
  const [l, t, r, b] = ["Left", "Top", "Right", "Bottom"].map((side) => parseFloat(s[`padding${side}`]));
  return { l, t, w: stage.clientWidth - l - r, h: stage.clientHeight - t - b };
}

// scales returns the scales at which the whole image is in view and at which it
// is fitted, the largest scale, and whether the image is very tall.
function scales() {
  const [w, h] = natural();
  const r = room();
  const wide = Math.min(1, r.w / w);
  const whole = Math.min(wide, r.h / h);
  const tall = h * wide > 3 * stage.clientHeight;
  return { whole, tall, home: tall ? wide : whole, most: Math.max(16, r.w / w) };
}

function place(smooth) {
  const [w, h] = natural();
  const r = room();
  const s = scales();
  const within = (at, size, from, space) =>
    size <= space ? from + (space - size) / 2 : clamp(at, from + space - size, from);
  x = within(x, w * scale, r.l, r.w);
  y = within(y, h * scale, r.t, r.h);
  const larger = (w * scale) / (parseFloat(getComputedStyle(img).width) || w); // relative to its size by CSS
  img.style.transition = smooth ? "transform .18s" : "none";
  img.style.willChange = "transform";
  img.style.transform = `translate(${Math.round(x - img.offsetLeft)}px, ${Math.round(y - img.offsetTop)}px) scale(${larger})`;
  clearTimeout(rest);
  rest = setTimeout(settle, 250, larger);
  stage.classList.toggle("movable", w * scale > r.w + 1 || h * scale > r.h + 1);
  id("scale").textContent = `${Math.round(scale * 100)} %`;
  id("smaller").disabled = scale <= s.whole * 1.001;
  id("larger").disabled = scale >= s.most;
  id("fit").setAttribute("aria-pressed", home);
}

let rest; // timer of settle
// settle has the browser draw the image again for its scale. While the image
// moves, the browser only moves what it has drawn.
function settle(larger) {
  img.style.willChange = "";
  img.style.setProperty("--scale", larger);
  img.style.imageRendering = scale >= 4 ? "pixelated" : "";
}

function fit(smooth) {
  const s = scales();
  scale = home && smooth && s.tall && scale > s.whole ? s.whole : s.home; // pressed again: the whole of a tall image
  home = scale === s.home;
  x = y = room().t;
  place(smooth);
}

const middle = () => [stage.clientWidth / 2, stage.clientHeight / 2];

// zoom changes the scale and keeps the image under a point of the stage.
function zoom(to, [cx, cy] = middle(), smooth) {
  const s = scales();
  to = clamp(to, s.whole, s.most);
  x = cx - ((cx - x) * to) / scale;
  y = cy - ((cy - y) * to) / scale;
  home = Math.abs(to - s.home) < 1e-9;
  scale = to;
  place(smooth);
}

function toggle(at) {
  if (!home) return fit(true);
  zoom(Math.abs(scale - 1) > 0.01 ? 1 : 2, at, true);
}

// move moves the image as far as possible and reports whether it moved.
function move(dx, dy, smooth) {
  const before = [x, y];
  x += dx;
  y += dy;
  place(smooth);
  return x !== before[0] || y !== before[1];
}

// Touch and mouse

const pointers = new Map();
let tap;
let last;
const point = (e) => {
  const r = stage.getBoundingClientRect();
  return [e.clientX - r.left, e.clientY - r.top];
};
const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

stage.addEventListener("pointerdown", (e) => {
  if (e.button) return;
  const at = point(e);
  pointers.set(e.pointerId, at);
  stage.setPointerCapture(e.pointerId);
  tap = pointers.size === 1 && { at, time: e.timeStamp };
});
stage.addEventListener("pointermove", (e) => {
  const from = pointers.get(e.pointerId);
  if (!from) return;
  const to = point(e);
  pointers.set(e.pointerId, to);
  if (tap && apart(tap.at, to) > 8) tap = undefined;
  if (pointers.size === 1) move(to[0] - from[0], to[1] - from[1]);
  if (pointers.size !== 2) return;
  const [, other] = [...pointers].find(([key]) => key !== e.pointerId);
  zoom((scale * apart(to, other)) / Math.max(apart(from, other), 1), [
    (from[0] + other[0]) / 2,
    (from[1] + other[1]) / 2,
  ]);
  move((to[0] - from[0]) / 2, (to[1] - from[1]) / 2);
});
for (const type of ["pointerup", "pointercancel"]) {
  stage.addEventListener(type, (e) => {
    pointers.delete(e.pointerId);
    if (type === "pointercancel" || !tap || e.timeStamp - tap.time > 300) return;
    if (last && tap.time - last.time < 400 && apart(tap.at, last.at) < 30) {
      last = undefined;
      toggle(tap.at);
    } else last = tap;
  });
}

// In a frame the wheel scrolls the page around, unless the image can move or
// the zoom key is held.
stage.addEventListener(
  "wheel",
  (e) => {
    const unit = [1, 16, innerHeight][e.deltaMode];
    const dy = e.deltaY * unit;
    if (!e.ctrlKey && (framed || scales().tall)) {
      if (move(-e.deltaX * unit, -dy)) e.preventDefault();
      return;
    }
    e.preventDefault();
    zoom(scale * Math.exp(clamp(-dy * (e.ctrlKey ? 0.01 : 0.002), -0.25, 0.25)), point(e));
  },
  { passive: false },
);

// Keys and buttons

const page = () => stage.clientHeight * 0.9;
const keys = {
  "+": () => zoom(scale * step, middle(), true),
  "-": () => zoom(scale / step, middle(), true),
  0: () => fit(true),
  1: () => zoom(1, middle(), true),
  ArrowLeft: () => move(80, 0),
  ArrowRight: () => move(-80, 0),
  ArrowUp: () => move(0, 80),
  ArrowDown: () => move(0, -80),
  PageUp: () => move(0, page(), true),
  PageDown: () => move(0, -page(), true),
  Home: () => move(0, 1e9, true),
  End: () => move(0, -1e9, true),
};
keys["="] = keys["+"];
addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key] || e.target.closest?.("input, textarea, [popover]")) return;
  e.preventDefault();
  keys[e.key]();
});
id("larger").addEventListener("click", keys["+"]);
id("smaller").addEventListener("click", keys["-"]);
id("fit").addEventListener("click", keys[0]);

// Without scripts, this switch zooms.
id("zoom").remove();
stage.removeAttribute("for");

// begin hides the image until its size is known, so that it is never seen or
// measured in a wrong place.
function begin() {
  if (!img.naturalWidth) {
    img.style.scale = "0";
    if (!img.complete) requestAnimationFrame(begin);
    return;
  }
  img.style.scale = "";
  id("bar").hidden = false;
  if (home) fit();
}
begin();
img.addEventListener("load", begin);
img.addEventListener("error", () => (id("bar").hidden = true));

let before = middle();
new ResizeObserver(() => {
  const now = middle();
  if (!img.naturalWidth) return;
  if (home) {
    const part = y / scale;
    fit();
    y = part * scale;
    place();
  } else move(now[0] - before[0], now[1] - before[1]);
  before = now;
}).observe(stage);
