// The pages of the document: draws those near the viewport, releases those far
// away, and reports those in view.
export const css = 96 / 72; // CSS pixels per point
const maxPixels = 4096 * 4096; // pixels of a canvas; some phones support no more

export const root = document.documentElement;
export const unit = root.dataset.unit; // Page or Slide
export const id = (name) => document.getElementById(name);
export const tell = (vitrine) => parent.postMessage({ vitrine }, "*");

// view is the state that the viewer's modules share. turned is how far the
// reader has turned the pages, in degrees clockwise. reading lays out a page as
// text; it is undefined while pages are shown. slides is whether the reader
// wants one page at a time, and undefined until they choose.
export const view = {
  pdfjs: undefined,
  doc: undefined,
  sheets: [],
  current: 1,
  scale: 1,
  turned: 0,
  reading: undefined,
  slides: undefined,
};

// events reports changes of pages: "page" when another one is current, "text"
// when the text of one (detail) is there, "drawn" when its picture is there,
// "turned" when all were turned, "scale" when the size changed, and "idle" when
// nothing is left to draw.
export const events = new EventTarget();
export const happen = (type, detail) => events.dispatchEvent(new CustomEvent(type, { detail }));

export function sheet(number, width, height, element = document.createElement("section")) {
  element.className = "page";
  element.dataset.number = number;
  element.setAttribute("aria-label", `${unit} ${number}`);
  const s = { number, element, wanted: false, at: 0 };
  s.drawn = new Promise((done) => (s.done = done));
  resize(s, width, height);
  return s;
}

// resize gives a page its own size (before turning), which may differ from the
// first page's, without moving what is in view.
export function resize(s, width, height) {
  if (s.natural?.[0] === width && s.natural[1] === height) return;
  const before = s.element.isConnected && s.element.getBoundingClientRect();
  s.natural = [width, height];
  shape(s);
  if (before && before.bottom < 0) scrollBy(0, s.element.getBoundingClientRect().height - before.height);
}

export function shape(s) {
  [s.width, s.height] = view.turned % 180 ? s.natural.toReversed() : s.natural;
  s.element.style.setProperty("--w", s.width);
  s.element.style.setProperty("--h", s.height);
}

// viewportOf returns the geometry of a turned page, at a scale in CSS pixels.
export const viewportOf = (page, scale) =>
  page.getViewport({ scale: css * scale, rotation: (page.rotate + view.turned) % 360 });

// Drawing

// A page is drawn shortly before it comes into view and released when it is far
// away. In a frame of another origin, margins only work with a named root.
const of = (element) => view.sheets[element.dataset.number - 1];
const watch = (margin, f) => {
  const moved = (all) => {
    for (const e of all) f(of(e.target), e.isIntersecting);
  };
  return new IntersectionObserver(moved, { root: document, rootMargin: `${margin} 0px` });
};
const near = watch("60%", (s, isNear) => want(s, isNear));
const far = watch("300%", (s, isNear) => isNear || view.reading || release(s));

export function observe(sheets) {
  for (const s of sheets) {
    near.observe(s.element);
    far.observe(s.element);
  }
}

export function want(s, wanted) {
  s.wanted = wanted;
  if (wanted) draw();
  else s.task?.cancel();
}

let drawing = false;

// draw draws the pages that are wanted and not drawn at the current scale, one
// at a time. The nearest to the current page comes first.
export async function draw() {
  if (drawing) return;
  drawing = true;
  for (;;) {
    const due = view.sheets.filter((s) => s.wanted && s.at !== view.scale);
    if (!due.length) break;
    const distance = (s) => Math.abs(s.number - view.current);
    const s = due.reduce((a, b) => (distance(b) < distance(a) ? b : a));
    try {
      await (view.reading || paint)(s);
    } catch (error) {
      if (error?.name !== "RenderingCancelledException") {
        console.warn(error);
        s.at = view.scale; // a page that cannot be drawn stays blank
      }
    }
    s.done();
  }
  drawing = false;
  happen("idle");
}

export const busy = () => drawing;

async function paint(s) {
  const drawnAt = view.scale;
  const page = await view.doc.getPage(s.number);
  s.page = page;
  const [x1, y1, x2, y2] = page.view;
  const natural = page.getViewport({ scale: css });
  if (!(x2 > x1 && y2 > y1)) throw new Error("a page without size");
  resize(s, natural.width, natural.height);
  const viewport = viewportOf(page, drawnAt);
  const canvas = canvasOf(viewport, maxPixels);
  s.task = page.render({
    canvas,
    viewport,
    transform: [canvas.width / viewport.width, 0, 0, canvas.height / viewport.height, 0, 0],
  });
  await s.task.promise;
  if (view.reading) return;
  s.canvas?.remove();
  s.canvas = canvas;
  s.element.prepend(canvas);
  s.at = drawnAt;
  happen("drawn", s);
  if (s.text) s.text.update({ viewport });
  else write(s, page, viewport).catch((e) => e?.name === "AbortException" || console.warn(e));
}

// canvasOf returns a canvas for a viewport, in pixels of the screen up to a
// limit.
export function canvasOf(viewport, limit) {
  const ratio = Math.min(devicePixelRatio || 1, Math.sqrt(limit / (viewport.width * viewport.height)));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(viewport.width * ratio));
  canvas.height = Math.max(1, Math.round(viewport.height * ratio));
  return canvas;
}

