// The PDF viewer. It runs in a frame of an opaque origin, reads the file in
// ranges, draws the pages near the viewport with pdf.js, and reports to the
// page around it which pages are in view.
import { at, library, source, trouble, worker } from "./file.js";
import { css, id, look, observe, resize, root, sheet, tell, view, want } from "./pages.js";
import { fit } from "./zoom.js";

let failed; // why the document cannot be shown

let seen = false; // whether the reader sees the picture of the first page

// preview makes that picture, which first.js has shown, the first page until
// the page is drawn.
async function preview() {
  const page = await window.early;
  if (!page?.isConnected) return;
  const length = (name) => Number(page.style.getPropertyValue(name));
  view.sheets = [sheet(1, length("--w"), length("--h"), page)];
  fit("auto");
  seen = true;
  report();
}

async function open() {
  const pdfjs = await library;
  view.pdfjs = pdfjs;
  pdfjs.GlobalWorkerOptions.workerSrc = at("pdf.worker.min.mjs");
  const port = await worker;
  const task = pdfjs.getDocument({
    ...source(pdfjs),
    worker: port && pdfjs.PDFWorker.create({ port }),
    enableXfa: false,
    useWorkerFetch: false,
    cMapUrl: at("cmaps/"),
    standardFontDataUrl: at("fonts/"),
    wasmUrl: at("wasm/"),
  });
  task.onPassword = ask;
  const doc = await task.promise;
  if (!doc.numPages) throw new NoPages();
  view.doc = doc;
  const first = (await doc.getPage(1)).getViewport({ scale: css });
  const sheets = view.sheets;
  if (!sheets.length) id("pages").replaceChildren();
  else resize(sheets[0], first.width, first.height);
  while (sheets.length < doc.numPages) sheets.push(sheet(sheets.length + 1, first.width, first.height));
  id("pages").append(...sheets.map((s) => s.element));
  id("count").textContent = doc.numPages;
  root.style.setProperty("--digits", String(doc.numPages).length);
  const top = scrollY;
  fit("auto");
  if (!top) scrollTo(0, 0); // the page may have another size than its picture had
  want(sheets[0], true);
  const controls = import("./controls.js");
  observe(sheets);
  await sheets[0].drawn;
  clear();
  await controls;
  id("bar").hidden = false;
  id("status").hidden = true;
  report();
}

// clear removes the picture of the first page.
const clear = () => id("first")?.remove();

// report sends the current state to the page around. It runs when the viewer is
// ready or has failed, and again when that page asks, because its scripts may
// start later than these.
function report() {
  if (failed) tell({ failed });
  else if (id("status").hidden && view.doc) {
    tell({ ready: true, pages: view.doc.numPages });
    look(true);
  } else if (seen)
    tell({ page: 1, shown: [1], bands: [window.quarters(view.sheets[0].element.getBoundingClientRect())] });
}
addEventListener("message", ({ source, data }) => source === parent && data?.vitrine === "again" && report());

function ask(answer, reason) {
  const panel = id("password");
  const input = panel.querySelector("input");
  const button = panel.querySelector("button");
  id("status").hidden = true;
  clear();
  panel.hidden = false;
  if (reason === view.pdfjs.PasswordResponses.INCORRECT_PASSWORD)
    id("ask").textContent = "That was not the password. Try again.";
  input.value = "";
  input.focus();
  // This is not a <form>: the sandbox of the frame allows none to be sent.
  const submit = () => {
    panel.hidden = true;
    id("status").hidden = false;
    answer(input.value);
  };
  button.onclick = submit;
  input.addEventListener("keydown", (e) => e.key === "Enter" && submit());
}

class NoPages extends Error {}

function fail(error) {
  const gone = error?.status === 403 || error?.status === 404 || error?.status === 410;
  failed = gone
    ? "This document is no longer available here. Load the page again."
    : error?.name === "InvalidPDFException"
      ? "This document cannot be shown: the file seems to be damaged."
      : error instanceof NoPages
        ? "This document has no pages."
        : "This document cannot be shown. Check the connection, and load the page again.";
  id("status").textContent = failed;
  clear();
  id("pages").replaceChildren();
  id("status").hidden = false;
  report();
}

let active = -1000;
for (const type of ["pointermove", "pointerdown", "keydown", "wheel", "touchmove", "scroll"]) {
  addEventListener(
    type,
    () => {
      if (performance.now() - active < 1000) return;
      active = performance.now();
      tell({ active: true });
    },
    { capture: true, passive: true },
  );
}

trouble.catch(fail);
preview();
open().catch(fail);
