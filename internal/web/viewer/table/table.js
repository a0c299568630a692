// Tables: finds rows, and sorts them by a column. A workbook has a table for
// each sheet.
const article = document.querySelector("article.sheet");
const finder = document.getElementById("finder");
const query = document.getElementById("query");
const found = document.getElementById("found");

const tables = [...article.querySelectorAll(".grid")].map((grid) => {
  const table = grid.firstChild;
  const rows = [...table.tBodies[0].rows]; // in the order of the file
  const columns = [...(table.tHead?.rows ?? [])].slice(-1).flatMap((row) => [...row.cells].slice(1));
  return { grid, table, rows, columns, order: rows };
});
const current = () => tables.find((t) => t.grid.getClientRects().length);

// The depth of reading is measured over all rows of the visible table, which
// scroll in its box. During a search it is not measured, because rows are
// hidden.
const measure = document.createElement("i");
if (tables.length) {
  article.removeAttribute("data-depth");
  measure.dataset.depth = "";
}

// Find

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const texts = new Map();
const cellsOf = (row) => [...row.cells].slice(1);
function textOf(row) {
  if (!texts.has(row))
    texts.set(
      row,
      plain(
        cellsOf(row)
          .map((c) => c.textContent)
          .join("\n"),
      ),
    );
  return texts.get(row);
}

function mark(words) {
  if (!globalThis.Highlight) return;
  CSS.highlights.delete("found");
  if (!words) return;
  const ranges = [];
  const shown = (current()?.order ?? []).filter((row) => !row.hidden);
  for (const row of shown.slice(0, 500)) {
    for (const { firstChild: node } of cellsOf(row)) {
      const at = node ? node.data.toLowerCase().indexOf(words) : -1;
      if (at < 0 || at + words.length > node.data.length) continue;
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      ranges.push(range);
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}

const number = (n) => n.toLocaleString("en");
function find() {
  const words = plain(query.value.trim());
  const here = current();
  here?.table.append(measure);
  measure.hidden = words !== "";
  let matches = 0;
  let elsewhere = 0;
  for (const t of tables) {
    let n = 0;
    for (const row of t.order) {
      row.hidden = words !== "" && !textOf(row).includes(words);
      if (!row.hidden) n++;
    }
    if (t === here) matches = n;
    else elsewhere += n;
  }
  mark(query.value.trim().toLowerCase());
  const rows = `${number(matches)} ${matches === 1 ? "row" : "rows"}`;
  found.textContent = words ? rows + (elsewhere ? `, ${number(elsewhere)} on other sheets` : "") : "";
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

function sorted(rows, index, direction) {
  if (!direction) return rows;
  const numeric = rows.some((row) => row.cells[index + 1]?.className === "n");
  const keys = rows.map((row) => {
    const text = row.cells[index + 1]?.textContent.trim() || "";
    return { row, text, n: numeric && text ? value(text) : NaN };
  });
  keys.sort((a, b) => {
    if (!a.text || !b.text) return !a.text - !b.text; // empty cells come last in both directions
    if (numeric && Number.isNaN(a.n) !== Number.isNaN(b.n)) return Number.isNaN(a.n) - Number.isNaN(b.n);
    return direction * (numeric && !Number.isNaN(a.n) ? a.n - b.n : collator.compare(a.text, b.text));
  });
  return keys.map((k) => k.row);
}

const next = { none: "ascending", ascending: "descending", descending: "none" };
for (const t of tables) {
  t.columns.forEach((head, index) => {
    if (!head.textContent.trim() || t.rows.length < 2) return;
    const button = document.createElement("button");
    button.type = "button";
    button.title = "Sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const to = next[head.getAttribute("aria-sort") || "none"];
      for (const other of t.columns) other.removeAttribute("aria-sort");
      if (to !== "none") head.setAttribute("aria-sort", to);
      t.order = sorted(t.rows, index, { ascending: 1, descending: -1, none: 0 }[to]);
      t.table.tBodies[0].append(...t.order);
      t.grid.scrollTop = 0;
      find();
    });
  });
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
article.addEventListener("change", find); // another sheet
if (tables.length) find();

// The page itself does not scroll, so keys and the wheel beside the table
// scroll the table.
const scrolls = / |Page|Home|End|Arrow/;
addEventListener("keydown", (e) => {
  const at = document.activeElement;
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName)) return;
  if (e.key === "/" && finder?.hidden === false) {
    e.preventDefault();
    query.focus();
  } else if (at === document.body && scrolls.test(e.key)) current()?.grid.focus();
});
article.parentElement.addEventListener(
  "wheel",
  (e) => e.target.contains(article) && current()?.grid.scrollBy(0, e.deltaY),
  {
    passive: true,
  },
);