// write puts the text of a page over its picture, and its links over the text.
async function write(s, page, viewport) {
  const container = document.createElement("div");
  container.className = "text";
  s.element.append(container);
  const text = new view.pdfjs.TextLayer({ textContentSource: page.streamTextContent(), container, viewport });
  s.text = text;
  await text.render();
  if (s.text !== text) return; // the page was released
  s.written = true;
  happen("text", s);
  for (const link of await page.getAnnotations()) {
    if (s.text !== text) return;
    if (link.subtype === "Link" && (link.url || link.dest)) s.element.append(anchor(link, viewport));
  }
}

function anchor(link, viewport) {
  const a = document.createElement("a");
  const [x1, y1] = viewport.convertToViewportPoint(link.rect[0], link.rect[1]);
  const [x2, y2] = viewport.convertToViewportPoint(link.rect[2], link.rect[3]);
  const percent = (part, whole) => `${(part / whole) * 100}%`;
  a.style.left = percent(Math.min(x1, x2), viewport.width);
  a.style.top = percent(Math.min(y1, y2), viewport.height);
  a.style.width = percent(Math.abs(x2 - x1), viewport.width);
  a.style.height = percent(Math.abs(y2 - y1), viewport.height);
  a.setAttribute("aria-label", link.url || "Link within the document");
  lead(a, link);
  return a;
}

// lead gives an anchor the target of a link or a bookmark: a URL in a new tab,
// or a place in the document.
export function lead(a, { url, dest }) {
  a.href = url || "#";
  if (url) {
    a.target = "_blank";
    a.rel = "noopener noreferrer nofollow";
    for (const type of ["click", "auxclick"]) {
      a.addEventListener(type, (e) => {
        if (e.button < 2) tell({ click: url, part: Number(a.closest(".page")?.dataset.number) || 0 });
      });
    }
    return;
  }
  a.addEventListener("click", (e) => {
    e.preventDefault();
    follow(dest).catch(() => {}); // the target does not exist
  });
}

async function follow(target) {
  const { doc, sheets } = view;
  const dest = typeof target === "string" ? await doc.getDestination(target) : target;
  if (!dest) return;
  const number = typeof dest[0] === "number" ? dest[0] + 1 : (await doc.getPageIndex(dest[0])) + 1;
  turn(number);
  const top = { XYZ: dest[3], FitH: dest[2], FitBH: dest[2], FitR: dest[5] }[dest[1]?.name];
  if (!Number.isFinite(top) || view.turned) return;
  const [, y] = viewportOf(await doc.getPage(number), view.scale).convertToViewportPoint(0, top);
  scrollBy({ top: sheets[number - 1].element.getBoundingClientRect().top + y - 24, behavior: "instant" });
}

export function release(s) {
  s.task?.cancel();
  if (!s.at) return;
  s.text?.cancel();
  s.element.replaceChildren();
  if (s.canvas) s.canvas.width = 0;
  s.canvas = s.text = undefined;
  s.at = 0;
  s.written = false;
  s.page.cleanup();
}

// Moving

// sheetAt returns the first page whose lower edge is below a height of the
// viewport, or the last page.
export function sheetAt(y) {
  let low = 0;
  let high = view.sheets.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (view.sheets[middle].element.getBoundingClientRect().bottom > y) high = middle;
    else low = middle + 1;
  }
  return view.sheets[low];
}

let told = "";
let depth = 0;
let turned = 0;
let turnedTop = 0;
const topOf = (number) => view.sheets[number - 1].element.getBoundingClientRect().top;
// look finds and reports the pages in view (wholly, or filling half of the
// viewport), the current one, and how far down the document the lower edge of
// the viewport has been. The current page is the one that fills most of the
// viewport; once the reader has scrolled to the end, it is the last one, even
// if several are in view. A page that was turned to stays current while it is
// in view and the reader does not scroll. With again, look reports also what
// has not changed.
export function look(again) {
  const { sheets } = view;
  const shown = [];
  let best = 0;
  for (let i = sheetAt(0).number - 1; i < sheets.length; i++) {
    const s = sheets[i];
    const r = s.element.getBoundingClientRect();
    if (r.top >= innerHeight) break;
    const height = Math.min(r.bottom, innerHeight) - Math.max(r.top, 0);
    if (height > best) {
      best = height;
      view.current = s.number;
    }
    if (height >= innerHeight / 2 || height >= r.height - 1) shown.push(s.number);
  }
  if (scrollY > 0 && scrollY + innerHeight >= root.scrollHeight - 2) view.current = sheets.length;
  if (turned && Math.abs(topOf(turned) - turnedTop) > 2) turned = 0;
  if (shown.includes(turned)) view.current = turned;
  if (!shown.length) shown.push(view.current);
  const bands = shown.map((number) => window.quarters(sheets[number - 1].element.getBoundingClientRect()));
  happen("page");
  if (!id("status").hidden) return;
  const last = sheetAt(innerHeight);
  const r = last.element.getBoundingClientRect();
  const part = Math.min(1, Math.max(0, (innerHeight - r.top + 1) / r.height));
  depth = Math.max(depth, Math.floor(((last.number - 1 + part) / sheets.length) * 100));
  const now = JSON.stringify([view.current, shown, bands, depth]);
  if (now === told && !again) return;
  told = now;
  tell({ page: view.current, shown, bands, depth });
}

export function turn(number) {
  const s = view.sheets[Math.min(Math.max(number, 1), view.sheets.length) - 1];
  view.current = turned = s.number;
  const r = s.element.getBoundingClientRect();
  scrollBy({ top: r.top - Math.max(12, (innerHeight - r.height - 72) / 2), behavior: "instant" });
  turnedTop = topOf(turned);
  look();
}

let waiting;
const scrolled = () => {
  waiting = undefined;
  look();
};
addEventListener(
  "scroll",
  () => {
    if (view.sheets.length && !waiting) waiting = requestAnimationFrame(scrolled);
  },
  { passive: true },
);
