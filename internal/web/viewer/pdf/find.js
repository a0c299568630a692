// Search: reads the text of the pages one by one, starting at the current page,
// and marks the hits on the pages in view.

import { fold, pattern } from "./fold.js";
import { events, id, turn, view } from "./pages.js";

const maxHits = 10_000; // hits, after which a search stops
const room = 8 << 20; // characters of text that are kept for the next search; other text is read again

const panel = id("find");
const field = id("query");
const count = id("found");
const said = id("said");
const texts = new Map(); // folded text by page, the most recently used last
let held = 0;

let query = "";
let run = 0;
let reading = false;
let total = 0;
let hits = new Map(); // by page, the beginning and end of each hit in its folded text
let at; // the current hit: its page and its index on that page
let seeking = false; // whether the current hit must still be scrolled into view

async function textOf(number) {
  let text = texts.get(number);
  if (text === undefined) {
    const page = await view.doc.getPage(number);
    text = fold((await page.getTextContent()).items).text;
    if (!view.sheets[number - 1].at) page.cleanup();
    held += text.length;
  }
  texts.delete(number);
  texts.set(number, text);
  for (const [n, old] of texts) {
    if (held <= room || n === number) break;
    texts.delete(n);
    held -= old.length;
  }
  return text;
}

async function search(text) {
  query = text;
  const mine = ++run;
  const wanted = pattern(text);
  const pages = view.sheets.length;
  const first = view.current;
  hits = new Map();
  total = 0;
  at = undefined;
  unmark();
  reading = Boolean(wanted);
  show();
  if (!wanted) return;
  let any = false;
  for (let i = 0; i < pages && total < maxHits; i++) {
    const number = ((first - 1 + i) % pages) + 1;
    let page;
    try {
      page = await textOf(number);
    } catch {
      page = ""; // a page that cannot be read has no hits
    }
    if (i % 50 === 49) await new Promise((done) => setTimeout(done)); // so that keys are handled first
    if (mine !== run) return;
    any ||= page.trim() !== "";
    const found = [];
    for (const m of page.matchAll(wanted)) {
      if (m[0] && total < maxHits) total = found.push(m.index, m.index + m[0].length) && total + 1;
    }
    if (found.length) {
      hits.set(number, found);
      mark(view.sheets[number - 1]);
      if (!at) go(number, 0);
    }
    show((i + 1) / pages);
  }
  reading = false;
  show(1, any ? "" : "This document has no text to search.");
}

// ordinal returns the number of the current hit in the order of the document,
// among the pages read so far.
function ordinal() {
  let before = 0;
  for (const [number, found] of hits) if (number < at.page) before += found.length / 2;
  return before + at.hit + 1;
}

let saying;
function show(progress = 0, nothing = "") {
  const n = total.toLocaleString("en") + (total >= maxHits ? "+" : "");
  const text = at
    ? `${ordinal().toLocaleString("en")} of ${n}`
    : !query.trim()
      ? ""
      : reading
        ? `${Math.floor(progress * 100)} %`
        : nothing
          ? "No text"
          : "None";
  count.textContent = text;
  panel.style.setProperty("--read", reading ? progress : 0);
  id("find-back").disabled = id("find-next").disabled = !at;
  clearTimeout(saying);
  // Screen readers do not read out the progress, which changes all the time.
  if (!reading || at)
    saying = setTimeout(() => (said.textContent = nothing || (text === "None" ? "Not found" : text)), 400);
}

function go(page, hit) {
  at = { page, hit };
  seeking = true;
  for (const m of document.querySelectorAll(".found.here")) m.classList.remove("here");
  seek();
}

// seek scrolls the current hit into view, at once or when the text of its page
// is there.
function seek() {
  const here = [...view.sheets[at.page - 1].element.querySelectorAll(`.found[data-hit="${at.hit}"]`)];
  if (!here.length) return view.sheets[at.page - 1].written || turn(at.page);
  for (const m of here) m.classList.add("here");
  if (!seeking) return;
  seeking = false;
  const r = here[0].getBoundingClientRect();
  const upper = panel.getBoundingClientRect().bottom + 8;
  const top = r.top < upper || r.bottom > innerHeight - 88 ? r.top - innerHeight * 0.4 : 0;
  const left = r.left < 8 || r.right > innerWidth - 8 ? r.left - innerWidth * 0.4 : 0;
  if (top || left) scrollBy({ top, left, behavior: "instant" });
}

