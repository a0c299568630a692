// The size of the pages, and their rotation.
import { draw, happen, look, release, root, shape, sheetAt, turn, view } from "./pages.js";

const steps = [0.25, 0.33, 0.5, 0.67, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5];
let pending = 1;
let fitted = "auto";
let letters = 1; // size of the text while the document is read as text
let redraw;

// middle returns the middle of the room for pages, beside the open sidebar.
const middle = () =>
  (document.body.getBoundingClientRect().left +
    parseFloat(getComputedStyle(document.body).paddingLeft) +
    root.clientWidth) /
  2;

export const within = (scale) => Math.min(Math.max(scale, steps[0]), steps.at(-1));
export const size = () => (view.reading ? letters : pending);
export const fitting = () => fitted;

// alone reports whether each page has the window to itself, as long as it fits.
function alone() {
  const [first] = view.sheets;
  return ["auto", "page"].includes(fitted) && (view.slides ?? window.slides(first.width, first.height));
}

// scaleTo changes the scale so that what is at one point of the viewport moves
// to another. Pictures are stretched until they are drawn again.
function scaleTo(to, x = middle(), y = innerHeight / 2, toX = x, toY = y) {
  if (view.reading) return enlarge(to);
  pending = to = within(to);
  const s = sheetAt(y);
  const before = s.element.getBoundingClientRect();
  const across = (x - before.left) / before.width;
  const down = (y - before.top) / before.height;
  root.style.setProperty("--scale", to);
  root.classList.toggle("slides", alone());
  const after = s.element.getBoundingClientRect();
  scrollBy({
    left: after.left + across * after.width - toX,
    top: after.top + down * after.height - toY,
    behavior: "instant",
  });
  clearTimeout(redraw);
  const again = () => {
    view.scale = pending;
    for (const s of view.sheets) s.task?.cancel();
    draw();
  };
  if (view.sheets.some((s) => s.at)) redraw = setTimeout(again, 150);
  else view.scale = to;
  happen("scale");
  look();
}

function enlarge(to) {
  const { element } = view.sheets[view.current - 1];
  const top = element.getBoundingClientRect();
  letters = Math.min(Math.max(to, 0.75), 3);
  root.style.setProperty("--letters", letters);
  const now = element.getBoundingClientRect();
  scrollBy({ top: now.top - top.top - Math.min(0, top.top) * (1 - now.height / top.height), behavior: "instant" });
  happen("scale");
  look();
}

export function zoom(to, ...points) {
  if (!view.reading) fitted = "";
  scaleTo(to, ...points);
}

export function step(up) {
  zoom(
    up ? steps.find((s) => s > size() * 1.01) || steps.at(-1) : steps.findLast((s) => s < size() * 0.99) || steps[0],
  );
}

// fit chooses the size of the pages, one of those of fits in first.js.
export function fit(how) {
  fitted = how;
  if (view.reading) return scaleTo(1);
  const s = view.sheets[view.current - 1];
  scaleTo(window.fits(s.width, s.height)[how], middle(), 0);
  if (how === "page" || alone()) turn(s.number);
}

// single shows one page at a time, or else all below each other.
export function single(on) {
  view.slides = on;
  fit(on ? "page" : "auto");
}

// rotate turns all pages by a quarter, clockwise.
export function rotate() {
  const { current } = view;
  view.turned = (view.turned + 90) % 360;
  for (const s of view.sheets) {
    release(s);
    shape(s);
  }
  if (fitted) fit(fitted);
  turn(current);
  happen("turned");
  draw();
}

// settle fits the pages again when the room for them has changed.
export const settle = () =>
  view.sheets.length && (fitted && !view.reading && fitted !== "actual" ? fit(fitted) : look());

addEventListener("resize", settle);
addEventListener(
  "wheel",
  (e) => {
    if (!e.ctrlKey || !view.sheets.length) return;
    e.preventDefault();
    zoom(size() * Math.exp(-e.deltaY / 200), e.clientX, e.clientY);
  },
  { passive: false },
);
