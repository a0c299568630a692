// The sidebar: small pictures of the pages, and the bookmarks of the document,
// if it has any.
import { busy, canvasOf, css, events, id, lead, root, turn, unit, view } from "./pages.js";
import { settle } from "./zoom.js";

const panel = id("side");
const list = id("thumbs");
const outline = id("outline");
const button = id("toggle-side");
const maxBookmarks = 10_000;
const narrow = matchMedia("(max-width: 48rem)"); // the sidebar covers the pages, as in pdf.css
let thumbs;
let drawing = false;

export function toggle(open = panel.hidden) {
  panel.hidden = !open;
  button.setAttribute("aria-expanded", open);
  root.classList.toggle("sided", open);
  settle();
  if (!open) return button.focus({ preventScroll: true });
  if (!thumbs) fill();
  follow();
  const focused = list.hidden ? outline.querySelector("a") : thumbs[view.current - 1].element;
  focused?.focus({ preventScroll: true });
}

// makeRoom closes the sidebar if it covers the pages.
export const makeRoom = () => narrow.matches && !panel.hidden && toggle(false);
id("pages").addEventListener("click", makeRoom);

function fill() {
  thumbs = view.sheets.map((s) => {
    const element = document.createElement("button");
    element.type = "button";
    element.tabIndex = -1;
    element.dataset.number = s.number;
    element.setAttribute("aria-label", `${unit} ${s.number}`);
    const frame = document.createElement("span");
    element.append(frame, String(s.number));
    const t = { number: s.number, element, frame, wanted: false };
    shape(t);
    return t;
  });
  list.append(...thumbs.map((t) => t.element));
  const watch = (margin, f) => {
    const moved = (all) => {
      for (const e of all) f(thumbs[e.target.dataset.number - 1], e.isIntersecting);
    };
    const o = new IntersectionObserver(moved, { root: list, rootMargin: `${margin} 0px` });
    for (const t of thumbs) o.observe(t.element);
  };
  watch("25%", (t, isNear) => {
    t.wanted = isNear;
    if (isNear) draw();
    else t.task?.cancel();
  });
  watch("400%", (t, isNear) => isNear || drop(t));
  fillOutline();
}

const shape = (t) =>
  t.frame.style.setProperty("--shape", view.sheets[t.number - 1].width / view.sheets[t.number - 1].height);

function drop(t) {
  if (!t.canvas) return;
  t.canvas.width = 0;
  t.frame.replaceChildren();
  t.canvas = undefined;
}

// draw draws the thumbnails in view one by one, after the pages themselves.
async function draw() {
  if (drawing) return;
  drawing = true;
  while (!busy()) {
    const t = thumbs.find((t) => t.wanted && !t.canvas);
    if (!t) break;
    try {
      await paint(t);
    } catch (error) {
      if (error?.name !== "RenderingCancelledException") {
        console.warn(error);
        t.wanted = false; // a page that cannot be drawn stays blank
      }
    }
  }
  drawing = false;
}

async function paint(t) {
  const s = view.sheets[t.number - 1];
  const turned = view.turned;
  const width = t.frame.clientWidth || 112;
  if (s.canvas) {
    const canvas = canvasOf({ width, height: (width * s.height) / s.width }, 1 << 20);
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(s.canvas, 0, 0, canvas.width, canvas.height);
    return put(t, canvas);
  }
  const page = await view.doc.getPage(t.number);
  const natural = page.getViewport({ scale: css, rotation: (page.rotate + turned) % 360 });
  const viewport = natural.clone({ scale: (css * width) / natural.width });
  t.frame.style.setProperty("--shape", natural.width / natural.height);
  const canvas = canvasOf(viewport, 1 << 20);
  t.task = page.render({
    canvas,
    viewport,
    transform: [canvas.width / viewport.width, 0, 0, canvas.height / viewport.height, 0, 0],
  });
  await t.task.promise;
  if (turned === view.turned) put(t, canvas);
  if (!s.at) page.cleanup();
}

function put(t, canvas) {
  t.canvas = canvas;
  t.frame.replaceChildren(canvas);
}

let marked;
// follow marks the thumbnail of the current page and scrolls it into view.
function follow() {
  if (!thumbs || panel.hidden) return;
  const t = thumbs[view.current - 1];
  if (marked === t) return;
  marked?.element.removeAttribute("aria-current");
  if (marked) marked.element.tabIndex = -1;
  marked = t;
  t.element.setAttribute("aria-current", "page");
  t.element.tabIndex = 0;
  const r = t.element.getBoundingClientRect();
  const box = list.getBoundingClientRect();
  if (r.top < box.top || r.bottom > box.bottom)
    list.scrollBy({ top: r.top - box.top - (box.height - r.height) / 2, behavior: "instant" });
}
events.addEventListener("page", follow);
events.addEventListener("idle", () => thumbs && !panel.hidden && draw());
events.addEventListener("turned", () => {
  for (const t of thumbs || []) {
    t.task?.cancel();
    drop(t);
    shape(t);
  }
  if (thumbs) draw();
});

list.onclick = ({ target }) => {
  const number = target.closest("button")?.dataset.number;
  if (!number) return;
  makeRoom();
  turn(Number(number));
};
list.onkeydown = (e) => {
  const now = Number(document.activeElement?.dataset?.number);
  const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 1, End: thumbs.length }[e.key];
  if (!now || !to || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  const t = thumbs[Math.min(to, thumbs.length) - 1];
  turn(t.number);
  t.element.focus();
};
panel.addEventListener("keydown", (e) => {
  if (e.key !== "Escape") return;
  e.preventDefault();
  toggle(false);
});

// Bookmarks

const tabs = [id("tab-pages"), id("tab-outline")];
function choose(tab) {
  for (const t of tabs) {
    const on = t === tab;
    t.setAttribute("aria-selected", on);
    t.tabIndex = on ? 0 : -1;
    id(t.getAttribute("aria-controls")).hidden = !on;
  }
}
for (const t of tabs) {
  t.onclick = () => choose(t);
  t.onkeydown = (e) => {
    if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return;
    e.preventDefault();
    const other = tabs[1 - tabs.indexOf(t)];
    choose(other);
    other.focus();
  };
}

async function fillOutline() {
  const items = await view.doc.getOutline().catch(() => null);
  if (!items?.length) return;
  let left = maxBookmarks;
  const branch = (items) => {
    const ul = document.createElement("ul");
    for (const item of items) {
      if (left-- <= 0) break;
      const li = document.createElement("li");
      const a = document.createElement("a");
      a.textContent = item.title.trim() || "Untitled";
      a.dir = "auto";
      lead(a, item);
      if (item.items?.length) {
        const more = document.createElement("details");
        const summary = document.createElement("summary");
        more.open = item.count > 0;
        summary.setAttribute("aria-label", `Within ${a.textContent}`);
        more.append(summary, branch(item.items));
        li.append(a, more);
      } else li.append(a);
      ul.append(li);
    }
    return ul;
  };
  outline.append(branch(items));
  outline.addEventListener("click", (e) => e.target.closest("a") && makeRoom());
  id("tabs").hidden = false;
}
id("side-close").onclick = () => toggle(false);
