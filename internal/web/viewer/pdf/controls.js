// The bar, the menu and the keys.
import { events, id, root, tell, turn, view } from "./pages.js";
import { fit, fitting, rotate, single, size, step } from "./zoom.js";
import "./touch.js";

const field = id("page");
const mouse = matchMedia("(hover: hover) and (pointer: fine)");
// These modules are loaded on first use.
const find = () => import("./find.js");
const side = () => import("./side.js");
const toggleSide = async () => (await side()).toggle();
async function openFind() {
  if (!id("side").hidden) (await side()).makeRoom();
  (await find()).open();
}

const read = async () => (await import("./read.js")).toggle();
const aloud = () => import("./aloud.js");
async function speak() {
  if (!(await aloud()).offer()) return;
  id("menu").hidePopover();
  if (!view.reading) await read();
  (await aloud()).toggle();
}

const slides = () => root.classList.contains("slides");

const press = {
  back: () => turn(view.current - 1),
  next: () => turn(view.current + 1),
  smaller: () => step(false),
  larger: () => step(true),
  turn: rotate,
  "fit-width": () => fit("width"),
  "fit-page": () => fit("page"),
  "fit-actual": () => fit("actual"),
  single: () => single(!slides()),
  "open-find": openFind,
  "toggle-side": toggleSide,
  read: async () => {
    if (!id("speaking").hidden) (await aloud()).stop();
    await read();
  },
  aloud: speak,
};
const paper = () => import("./print.js").then((m) => m.print());
if (id("print")) press.print = paper;
for (const [name, f] of Object.entries(press)) id(name).onclick = f;
for (const b of id("menu").querySelectorAll("[data-step]"))
  b.addEventListener("click", () => step(b.dataset.step === "up"));

field.onfocus = () => field.select();
field.onchange = () => {
  const number = parseInt(field.value, 10);
  field.blur();
  turn(number || view.current);
};
field.addEventListener("keydown", (e) => e.key === "Enter" && field.onchange()); // also if the number has not changed

function showPage() {
  if (document.activeElement !== field) field.value = view.current;
  id("back").disabled = view.current === 1;
  id("next").disabled = view.current === view.sheets.length;
}

function showScale() {
  const percent = `${Math.round(size() * 100)} %`;
  id("scale").textContent = percent;
  id("more").setAttribute("aria-label", `${percent}, size and view`);
  for (const how of ["width", "page", "actual"]) id(`fit-${how}`).setAttribute("aria-pressed", fitting() === how);
  id("single").setAttribute("aria-pressed", slides());
}
events.addEventListener("page", showPage);
events.addEventListener("scale", showScale);
showPage();
showScale();
id("menu").addEventListener("beforetoggle", async () => (await aloud()).offer());

const sheet = id("keys");
const toggleKeys = () => sheet.togglePopover();

const plain = {
  "+": press.larger,
  "=": press.larger,
  "-": press.smaller,
  0: () => fit("auto"),
  1: press["fit-actual"],
  w: press["fit-width"],
  p: press["fit-page"],
  r: rotate,
  s: press.single,
  f: () => tell({ full: true }),
  t: toggleSide,
  x: press.read,
  l: speak,
  "/": openFind,
  "?": toggleKeys,
  Home: () => turn(1),
  End: () => turn(view.sheets.length),
};

// high reports whether the current page is larger than the window.
const high = () => view.sheets[view.current - 1].element.offsetHeight > innerHeight;

// turning returns the action of a key that turns pages. If a page is larger
// than the window, the key scrolls instead.
function turning(key) {
  const wide = root.scrollWidth > root.clientWidth;
  if (key === "ArrowRight" && !wide) return press.next;
  if (key === "ArrowLeft" && !wide) return press.back;
  if (key === "PageDown" && !high()) return press.next;
  if (key === "PageUp" && !high()) return press.back;
}

addEventListener("keydown", (e) => {
  if (e.defaultPrevented || e.altKey) return;
  const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
  const chord = e.ctrlKey || e.metaKey;
  let act;
  if (chord) act = { f: openFind, p: press.print, g: async () => (await find()).next(e.shiftKey ? -1 : 1) }[key];
  else if (key === "F3") act = async () => (await find()).next(e.shiftKey ? -1 : 1);
  else if (e.target.tagName !== "INPUT") act = plain[key] || turning(key);
  if (!act) return;
  e.preventDefault();
  act();
});

// Of pages that are shown one at a time, a click beside the text turns one:
// forward on the right, back on the left. So does the wheel, once for all its
// turns without a pause. Fingers swipe.
const alone = () => slides() && !view.reading && !high();
id("pages").addEventListener("click", (e) => {
  if (e.pointerType !== "mouse" || e.detail > 1 || !alone()) return;
  if (e.target.closest("a, button, .text > *") || !getSelection().isCollapsed) return;
  const { left, width } = id("pages").getBoundingClientRect();
  turn(view.current + (e.clientX < left + width / 2 ? -1 : 1));
});
const pause = 150; // ms
let wheeled = -pause;
addEventListener(
  "wheel",
  (e) => {
    if (e.ctrlKey || !e.deltaY || !e.target.closest("#pages") || !alone()) return;
    e.preventDefault();
    if (e.timeStamp - wheeled > pause) turn(view.current + Math.sign(e.deltaY));
    wheeled = e.timeStamp;
  },
  { passive: false },
);

// The bar hides when a mouse does not move, and in full screen also without a
// mouse. In full screen, whole pages are shown.
let still;
function moved() {
  clearTimeout(still);
  root.classList.remove("still");
  if (mouse.matches || root.classList.contains("full")) still = setTimeout(() => root.classList.add("still"), 3000);
}
moved();
for (const type of ["pointermove", "pointerdown", "focusin", "keydown"])
  addEventListener(type, moved, { passive: true });
addEventListener("message", ({ source, data }) => {
  if (source !== parent) return;
  if (data?.vitrine === "print" && press.print) paper();
  if (data?.vitrine === "keys") sheet.showPopover();
  const full = data?.vitrine?.full;
  if (typeof full !== "boolean") return;
  root.classList.toggle("full", full);
  moved();
  fit(full ? "page" : "auto");
});
