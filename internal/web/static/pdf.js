// The PDF viewer. It runs in a frame of an opaque origin, reads the file in ranges, draws the pages near the viewport, and tells the
// page around it which ones are in view. pdf.js does the reading and drawing.
const { library, size } = document.body.dataset;
const at = (name) => new URL(library + name, location.href).href;
const id = (name) => document.getElementById(name);
const tell = (vitrine) => parent.postMessage({ vitrine }, "*");

const css = 96 / 72; // CSS pixels to a point
const large = 4 << 20; // bytes; a larger file is read only where it is looked at
const most = 4096 * 4096; // pixels of a canvas; some phones draw no more
const steps = [0.25, 0.33, 0.5, 0.67, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5];

let pdfjs, doc, sheets = [], current = 1, fitted = "auto", scale = 1;

const root = document.documentElement, pages = id("pages"), field = id("page");

// Opening

async function open() {
  const starting = worker(); // while the library itself is on its way
  pdfjs = await import(at("pdf.min.mjs"));
  pdfjs.GlobalWorkerOptions.workerSrc = at("pdf.worker.min.mjs");
  const port = await starting;
  const task = pdfjs.getDocument({
    worker: port && pdfjs.PDFWorker.create({ port }),
    url: new URL("file", location.href).href,
    disableAutoFetch: size > large,
    disableStream: size > large,
    isEvalSupported: false,
    enableXfa: false,
    useWorkerFetch: false,
    cMapUrl: at("cmaps/"),
    standardFontDataUrl: at("fonts/"),
    wasmUrl: at("wasm/"),
  });
  task.onPassword = ask;
  doc = await task.promise;
  const first = (await doc.getPage(1)).getViewport({ scale: css });
  sheets = Array.from({ length: doc.numPages }, (_, i) => sheet(i + 1, first.width, first.height));
  pages.append(...sheets.map((s) => s.element));
  id("count").textContent = doc.numPages;
  root.style.setProperty("--digits", String(doc.numPages).length);
  id("bar").hidden = false;
  fit(fitted);
  for (const s of sheets) {
    near.observe(s.element);
    far.observe(s.element);
  }
  await sheets[0].drawn;
  id("status").hidden = true;
  report();
}

// report tells how things stand: once they stand so, and again when the page around asks, whose scripts may come after this one.
let failed;
function report() {
  if (failed) tell({ failed });
  else if (id("status").hidden && doc) {
    tell({ ready: true, pages: doc.numPages });
    told = "";
    look();
  }
}
addEventListener("message", ({ source, data }) => source === parent && data?.vitrine === "again" && report());

// worker starts the library's worker. An opaque origin may not start one from an address, only from a blob of its own, and in Chromium only
// one that is no module: so the blob imports the worker, which says "ready" once it listens. Where that fails nothing is returned, and pdf.js
// does the work on the main thread.
function worker() {
  const blob = new Blob([`import(${JSON.stringify(at("pdf.worker.min.mjs"))}).catch((e) => setTimeout(() => { throw e; }))`], { type: "text/javascript" });
  return new Promise((resolve) => {
    try {
      const started = new Worker(URL.createObjectURL(blob));
      started.onmessage = () => resolve(started);
      started.onerror = () => resolve();
      setTimeout(resolve, 15_000);
    } catch {
      resolve();
    }
  });
}

function ask(answer, reason) {
  const panel = id("password"), input = panel.querySelector("input"), button = panel.querySelector("button");
  id("status").hidden = true;
  panel.hidden = false;
  if (reason === pdfjs.PasswordResponses.INCORRECT_PASSWORD) id("ask").textContent = "That was not the password. Try again.";
  input.value = "";
  input.focus();
  // No <form>: a frame without leave to send forms sends none, not even to itself.
  const submit = () => {
    panel.hidden = true;
    id("status").hidden = false;
    answer(input.value);
  };
  button.onclick = submit;
  input.onkeydown = (e) => e.key === "Enter" && submit();
}

function fail(error) {
  const gone = error?.status === 403 || error?.status === 404 || error?.status === 410;
  failed = gone
    ? "This document is no longer available here. Load the page again."
    : error?.name === "InvalidPDFException"
      ? "This document cannot be shown: the file seems to be damaged."
      : "This document cannot be shown. Check the connection, and load the page again.";
  id("status").textContent = failed;
  id("status").hidden = false;
  report();
}

// Pages

function sheet(number, width, height) {
  const element = document.createElement("section");
  element.className = "page";
  element.dataset.number = number;
  element.setAttribute("aria-label", `Page ${number}`);
  const s = { number, element, wanted: false, at: 0 };
  s.drawn = new Promise((done) => (s.done = done));
  resize(s, width, height);
  return s;
}

