// A table that has only the rows near the viewport in the page. The others are
// arrays of texts, one for each row.
const block = 50; // rows that are drawn together
const maxShown = 2000; // characters of a cell
const maxPrinted = 10_000; // rows; a browser cannot lay out all of a large table

const px = (n) => `${n}px`;

export class Grid {
  constructor(box) {
    this.box = box;
    this.table = box.firstChild;
    const { tHead, tBodies } = this.table;
    const heads = [...(tHead?.rows ?? [])];
    this.columns = heads.slice(-1).flatMap((row) => [...row.cells].slice(1));
    this.named = heads.some((row) => !row.classList.contains("letters"));
    this.numeric = new Set((box.dataset.numeric || "").split(" ").filter(Boolean).map(Number));
    this.rows = [...tBodies[0].rows].map((row) => [...row.cells].slice(1).map((cell) => cell.textContent));
    this.order = undefined; // indexes of all rows, as they are sorted; undefined: as in the file
    this.shown = undefined; // indexes of those to show; undefined: all
    this.address = box.dataset.rows; // of all rows; "" if they are here
    this.complete = !this.address;
    this.cut = false; // more rows exist than can be loaded
    this.drawn = new Map(); // elements of blocks
    this.heights = []; // of blocks that were drawn
    this.pads = [document.createElement("tbody"), document.createElement("tbody")];
    for (const pad of this.pads) {
      pad.setAttribute("aria-hidden", "true");
      const cell = pad.insertRow().insertCell();
      cell.colSpan = 1000;
      cell.className = "pad";
    }
    box.addEventListener("scroll", () => this.soon(), { passive: true });
  }