// mark puts a mark over each hit of a page whose text is there.
async function mark(s) {
  const found = hits.get(s.number);
  if (!found || !s.written || s.marked === run || panel.hidden) return;
  const mine = run;
  const { text } = s;
  s.marked = mine;
  const { items } = await s.page.getTextContent();
  if (mine !== run || s.text !== text) return;
  const { places } = fold(items, true);
  const divs = text.textDivs;
  const frame = s.element.getBoundingClientRect();
  const range = document.createRange();
  const marks = document.createDocumentFragment();
  for (let i = 0; i < found.length; i += 2) {
    for (const [item, from, to] of runs(places, found[i], found[i + 1])) {
      const node = divs[item]?.firstChild;
      if (node?.nodeType !== Node.TEXT_NODE) continue;
      range.setStart(node, Math.min(from, node.length));
      range.setEnd(node, Math.min(to, node.length));
      for (const r of range.getClientRects()) marks.append(box(r, frame, i / 2));
    }
  }
  s.element.append(marks);
  if (at?.page === s.number) seek();
}

// runs splits a hit into the parts of the text items that it covers.
function* runs(places, begin, end) {
  let now;
  for (const [item, from, to] of places.slice(begin, end)) {
    if (now?.[0] === item) now[2] = to;
    else {
      if (now) yield now;
      now = [item, from, to];
    }
  }
  if (now) yield now;
}

function box(r, frame, hit) {
  const m = document.createElement("mark");
  m.className = "found";
  m.dataset.hit = hit;
  m.style.left = `${((r.left - frame.left) / frame.width) * 100}%`;
  m.style.top = `${((r.top - frame.top) / frame.height) * 100}%`;
  m.style.width = `${(r.width / frame.width) * 100}%`;
  m.style.height = `${(r.height / frame.height) * 100}%`;
  return m;
}

function unmark() {
  for (const m of document.querySelectorAll(".found")) m.remove();
  for (const s of view.sheets) s.marked = 0;
}

events.addEventListener("text", ({ detail: s }) => {
  s.marked = 0;
  mark(s);
});

export function open() {
  const picked = getSelection().toString().trim();
  panel.hidden = false;
  id("open-find").setAttribute("aria-expanded", "true");
  if (picked && picked.length < 100 && !picked.includes("\n")) field.value = picked;
  field.focus();
  field.select();
  if (field.value !== query) search(field.value);
  else view.sheets.forEach(mark);
}

function close() {
  panel.hidden = true;
  id("open-find").setAttribute("aria-expanded", "false");
  unmark();
  id("pages").focus({ preventScroll: true });
}

// next goes to the next hit, or with -1 to the previous one. The first hit
// follows the last.
export function next(step) {
  if (panel.hidden) open();
  clearTimeout(typing);
  if (field.value !== query) return search(field.value);
  if (!at) return;
  const hit = at.hit + step;
  if (hits.get(at.page)[hit * 2] !== undefined) go(at.page, hit);
  else {
    const pages = [...hits.keys()].sort((a, b) => a - b);
    const page = pages.at((pages.indexOf(at.page) + step) % pages.length);
    go(page, step > 0 ? 0 : hits.get(page).length / 2 - 1);
  }
  show(Number(panel.style.getPropertyValue("--read")));
}

let typing;
field.oninput = () => {
  clearTimeout(typing);
  typing = setTimeout(() => field.value !== query && search(field.value), 200);
};
panel.onkeydown = (e) => {
  if (e.key === "Escape") close();
  else if (e.key === "Enter" && e.target === field) next(e.shiftKey ? -1 : 1);
  else return;
  e.preventDefault();
};
addEventListener(
  "keydown",
  (e) =>
    e.key === "Escape" && !e.defaultPrevented && !panel.hidden && !document.querySelector(":popover-open") && close(),
);
id("find-back").onclick = () => next(-1);
id("find-next").onclick = () => next(1);
id("find-close").onclick = close;
