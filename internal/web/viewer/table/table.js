// Tables: loads all rows, finds some, and sorts them by a column. A workbook
// has a table for each sheet.
import { Grid } from "./rows.js";

const article = document.querySelector("article.sheet");
const finder = document.getElementById("finder");
const query = document.getElementById("query");
const found = document.getElementById("found");

const note = document.getElementById("first-rows");
const tables = [...article.querySelectorAll(".grid")].map((box) => new Grid(box));
const current = () => tables.find((t) => t.box.getClientRects().length);

// The depth of reading is measured over all rows of the visible table, which
// scroll in its box. It is not measured before all rows are there, nor during a
// search, when rows are hidden.
const measure = document.createElement("i");
if (tables.length) {
  article.removeAttribute("data-depth");
  measure.dataset.depth = "";
}

// Find

const beyond = /\P{ASCII}/u;
const plain = (text) => (beyond.test(text) ? text.normalize("NFKD").replace(/\p{M}/gu, "") : text).toLowerCase();
const texts = new WeakMap();
function textOf(row) {
  if (!texts.has(row)) texts.set(row, plain(row.join("\n")));
  return texts.get(row);
}

// mark marks the words in the rows that are drawn.
function mark() {
  if (!globalThis.Highlight) return;
  CSS.highlights.delete("found");
  const words = query.value.trim().toLowerCase();
  if (!words) return;
  const ranges = [];
  for (const { firstChild: node } of current()?.table.querySelectorAll("tbody td:not(.pad)") ?? []) {
    const at = node ? node.data.toLowerCase().indexOf(words) : -1;
    if (at < 0 || at + words.length > node.data.length) continue;
    const range = new Range();
    range.setStart(node, at);
    range.setEnd(node, at + words.length);
    ranges.push(range);
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}

const number = (n) => n.toLocaleString("en");
const rowsOf = (n) => `${number(n)} ${n === 1 ? "row" : "rows"}`;

function find() {
  const words = plain(query.value.trim());
  const here = current();
  if (here && measure.parentNode !== here.table) here.table.append(measure);
  measure.hidden = words !== "" || !here?.complete;
  let matches = 0;
  let elsewhere = 0;
  for (const t of tables) {
    let shown = t.order;
    if (words) shown = (t.order ?? [...t.rows.keys()]).filter((i) => textOf(t.rows[i]).includes(words));
    if (words || t.words) t.show(shown);
    t.words = words;
    if (t === here) matches = t.count();
    else elsewhere += t.count();
  }
  mark();
  found.textContent = words ? result(here, matches, elsewhere) : "";
}

// result says what a search has found, and in how many rows if not in all.
function result(here, matches, elsewhere) {
  const others = elsewhere ? `, ${number(elsewhere)} on other sheets` : "";
  if (!tables.every((t) => t.complete)) return `${rowsOf(matches)}${others} so far`;
  if (!here?.cut) return rowsOf(matches) + others;
  return `${matches ? rowsOf(matches) : "No match"} in the first ${rowsOf(here.rows.length)}${others}`;
}

// Sort

// value parses a number as people write it: with signs, currencies, and
// separators of thousands and decimals.
function value(text) {
  let digits = text.replace(/[^\d.,+\-−()eE%]/g, "").replace("−", "-");
  const last = Math.max(digits.lastIndexOf(","), digits.lastIndexOf("."));
  const both = digits.includes(",") && digits.includes(".");
  const sign = digits[last];
  const thousands = last >= 0 && !both && (digits.split(sign).length > 2 || (sign === "," && /,\d{3}$/.test(digits)));
  if (last >= 0 && !thousands) digits = `${digits.slice(0, last).replace(/[.,]/g, "")}.${digits.slice(last + 1)}`;
  else digits = digits.replace(/[.,]/g, "");
  const negative = /^\(.*\)$/.test(digits);
  const n = parseFloat(digits.replace(/[()]/g, ""));
  return negative ? -n : n;
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

// sorted returns the indexes of the rows in the order of a column, or undefined
// for that of the file.
function sorted({ rows, numeric: numbers }, index, direction) {
  if (!direction) return;
  const numeric = numbers.has(index);
  const keys = rows.map((row, i) => {
    const text = row[index]?.trim() || "";
    return { i, text, n: numeric && text ? value(text) : NaN };
  });
  keys.sort((a, b) => {
    if (!a.text || !b.text) return !a.text - !b.text; // empty cells come last in both directions
    if (numeric && Number.isNaN(a.n) !== Number.isNaN(b.n)) return Number.isNaN(a.n) - Number.isNaN(b.n);
    return direction * (numeric && !Number.isNaN(a.n) ? a.n - b.n : collator.compare(a.text, b.text));
  });
  return keys.map((k) => k.i);
}

const next = { none: "ascending", ascending: "descending", descending: "none" };
function arrange(t) {
  const index = t.columns.findIndex((head) => head.hasAttribute("aria-sort"));
  t.order = sorted(t, index, { ascending: 1, descending: -1 }[t.columns[index]?.getAttribute("aria-sort")]);
  t.box.scrollTop = 0;
  t.show(t.order);
  find();
}

// arm makes buttons of the names of columns.
function arm(t) {
  for (const head of t.columns) {
    if (!head.textContent.trim() || t.rows.length < 2) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.title = "Sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const to = next[head.getAttribute("aria-sort") || "none"];
      for (const other of t.columns) other.removeAttribute("aria-sort");
      if (to !== "none") head.setAttribute("aria-sort", to);
      arrange(t);
    });
  }
  t.arm = undefined;
}