const of = (element) => sheets[element.dataset.number - 1];

// resize gives a page its own size, which may differ from the first page's, without moving what is in view.
function resize(s, width, height) {
  if (s.width === width && s.height === height) return;
  const before = s.element.isConnected && s.element.getBoundingClientRect();
  s.width = width;
  s.height = height;
  s.element.style.setProperty("--w", width);
  s.element.style.setProperty("--h", height);
  if (before && before.bottom < 0) scrollBy(0, s.element.getBoundingClientRect().height - before.height);
}

// A page is drawn somewhat before it comes into view and let go when it is far away. In a frame of another origin margins hold only
// around a root that is named.
const watch = (margin, f) => new IntersectionObserver((all) => all.forEach((e) => f(of(e.target), e.isIntersecting)), { root: document, rootMargin: `${margin} 0px` });
const near = watch("60%", want);
const far = watch("300%", (s, isNear) => isNear || release(s));

function want(s, wanted) {
  s.wanted = wanted;
  if (wanted) draw();
  else s.task?.cancel();
}

let drawing = false;

// draw draws what is wanted and not drawn at the present scale, one page at a time, the nearest to the current first.
async function draw() {
  if (drawing) return;
  drawing = true;
  for (;;) {
    const due = sheets.filter((s) => s.wanted && s.at !== scale);
    if (!due.length) break;
    const s = due.reduce((a, b) => (Math.abs(b.number - current) < Math.abs(a.number - current) ? b : a));
    try {
      await paint(s);
    } catch (error) {
      if (error?.status) return fail(error); // the bytes of the file do not come any more
      if (error?.name !== "RenderingCancelledException") {
        console.warn(error);
        s.at = scale; // a page that cannot be drawn stays blank
      }
    }
    s.done();
  }
  drawing = false;
}

async function paint(s) {
  const drawnAt = scale;
  const page = (s.page = await doc.getPage(s.number));
  const natural = page.getViewport({ scale: css });
  resize(s, natural.width, natural.height);
  const viewport = page.getViewport({ scale: css * drawnAt });
  const ratio = Math.min(devicePixelRatio || 1, Math.sqrt(most / (viewport.width * viewport.height)));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(viewport.width * ratio));
  canvas.height = Math.max(1, Math.round(viewport.height * ratio));
  s.task = page.render({ canvas, viewport, transform: [canvas.width / viewport.width, 0, 0, canvas.height / viewport.height, 0, 0] });
  await s.task.promise;
  s.canvas?.remove();
  s.element.prepend((s.canvas = canvas));
  s.at = drawnAt;
  if (s.text) s.text.update({ viewport });
  else await write(s, page, viewport);
}

// write lays the words of a page over its picture, and its links over the words.
async function write(s, page, viewport) {
  const container = document.createElement("div");
  container.className = "text";
  s.element.append(container);
  const text = (s.text = new pdfjs.TextLayer({ textContentSource: page.streamTextContent(), container, viewport }));
  await text.render();
  for (const link of await page.getAnnotations()) {
    if (s.text !== text) return; // let go meanwhile
    if (link.subtype !== "Link" || !(link.url || link.dest)) continue;
    const a = document.createElement("a");
    const [x1, y1, x2, y2] = viewport.convertToViewportRectangle(link.rect);
    const percent = (part, whole) => `${(part / whole) * 100}%`;
    a.style.left = percent(Math.min(x1, x2), viewport.width);
    a.style.top = percent(Math.min(y1, y2), viewport.height);
    a.style.width = percent(Math.abs(x2 - x1), viewport.width);
    a.style.height = percent(Math.abs(y2 - y1), viewport.height);
    a.setAttribute("aria-label", link.url || "Link within the document");
    a.href = link.url || "#";
    if (link.url) {
      a.target = "_blank";
      a.rel = "noopener noreferrer nofollow";
    } else {
      a.addEventListener("click", (e) => {
        e.preventDefault();
        follow(link.dest);
      });
    }
    s.element.append(a);
  }
}

async function follow(target) {
  const dest = typeof target === "string" ? await doc.getDestination(target) : target;
  if (!dest) return;
  turn(typeof dest[0] === "number" ? dest[0] + 1 : (await doc.getPageIndex(dest[0])) + 1);
}

function release(s) {
  if (!s.at) return;
  s.element.replaceChildren();
  s.canvas.width = 0;
  s.canvas = s.text = undefined;
  s.at = 0;
  s.page.cleanup();
}

// Moving

