// The words of a page as paragraphs, for a window that is narrower than the page.

const ideograph = /[\u2e80-\u30ff\u3400-\u9fff\uf900-\uff9f]$/;
const bullet = /^(?:[•‣▪◦●○■□–—*·]\s|\(?(?:\d{1,3}|[a-z])[.)]\s)/iu;
const sentence = /[.!?:;…]["'”’»)]*$/u;
const wide = 2; // a gap of so many letters separates columns of a table

// reflow makes paragraphs of the items of a page, in their order. An item is { text, x, y, width, size }, with y downwards. A paragraph
// is { head, runs }: whether it is a heading, and its items as [number, text] without the hyphens of words that went on in the next line.
export function reflow(items) {
  const lines = linesOf(items);
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
      join(p.runs, line.text);
    }
    p.runs.push(...line.runs);
    before = line;
  }
  return paragraphs.map(({ head, runs }) => ({ head, runs }));
}

function linesOf(items) {
  const lines = [];
  let line;
  items.forEach(({ text, x, y, width, size }, number) => {
    if (!text.trim()) {
      if (text && line && !line.text.endsWith(" ")) line.space = true;
      return;
    }
    if (!line || Math.abs(y - line.y) > 0.6 * Math.max(size, line.size)) {
      line = { runs: [], text: "", left: x, right: x, y, size, gaps: 0 };
      lines.push(line);
    }
    const gap = x - line.right > wide * size;
    if (gap) line.gaps++;
    if (line.space || gap) append(line.runs, gap ? "\u2003" : " ");
    if (line.space || gap) line.text += " ";
    line.space = false;
    line.runs.push([number, text]);
    line.text += text;
    line.left = Math.min(line.left, x);
    line.right = Math.max(line.right, x + width);
    line.size = Math.max(line.size, size);
  });
  return lines;
}

const append = (runs, text) => (runs.at(-1)[1] += text);

// usual is the size in which most of the page is set.
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
  // A line that ends although the next word had room was meant to end.
  const column = lines.filter((l) => Math.abs(l.left - before.left) < 4 * size && alike(l, line));
  const right = Math.max(...column.map((l) => l.right));
  const word = (line.text.match(/^\S+/)[0].length * (line.right - line.left)) / line.text.length;
  const slack = sentence.test(before.text) ? 0 : 0.15 * (right - before.left);
  return before.right + word + 0.3 * size + slack < right;
}

// join ends a line so that the next one goes on in the same paragraph.
function join(runs, next) {
  const last = runs.at(-1);
  if (/\p{L}[-\u00ad\u2010]$/u.test(last[1]) && /^\p{Ll}/u.test(next)) last[1] = last[1].slice(0, -1);
  else if (!ideograph.test(last[1])) last[1] += " ";
}
