// Makes paragraphs of the text of a page, for a window that is narrower than
// the page.

const ideograph = /[\u2e80-\u30ff\u3400-\u9fff\uf900-\uff9f]$/;
const bullet = /^(?:[•‣▪◦●○■□–—*·]\s|\(?(?:\d{1,3}|[a-z])[.)]\s)/iu;
const sentence = /[.!?:;…]["'”’»)]*$/u;
const wide = 2; // times the text size; a wider gap separates columns
const word = "[\\p{L}\\p{N}]+";
const compound = new RegExp(`${word}(?:[-\u2010]${word})+`, "gu");
const begun = new RegExp(`(?:${word}[-\u2010])+$`, "u");
const rest = new RegExp(`^${word}(?:[-\u2010]${word})*`, "u");

// reflow returns the paragraphs of the items of a page, in their order. An item
// is { text, x, y, width, size }, where y grows downwards. A paragraph is {
// head, runs }: whether it is a heading, and its items as [number, text]
// without the hyphens of words that continue on the next line. compounds has
// the words of the document with a hyphen that are known so far. reflow adds
// those of the page.
export function reflow(items, compounds = new Set()) {
  const lines = columnsOf(linesOf(items)).map(joined);
  for (const { text } of lines) for (const [w] of text.matchAll(compound)) compounds.add(plain(w));
  const body = usual(lines);
  const paragraphs = [];
  let p;
  let before;
  for (const line of lines) {
    if (!before || begins(line, before, p, lines)) {
      p = { head: line.size > body * 1.15 && line.text.length < 200, runs: [], left: line.left, lead: 0 };
      paragraphs.push(p);
    } else {
      if (line.y > before.y) p.lead = line.y - before.y;
      join(p.runs, before.text, line.text, compounds);
    }
    p.runs.push(...line.runs);
    before = line;
  }
  return paragraphs.map(({ head, runs }) => ({ head, runs }));
}

// linesOf returns the lines of a page. The cells of a line are the parts
// between wide gaps.
function linesOf(items) {
  const lines = [];
  let line;
  let cell;
  items.forEach(({ text, x, y, width, size }, number) => {
    if (!text.trim()) {
      if (text && cell && !cell.text.endsWith(" ")) cell.space = true;
      return;
    }
    const same = line && Math.abs(y - line.y) <= 0.6 * Math.max(size, line.size);
    if (!same) {
      line = { y, size, cells: [] };
      lines.push(line);
    }
    if (!same || x - cell.right > wide * size) {
      cell = { runs: [], text: "", left: x, right: x, y, size: 0 };
      line.cells.push(cell);
    }
    if (cell.space) {
      append(cell.runs, " ");
      cell.text += " ";
      cell.space = false;
    }
    cell.runs.push([number, text]);
    cell.text += text;
    cell.left = Math.min(cell.left, x);
    cell.right = Math.max(cell.right, x + width);
    cell.size = Math.max(cell.size, size);
    line.size = Math.max(line.size, size);
  });
  return lines;
}

const append = (runs, text) => (runs.at(-1)[1] += text);

// joined returns a line as text, with a wide space between its cells.
function joined({ y, size, cells }) {
  for (const { runs } of cells.slice(0, -1)) append(runs, "\u2003");
  return {
    y,
    size,
    runs: cells.flatMap((c) => c.runs),
    text: cells.map((c) => c.text).join(" "),
    left: Math.min(...cells.map((c) => c.left)),
    right: Math.max(...cells.map((c) => c.right)),
    gaps: cells.length - 1,
  };
}

// columnsOf returns the lines in reading order. If two columns were written row
// by row, it puts one column after the other. Columns are filled with text. The
// cells of a table are not, and keep their order.
function columnsOf(lines) {
  const all = [];
  for (let i = 0; i < lines.length; ) {
    const { columns, rows } = sides(lines, i);
    const end = i + rows;
    all.push(...(columns.every(isText) ? columns.flat() : lines.slice(i, end)));
    i = end;
  }
  return all;
}

// sides returns the lines left and right of the gutter that begins at a line,
// and the number of rows that keep the gutter free.
function sides(lines, from) {
  const columns = [[], []];
  const { size } = lines[from];
  let [low, high] = [0, Number.POSITIVE_INFINITY];
  let i = from;
  for (; i < lines.length && Math.abs(lines[i].size - size) < 1; i++) {
    const { y, cells } = lines[i];
    const [a, b] = cells;
    const alone = cells.length === 1 && i > from && y - lines[i - 1].y < 1.9 * size;
    if (cells.length === 2 && Math.max(low, a.right) < Math.min(high, b.left)) {
      low = Math.max(low, a.right);
      high = Math.min(high, b.left);
    } else if (!alone || (a.left < low && a.right > high)) break;
    for (const c of cells) columns[Number(c === b || (!b && c.right > high))].push({ y, size: c.size, cells: [c] });
  }
  return { columns, rows: Math.max(1, i - from) };
}

function isText(column) {
  const cells = column.map((l) => l.cells[0]);
  if (cells.length < 4) return false;
  const width = Math.max(...cells.map((c) => c.right)) - Math.min(...cells.map((c) => c.left));
  const filled = cells.reduce((sum, c) => sum + c.right - c.left, 0) / cells.length;
  return width > 10 * cells[0].size && filled > 0.7 * width;
}

// usual returns the size of most of the text.
function usual(lines) {
  const sizes = new Map();
  for (const { size, text } of lines) {
    const s = Math.round(size * 2) / 2;
    sizes.set(s, (sizes.get(s) || 0) + text.length);
  }
  return [...sizes].reduce((a, b) => (b[1] > a[1] ? b : a), [0, 0])[0];
}

const alike = (a, b) => Math.abs(a.size - b.size) < 0.12 * a.size;

// begins reports whether a line begins a paragraph.
function begins(line, before, p, lines) {
  const { size } = line;
  if (!alike(line, before) || line.gaps || before.gaps || bullet.test(line.text)) return true;
  const down = line.y - before.y;
  if (down < 0) return sentence.test(before.text) || !/^\p{Ll}/u.test(line.text); // in the next column
  if (down > (p.lead ? 1.25 * p.lead : 1.9 * size)) return true;
  if (line.left > p.left + 0.8 * size && before.left <= p.left + 0.1 * size) return true;
  // A line that ends although the next word had room ends a paragraph.
  const column = lines.filter((l) => Math.abs(l.left - before.left) < 4 * size && alike(l, line));
  const right = Math.max(...column.map((l) => l.right));
  const word = (line.text.match(/^\S+/)[0].length * (line.right - line.left)) / line.text.length;
  const slack = sentence.test(before.text) ? 0 : 0.15 * (right - before.left);
  return before.right + word + 0.3 * size + slack < right;
}

// join prepares a line for the next one of the same paragraph. It removes a
// hyphen between them, unless the word has one elsewhere, or a capital or a
// digit follows.
function join(runs, line, next, compounds) {
  const start = line.match(begun)?.[0];
  const end = next.match(rest)?.[0];
  const last = runs.at(-1);
  if (/\p{L}\u00ad$/u.test(line)) last[1] = last[1].slice(0, -1);
  else if (!start || !end) last[1] += ideograph.test(line) ? "" : " ";
  else if (/^\p{Ll}/u.test(end) && !/\p{N}.$/u.test(start) && !compounds.has(plain(start + end)))
    last[1] = last[1].slice(0, -1);
}

const plain = (w) => w.toLowerCase().replaceAll("\u2010", "-");