// Load

async function load() {
  const due = [...tables].sort((a, b) => (b === current()) - (a === current()));
  for (const t of due) {
    if (t.complete) continue;
    await t.load(() => query.value.trim() && find());
    if (t.order) arrange(t); // sorted before all rows were there
    find();
  }
}

if (tables.some((t) => t.rows.length > 1)) {
  finder.hidden = false;
  query.addEventListener("input", find);
  query.addEventListener("keydown", (e) => {
    if (e.key !== "Escape" || !query.value) return;
    query.value = "";
    find();
  });
}
article.addEventListener("change", () => {
  current()?.draw(); // another sheet
  find();
});
for (const t of tables) {
  t.after = mark;
  t.arm = () => arm(t);
  if (t.complete) t.draw();
}
if (tables.length) find();
load().catch((error) => {
  console.warn(error);
  note.textContent = "Not all rows could be loaded. Load the page again.";
  note.hidden = false;
  current()?.draw();
});

let width = innerWidth;
addEventListener("resize", () => {
  if (width === innerWidth) return;
  width = innerWidth;
  for (const t of tables) t.thaw();
});
const printing = (on) => {
  for (const t of tables) t.print(on);
};
addEventListener("beforeprint", () => printing(true));
addEventListener("afterprint", () => printing(false));

// The page itself does not scroll, so keys and the wheel beside the table
// scroll the table.
const scrolls = / |Page|Home|End|Arrow/;
addEventListener("keydown", (e) => {
  const at = document.activeElement;
  // The browser finds only rows in view.
  const finds = (e.ctrlKey || e.metaKey) && e.key === "f" && finder?.hidden === false;
  if (finds) {
    e.preventDefault();
    query.select();
  }
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName)) return;
  if (e.key === "/" && finder?.hidden === false) {
    e.preventDefault();
    query.focus();
    return;
  }
  const box = current()?.box;
  if (at === document.body && scrolls.test(e.key)) box?.focus();
  if (e.key === "End" && box && document.activeElement === box) {
    e.preventDefault(); // rows that are drawn on the way may move the end
    box.scrollTop = box.scrollHeight;
  }
});
article.parentElement.addEventListener(
  "wheel",
  (e) => e.target.contains(article) && current()?.box.scrollBy(0, e.deltaY),
  {
    passive: true,
  },
);