  // load fetches all rows, and calls progress as they arrive.
  async load(progress) {
    const answer = await fetch(this.address);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    const all = [];
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        const row = JSON.parse(line);
        if (Array.isArray(row)) all.push(row);
        else [this.complete, this.cut] = [true, row.cut];
      }
      const rows = all.slice(this.named ? 1 : 0);
      if (rows.length < this.rows.length) continue;
      this.rows = rows;
      if (!this.order) this.redraw(this.complete);
      progress();
    }
    if (!this.complete) throw new Error("the rows ended early");
  }

  count() {
    return (this.shown ?? this.order ?? this.rows).length;
  }
  index(i) {
    return (this.shown ?? this.order)?.[i] ?? i;
  }

  // show shows rows by their indexes, from the first one on.
  show(indexes) {
    this.shown = indexes;
    this.redraw(true);
  }

  // redraw draws the rows in view again after they have changed. With all, no
  // row is as before; otherwise rows were only added.
  redraw(all) {
    const last = all ? 0 : Math.max(0, ...this.drawn.keys());
    for (const [i, element] of this.drawn) {
      if (i < last) continue;
      element.remove();
      this.drawn.delete(i);
    }
    if (all) this.heights = [];
    else delete this.heights[last];
    this.draw();
  }

  soon() {
    this.due ??= requestAnimationFrame(() => {
      this.due = undefined;
      this.draw();
    });
  }

  // draw has the blocks near the viewport in the table, and empty rows that are
  // as high as all others. A block above the viewport that is not as high as
  // expected moves nothing that is in view.
  draw() {
    const { box, table, drawn, heights } = this;
    if (!box.clientHeight) return; // another sheet is shown
    if (!this.frozen) this.freeze();
    const blocks = Math.ceil(this.count() / block);
    const known = heights.filter((h) => h > 0);
    const usual = known.reduce((sum, h) => sum + h, 0) / known.length || this.usual;
    const height = (i) => heights[i] ?? usual;
    const top = box.scrollTop;
    const margin = box.clientHeight;
    const atEnd = top > 0 && top + margin >= box.scrollHeight - 2;
    let [from, before, y] = [0, 0, 0];
    while (from < blocks - 1 && y + height(from) < top - margin) y += height(from++);
    before = y;
    let to = from;
    while (to < blocks && y < top + 2 * margin) y += height(to++);
    for (const [i, element] of drawn) {
      if (i >= from && i < to) continue;
      element.remove();
      drawn.delete(i);
    }
    let next = this.pads[1];
    if (!next.isConnected) table.append(...this.pads);
    for (let i = to - 1; i >= from; i--) {
      if (!drawn.has(i)) {
        drawn.set(i, this.body(i));
        next.before(drawn.get(i));
      }
      next = drawn.get(i);
    }
    let after = 0;
    for (let i = to; i < blocks; i++) after += height(i);
    this.pad(0, before);
    this.pad(1, after);
    let moved = 0;
    let above = before;
    for (let i = from; i < to; i++) {
      const expected = height(i);
      if (heights[i] === undefined) {
        heights[i] = drawn.get(i).getBoundingClientRect().height;
        if (above + expected <= top) moved += heights[i] - expected;
      }
      above += expected;
    }
    if (atEnd) box.scrollTop = box.scrollHeight;
    else if (Math.abs(moved) > 1) box.scrollTop = top + moved;
    this.usual = usual || heights[from] || 0;
    table.setAttribute("aria-rowcount", this.count() + (this.named ? 1 : 0));
    this.after?.();
  }

  pad(which, height) {
    this.pads[which].hidden = height < 1;
    this.pads[which].rows[0].cells[0].style.height = px(height);
  }

  body(i) {
    const body = document.createElement("tbody");
    const end = Math.min(this.count(), (i + 1) * block);
    for (let at = i * block; at < end; at++) body.append(this.row(this.index(at)));
    return body;
  }

  row(index) {
    const row = document.createElement("tr");
    const number = index + (this.named ? 2 : 1);
    row.setAttribute("aria-rowindex", number);
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = number;
    row.append(head);
    const cells = this.rows[index];
    cells.forEach((text, i) => {
      const cell = row.insertCell();
      if (this.numeric.has(i)) cell.className = "n";
      cell.textContent = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
    });
    if (cells.length < this.wide) row.insertCell().colSpan = this.wide - cells.length;
    return row;
  }

  // freeze gives the columns the widths that they have, so that they do not
  // change with the rows that are drawn.
  freeze() {
    const { table } = this;
    this.frozen = true;
    const rows = [...table.rows].filter((row) => row.cells[0]?.className !== "pad");
    const full = rows.reduce((a, b) => (b.cells.length > a.cells.length ? b : a));
    const widths = [...full.cells].map((cell) => cell.getBoundingClientRect().width);
    const body = table.tBodies[0];
    if (!this.drawn.size && body.rows.length && !this.pads.includes(body)) {
      this.usual = (body.getBoundingClientRect().height / body.rows.length) * block;
      body.remove();
    }
    this.wide = widths.length - 1;
    const columns = document.createElement("colgroup");
    for (const width of widths) {
      const column = document.createElement("col");
      column.style.width = px(width);
      columns.append(column);
    }
    table.prepend(columns);
    this.sum();
  }

  sum() {
    const widths = [...this.table.querySelector("colgroup").children].map((column) => parseFloat(column.style.width));
    this.table.style.width = px(widths.reduce((sum, width) => sum + width, 0));
    this.table.classList.add("frozen");
  }

  // widen makes room for what the first rows do not have: longer numbers, and
  // texts in columns that were narrow.
  widen() {
    const { table } = this;
    const sample = table.querySelector("tbody td:not(.pad)");
    if (!sample || !this.frozen) return;
    const style = getComputedStyle(sample);
    const context = document.createElement("canvas").getContext("2d");
    context.font = style.font;
    const beside = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight) + 1;
    const most = parseFloat(style.maxWidth) || Number.POSITIVE_INFINITY;
    const longest = [String(this.rows.length + 1)];
    for (const row of this.rows)
      row.forEach((text, i) => {
        if (text.length > (longest[i + 1]?.length ?? 0)) longest[i + 1] = text;
      });
    [...table.querySelector("colgroup").children].forEach((column, i) => {
      const wanted = Math.min(context.measureText((longest[i] ?? "").slice(0, 200)).width + beside, most);
      const enough = i === 0 || this.numeric.has(i - 1) ? wanted : Math.min(wanted, 160);
      if (enough > parseFloat(column.style.width) + 1) column.style.width = px(Math.ceil(enough));
    });
    this.sum();
  }

  // thaw lets the widths follow another size of the window.
  thaw() {
    if (!this.frozen) return;
    this.table.classList.remove("frozen");
    this.table.style.width = "";
    this.table.querySelector("colgroup")?.remove();
    this.frozen = false;
    this.heights = [];
    this.soon();
  }

  // print has all rows in the table, as sheets of paper do not scroll.
  print(on) {
    if (!this.frozen) return;
    if (!on) return this.redraw(true);
    for (const element of this.drawn.values()) element.remove();
    this.drawn.clear();
    for (const pad of this.pads) pad.hidden = true;
    const blocks = Math.ceil(Math.min(this.count(), maxPrinted) / block);
    for (let i = 0; i < blocks; i++) {
      this.drawn.set(i, this.body(i));
      this.pads[1].before(this.drawn.get(i));
    }
  }
}