// look finds the page that fills most of the viewport, and those in view: wholly, or filling half of it.
let told = "";
function look() {
  let best = 0;
  const shown = [];
  for (const s of sheets) {
    const r = s.element.getBoundingClientRect();
    if (r.bottom <= 0) continue;
    if (r.top >= innerHeight) break;
    const height = Math.min(r.bottom, innerHeight) - Math.max(r.top, 0);
    if (height > best) {
      best = height;
      current = s.number;
    }
    if (height >= innerHeight / 2 || height >= r.height - 1) shown.push(s.number);
  }
  if (!shown.length) shown.push(current);
  if (document.activeElement !== field) field.value = current;
  id("back").disabled = current === 1;
  id("next").disabled = current === sheets.length;
  const now = JSON.stringify([current, shown]);
  if (now === told || !id("status").hidden) return;
  told = now;
  tell({ page: current, shown });
}

function turn(number) {
  const s = sheets[Math.min(Math.max(number, 1), sheets.length) - 1];
  current = s.number;
  const r = s.element.getBoundingClientRect();
  scrollBy({ top: r.top - Math.max(12, (innerHeight - r.height - 72) / 2), behavior: "instant" });
  look();
}

let waiting;
addEventListener("scroll", () => (waiting ??= requestAnimationFrame(() => ((waiting = undefined), look()))), { passive: true });

// Zooming

// zoom changes the scale around a point of the viewport; pictures are stretched until they are drawn anew.
let redraw;
function zoom(to, y = innerHeight / 2) {
  to = Math.min(Math.max(to, steps[0]), steps.at(-1));
  const s = sheets[current - 1], before = s.element.getBoundingClientRect();
  const part = (y - before.top) / before.height, middle = (innerWidth / 2 - before.left) / before.width;
  root.style.setProperty("--scale", to);
  const after = s.element.getBoundingClientRect();
  scrollBy({ left: after.left + middle * after.width - innerWidth / 2, top: after.top + part * after.height - y, behavior: "instant" });
  id("scale").textContent = `${Math.round(to * 100)} %`;
  id("fit").setAttribute("aria-pressed", fitted === "width");
  clearTimeout(redraw);
  redraw = setTimeout(() => {
    scale = to;
    for (const s of sheets) s.task?.cancel();
    draw();
  }, sheets.some((s) => s.at) ? 150 : 0);
  pending = to;
  look();
}
let pending = 1;

// fit: "width" fills it; "auto" is that within what is pleasant to read, and the whole of a page that is wider than high.
function fit(how) {
  fitted = how;
  const style = getComputedStyle(pages), s = sheets[current - 1];
  const width = (root.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)) / s.width;
  const whole = (innerHeight - 88) / s.height;
  zoom(how === "width" ? width : s.width > s.height ? Math.min(width, Math.max(whole, 0.5 * width)) : Math.min(width, 1.25), 0);
}

function step(up) {
  fitted = "";
  zoom(up ? steps.find((s) => s > pending * 1.01) || steps.at(-1) : steps.findLast((s) => s < pending * 0.99) || steps[0]);
}

addEventListener("resize", () => (doc && fitted ? fit(fitted) : doc && look()));
addEventListener("wheel", (e) => {
  if (!e.ctrlKey || !doc) return;
  e.preventDefault();
  fitted = "";
  zoom(pending * Math.exp(-e.deltaY / 200), e.clientY);
}, { passive: false });

// Controls

id("back").onclick = () => turn(current - 1);
id("next").onclick = () => turn(current + 1);
id("smaller").onclick = () => step(false);
id("larger").onclick = () => step(true);
id("fit").onclick = () => fit(fitted === "width" ? "auto" : "width");
field.onfocus = () => field.select();
field.onchange = () => {
  const number = parseInt(field.value, 10);
  field.blur();
  turn(number || current);
};

addEventListener("keydown", (e) => {
  if (!sheets.length || e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === "INPUT") return;
  // Where a page is larger than the window, these keys scroll.
  const wide = root.scrollWidth > root.clientWidth, high = sheets[current - 1].element.offsetHeight > innerHeight;
  const act = {
    PageDown: high || (() => turn(current + 1)),
    PageUp: high || (() => turn(current - 1)),
    ArrowRight: wide || (() => turn(current + 1)),
    ArrowLeft: wide || (() => turn(current - 1)),
    "+": () => step(true),
    "=": () => step(true),
    "-": () => step(false),
    0: () => fit("auto"),
  }[e.key];
  if (typeof act !== "function") return;
  e.preventDefault();
  act();
});

let active = -1000;
for (const type of ["pointermove", "pointerdown", "keydown", "wheel", "touchmove", "scroll"]) {
  addEventListener(type, () => {
    if (performance.now() - active < 1000) return;
    active = performance.now();
    tell({ active: true });
  }, { capture: true, passive: true });
}

open().catch(fail);
