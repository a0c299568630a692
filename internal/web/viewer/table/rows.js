// A table that has only the rows near the viewport in the page. The others are
// arrays of texts, one for each row.
const block = 10; // rows that are drawn together, in a tbody
const maxShown = 2000; // characters of a cell
const maxPrinted = 10_000; // rows; a browser cannot lay out all of a large table
const narrow = 160; // px that a column of texts gets for longer ones than the first rows have

const slack = 1.06; // others of the same length are wider

const px = (n) => `${n}px`;
const height = (element) => element.getBoundingClientRect().height;
const width = (element) => element.getBoundingClientRect().width;

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
      pad.insertRow().insertCell().className = "pad";
    }
    box.addEventListener("scroll", () => this.soon(), { passive: true });
  }

  // load fetches all rows, and calls progress as they arrive. Until all are
  // there, the page has the first ones, unless the reader scrolls.
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
      if (rows.length < this.rows.length && !this.complete) continue;
      this.rows = rows;
      if (this.fixed && !this.order) this.redraw(false);
      progress();
    }
    if (!this.complete) throw new Error("the rows ended early");
    if (this.fixed) this.widen();
    this.redraw(true);
  }

  count() {
    return (this.shown ?? this.order ?? this.rows).length;
  }
  index(i) {
    return (this.shown ?? this.order)?.[i] ?? i;
  }

  // show shows rows by their indexes.
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

  // height returns how high a block is, or should be if it was never drawn.
  height(i) {
    return this.heights[i] ?? this.usual * Math.min(block, this.count() - i * block);
  }

  // draw has the blocks near the viewport in the table, and empty rows that are
  // as high as all others. A block above the viewport that is not as high as
  // expected moves nothing that is in view. The page is laid out once.
  draw() {
    const { box, table } = this;
    const view = box.clientHeight;
    if (!view) return; // another sheet is shown
    const top = box.scrollTop;
    const atEnd = top > 0 && top + view >= box.scrollHeight - 2;
    const first = !this.fixed;
    if (first) this.fix();
    const blocks = Math.ceil(this.count() / block);
    let [from, before] = [0, 0];
    while (from < blocks - 1 && before + this.height(from) < top - view / 2) before += this.height(from++);
    let [to, y] = [from, before];
    while (to < blocks && y < top + 1.5 * view) y += this.height(to++);
    this.place(from, to);
    this.pad(0, before);
    this.padAfter(to);
    let moved = 0;
    for (let i = from; i < to; i++) {
      const expected = this.height(i);
      if (this.heights[i] === undefined) {
        this.heights[i] = height(this.drawn.get(i));
        if (before + expected <= top) moved += this.heights[i] - expected;
      }
      before += expected;
    }
    if (first && to) {
      const drawn = this.heights.reduce((sum, h) => sum + h, 0);
      this.usual = drawn / Math.min(this.count(), to * block);
      this.padAfter(to);
    }
    if (atEnd) box.scrollTop = box.scrollHeight;
    else if (Math.abs(moved) > 1) box.scrollTop = top + moved;
    table.setAttribute("aria-rowcount", this.count() + (this.named ? 1 : 0));
    this.after?.();
  }

  // place has some blocks in the table, and no others.
  place(from, to) {
    for (const [i, element] of this.drawn) {
      if (i >= from && i < to) continue;
      element.remove();
      this.drawn.delete(i);
    }
    let next = this.pads[1];
    for (let i = to - 1; i >= from; i--) {
      if (!this.drawn.has(i)) {
        this.drawn.set(i, this.body(i));
        next.before(this.drawn.get(i));
      }
      next = this.drawn.get(i);
    }
  }

  pad(which, high) {
    const pad = this.pads[which];
    const to = px(Math.round(high));
    const { style } = pad.rows[0].cells[0];
    if (style.height === to) return;
    pad.hidden = high < 1;
    style.height = to;
  }

  padAfter(to) {
    let after = 0;
    for (let i = to; i * block < this.count(); i++) after += this.height(i);
    this.pad(1, after);
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

  // fix gives the columns the widths that the browser chose for the rows in the
  // page, or larger ones for others, and takes these rows from the page.
  fix() {
    const { table } = this;
    this.fixed = true;
    const rows = [...table.rows].filter((row) => row.cells[0].className !== "pad" && row.getClientRects().length);
    const full = rows.reduce((a, b) => (b.cells.length > a.cells.length ? b : a));
    const widths = [...full.cells].map(width);
    const bodies = rows.filter((row) => row.parentNode !== table.tHead);
    this.usual = bodies.reduce((sum, row) => sum + height(row), 0) / bodies.length || 1;
    const style = getComputedStyle(bodies[0]?.cells[1] ?? full.cells[0]);
    this.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    this.beside = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight) + 1;
    this.most = parseFloat(style.maxWidth) || Number.POSITIVE_INFINITY;
    for (const body of [...table.tBodies]) body.remove();
    this.drawn.clear();
    this.group = document.createElement("colgroup");
    table.prepend(this.group);
    table.append(...this.pads);
    this.widen(widths);
    table.classList.add("fixed");
    this.arm?.();
  }

  // widen makes room for what the first rows do not have: more columns, longer
  // numbers, and texts in columns that are narrow.
  widen(widths = [...this.group.children].map((column) => parseFloat(column.style.width))) {
    const longest = [String(this.rows.length + 1)];
    for (const row of this.rows)
      row.forEach((text, i) => {
        if (text.length > (longest[i + 1]?.length ?? 0)) longest[i + 1] = text;
      });
    const context = document.createElement("canvas").getContext("2d");
    context.font = this.font;
    this.wide = Math.max(widths.length, longest.length) - 1;
    const columns = Array.from({ length: this.wide + 1 }, (_, i) => {
      const text = context.measureText((longest[i] ?? "").slice(0, 200)).width * slack;
      const wanted = Math.min(text + this.beside, this.most);
      const enough = i === 0 || this.numeric.has(i - 1) ? wanted : Math.min(wanted, narrow);
      return Math.ceil(Math.max(widths[i] ?? 0, enough));
    });
    this.group.replaceChildren(
      ...columns.map((n) => {
        const column = document.createElement("col");
        column.style.width = px(n);
        return column;
      }),
    );
    this.table.style.width = px(columns.reduce((sum, n) => sum + n, 0));
    for (const pad of this.pads) pad.rows[0].cells[0].colSpan = columns.length;
  }

  // thaw lets the widths follow another size of the window.
  thaw() {
    if (!this.fixed) return;
    this.table.classList.remove("fixed");
    this.table.style.width = "";
    this.group.remove();
    this.fixed = false;
    this.heights = [];
    this.soon();
  }

  // print has all rows in the table, as sheets of paper do not scroll.
  print(on) {
    if (!this.box.clientHeight) return;
    if (!on) return this.draw();
    if (!this.fixed) this.fix();
    this.place(0, Math.ceil(Math.min(this.count(), maxPrinted) / block));
    this.pad(0, 0);
    this.pad(1, 0);
  }
}
