// A table of values: find, sort, and one page of rows at a time. Without this the pages are links, and the browser finds.
const article = document.querySelector("article.sheet");
const table = article.querySelector(".grid table");
const paged = article.querySelector(".paged");
const bodies = table ? [...table.tBodies] : [];
const rows = bodies.flatMap((body) => [...body.rows]); // in the order of the file
const part = bodies[0]?.rows.length || 1;
let order = rows;
let page = 0;

const most = 500; // rows that a search shows
const finder = document.getElementById("finder");
const query = document.getElementById("query");
const found = document.getElementById("found");
const columns = table?.tHead ? [...table.tHead.rows[0].cells].slice(1) : [];

// How far the table was read is told of all its pages: the measure is as high as they are, and begins where the first would.
const measure = document.createElement("i");
if (paged) {
  article.removeAttribute("data-depth");
  measure.dataset.depth = "";
  measure.className = "measure";
  measure.style.height = `${bodies.length * 100}%`;
  paged.append(measure);
}

function show(number) {
  page = number;
  measure.style.top = `${page * -100}%`;
  bodies.forEach((body, i) => {
    body.classList.toggle("here", i === page);
  });
  if (!paged) return;
  [...paged.querySelectorAll(".parts a")].forEach((a, i) => {
    if (i === page) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  });
}

const asked = () =>
  Math.max(
    0,
    bodies.findIndex((b) => b.id && `#${b.id}` === location.hash),
  );

// place puts rows into the pages again, in an order.
function place(all) {
  order = all;
  bodies.forEach((body, i) => {
    body.append(...order.slice(i * part, (i + 1) * part));
  });
}

// Find

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const texts = new Map();
function textOf(row) {
  let text = texts.get(row);
  if (text === undefined) {
    text = plain(
      [...row.cells]
        .slice(1)
        .map((c) => c.textContent)
        .join("\n"),
    );
    texts.set(row, text);
  }
  return text;
}

function mark(words) {
  if (!globalThis.Highlight) return;
  CSS.highlights.delete("found");
  if (!words) return;
  const ranges = [];
  for (const row of order) {
    if (row.hidden) continue;
    for (const cell of [...row.cells].slice(1)) {
      const node = cell.firstChild;
      if (!node) continue;
      const at = node.data.toLowerCase().indexOf(words);
      if (at < 0 || at + words.length > node.data.length) continue;
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      ranges.push(range);
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}

function find() {
  const words = plain(query.value.trim());
  let matches = 0;
  for (const row of order) {
    const match = !words || textOf(row).includes(words);
    if (match) matches++;
    row.hidden = !match || (words && matches > most);
  }
  article.classList.toggle("finding", words !== "");
  mark(query.value.trim().toLowerCase());
  const number = (n) => n.toLocaleString("en");
  found.textContent = !words
    ? ""
    : matches > most
      ? `First ${most} of ${number(matches)} rows`
      : `${number(matches)} ${matches === 1 ? "row" : "rows"}`;
}

// Sort

// value reads a number as people write it: with signs, units of money, and separators of thousands and decimals.
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

function sort(index, direction) {
  if (!direction) return place(rows);
  const numeric = columns[index].classList.contains("n");
  const key = (row) => {
    const text = row.cells[index + 1]?.textContent.trim() || "";
    const n = numeric && text ? value(text) : NaN;
    return { row, text, n };
  };
  const sorted = rows.map(key).sort((a, b) => {
    if (!a.text || !b.text) return !a.text - !b.text; // what is empty comes last, either way
    if (numeric && Number.isNaN(a.n) !== Number.isNaN(b.n)) return Number.isNaN(a.n) - Number.isNaN(b.n);
    return direction * (numeric && !Number.isNaN(a.n) ? a.n - b.n : collator.compare(a.text, b.text));
  });
  place(sorted.map((k) => k.row));
}

const next = { none: "ascending", ascending: "descending", descending: "none" };
columns.forEach((head, index) => {
  const text = head.textContent;
  if (!text.trim() || rows.length < 2) return;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  head.replaceChildren(button);
  button.addEventListener("click", () => {
    const to = next[head.getAttribute("aria-sort") || "none"];
    for (const other of columns) other.removeAttribute("aria-sort");
    if (to !== "none") head.setAttribute("aria-sort", to);
    sort(index, { ascending: 1, descending: -1, none: 0 }[to]);
    show(0);
    find();
  });
});

if (rows.length > 1 && finder) {
  finder.hidden = false;
  query.addEventListener("input", find);
  query.addEventListener("keydown", (e) => {
    if (e.key !== "Escape" || !query.value) return;
    query.value = "";
    find();
  });
  addEventListener("keydown", (e) => {
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName))
      return;
    e.preventDefault();
    query.focus();
  });
}
article.classList.add("scripted");
show(asked());
addEventListener("hashchange", () => {
  show(asked());
  paged?.scrollIntoView({ block: "start", behavior: "instant" });
});
