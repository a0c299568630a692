// The viewer of Word documents. It runs in a frame of an opaque origin, reads
// the file with docx-preview, builds its pages, and reports to the page around
// it how far they were scrolled.
const id = (name) => document.getElementById(name);
const tell = (vitrine) => parent.postMessage({ vitrine }, "*");

const maxBytes = 40 << 20; // bytes of a file; building its pages takes many times as much memory
const nowhere = "data:,"; // the address of pictures that the file does not contain
const pages = id("document");
const status = id("status");
let shown = false;
let failed;
let deepest = 0;

async function open() {
  if (Number(document.documentElement.dataset.size) > maxBytes) throw { large: true };
  const answer = await fetch(new URL(document.documentElement.dataset.file, location.href));
  if (!answer.ok) throw { status: answer.status };
  const options = {
    className: "docx",
    inWrapper: true,
    ignoreLastRenderedPageBreak: false,
    renderAltChunks: false, // HTML embedded in the document
    renderComments: false,
    renderChanges: false,
    useBase64URL: false,
    experimental: false,
  };
  let nodes;
  try {
    const file = await docx.parseAsync(await answer.arrayBuffer(), options);
    const image = file.loadDocumentImage.bind(file);
    file.loadDocumentImage = async (...which) => (await image(...which)) ?? nowhere;
    nodes = await docx.renderDocument(file, options);
  } catch (error) {
    console.warn(error);
    throw { damaged: true };
  }
  const built = document.createDocumentFragment();
  built.append(...nodes);
  tame(built);
  pages.append(built);
  fit();
  status.hidden = true;
  shown = true;
  report();
}

// tame keeps links to the web, to mail and within the document. It removes
// elements that could ask readers for input. The policy of this frame would
// also stop those.
function tame(root) {
  for (const e of root.querySelectorAll("iframe, object, embed, form, script, link, meta, base")) e.remove();
  for (const style of root.querySelectorAll("style")) {
    style.textContent = style.textContent.replace(/[\uf000-\uf0ff]/g, (c) => bullets[c] || "•");
  }
  for (const a of root.querySelectorAll("a")) {
    const href = a.getAttribute("href") || "";
    if (/^(https?:\/\/|mailto:)/i.test(href)) {
      a.target = "_blank";
      a.rel = "nofollow noopener noreferrer ugc";
    } else if (!/^#./.test(href)) {
      a.removeAttribute("href");
    }
  }
  for (const img of root.querySelectorAll("img")) {
    if (!/^blob:/.test(img.getAttribute("src"))) img.remove();
    else if (!img.alt) img.alt = "";
  }
}

// Bullets are often private characters of fonts that only some systems have.
const bullets = {
  "\uf0b7": "•",
  "\uf0a7": "▪",
  "\uf0a8": "□",
  "\uf076": "❖",
  "\uf0d8": "➢",
  "\uf0e0": "→",
  "\uf0fc": "✓",
  "\uf02d": "–",
};

// fit makes pages no wider than the window. They have a size of their own.
function fit() {
  const wrapper = pages.querySelector(".docx-wrapper");
  if (!wrapper) return;
  wrapper.style.zoom = 1;
  const widest = Math.max(0, ...[...wrapper.querySelectorAll("section.docx")].map((s) => s.offsetWidth));
  const style = getComputedStyle(wrapper);
  const room = document.documentElement.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  if (widest > room) wrapper.style.zoom = Math.max(room / widest, 0.25);
}

function depth() {
  if (!shown) return;
  const root = document.scrollingElement;
  const percent = Math.min(100, Math.round(((scrollY + innerHeight) / root.scrollHeight) * 100));
  if (!(percent > deepest)) return;
  deepest = percent;
  tell({ depth: deepest });
}

// report sends the current state to the page around. It runs when the document
// is shown, and again when that page asks, because its scripts may start later
// than this one.
function report() {
  if (failed) return tell({ failed });
  if (!shown) return;
  tell({ ready: true });
  deepest = 0;
  depth();
}

function fail(error) {
  failed =
    error?.status === 403 || error?.status === 404 || error?.status === 410
      ? "This document is no longer available here. Load the page again."
      : error?.large
        ? "This document is too large to be shown here."
        : error?.damaged
          ? "This document cannot be shown: the file seems to be damaged."
          : "This document cannot be shown. Check the connection, and load the page again.";
  status.textContent = failed;
  report();
}

addEventListener("message", ({ source, data }) => {
  if (source !== parent) return;
  if (data?.vitrine === "again") report();
  if (data?.vitrine === "print") print();
});

const quiet = { capture: true, passive: true };
let active = -1000;
for (const type of ["pointermove", "pointerdown", "keydown", "wheel", "touchmove", "scroll"]) {
  addEventListener(
    type,
    () => {
      if (performance.now() - active < 1000) return;
      active = performance.now();
      tell({ active: true });
    },
    quiet,
  );
}
for (const type of ["click", "auxclick"]) {
  addEventListener(type, (e) => {
    const a = e.button < 2 && e.target.closest("a[href]");
    if (a) tell({ click: a.getAttribute("href") });
  });
}
addEventListener("scroll", depth, quiet);
addEventListener(
  "resize",
  () => {
    if (!shown) return;
    fit();
    depth();
  },
  quiet,
);

open().catch(fail);
