// Two fingers zoom around the point between them. Two taps zoom in and out.
import { id, sheetAt, view } from "./pages.js";
import { fit, fitting, size, within, zoom } from "./zoom.js";

const pages = id("pages");
let pinch;
let tap = { at: -1000 };
let begun;

const between = ([a, b]) => ({
  x: (a.clientX + b.clientX) / 2,
  y: (a.clientY + b.clientY) / 2,
  apart: Math.max(1, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY)),
});

// While the fingers move, the drawn pages are stretched. They are laid out and
// drawn again at the end.
addEventListener(
  "touchstart",
  (e) => {
    begun = e.touches.length === 1 && e.touches[0];
    if (e.touches.length !== 2 || !view.sheets.length) return;
    if (e.cancelable) e.preventDefault();
    const { x, y, apart } = between(e.touches);
    const r = pages.getBoundingClientRect();
    pinch = { x, y, apart, by: 1, toX: x, toY: y };
    pages.style.transformOrigin = `${x - r.left}px ${y - r.top}px`;
    pages.style.willChange = "transform";
  },
  { passive: false },
);

addEventListener(
  "touchmove",
  (e) => {
    if (!pinch || e.touches.length < 2) return;
    if (e.cancelable) e.preventDefault();
    const { x, y, apart } = between(e.touches);
    Object.assign(pinch, { toX: x, toY: y, by: within((size() * apart) / pinch.apart) / size() });
    pages.style.transform = `translate(${x - pinch.x}px, ${y - pinch.y}px) scale(${pinch.by})`;
  },
  { passive: false },
);

function end(e) {
  if (!pinch || e.touches.length > 1) return;
  const { x, y, toX, toY, by } = pinch;
  pinch = undefined;
  tap.at = -1000;
  pages.style.transform = pages.style.transformOrigin = pages.style.willChange = "";
  zoom(size() * by, x, y, toX, toY);
}
addEventListener("touchend", end);
addEventListener("touchcancel", end);

addEventListener(
  "touchend",
  (e) => {
    const one = e.touches.length === 0 && e.changedTouches.length === 1 && e.changedTouches[0];
    if (!one || !e.target.closest?.("#pages") || e.target.closest("a")) return;
    const { clientX: x, clientY: y } = one;
    if (!begun || Math.hypot(x - begun.clientX, y - begun.clientY) > 12) return; // the touch scrolled
    const again = e.timeStamp - tap.at < 350 && Math.hypot(x - tap.x, y - tap.y) < 32;
    tap = { at: again ? -1000 : e.timeStamp, x, y };
    if (!again) return;
    if (e.cancelable) e.preventDefault();
    if (view.reading) return;
    if (fitting()) closer(x, y);
    else fit("auto");
  },
  { passive: false },
);

// closer makes the column under the finger fill the window. If there is no
// text, it enlarges that place.
function closer(x, y) {
  const here = (sheetAt(y).text?.textDivs || []).map((d) => d.getBoundingClientRect()).filter((r) => r.width);
  const near = here.filter((r) => r.left <= x && r.right >= x && Math.abs((r.top + r.bottom) / 2 - y) < 40);
  const left = Math.min(...near.map((r) => r.left));
  const width = Math.max(...near.map((r) => r.right)) - left;
  const by = Math.min(3, (innerWidth - 24) / width);
  if (near.length && by > 1.1) zoom(size() * by, left, y, 12, y);
  else zoom(size() * 2.5, x, y);
}
