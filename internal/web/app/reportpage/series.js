// The numbers of the chart over time, as the table below it has them.

// read returns the points of the table, one of each row, and the top of the scale.
export const read = (table) => {
  const rows = [...table.querySelectorAll("tbody tr")].map((tr) => ({
    when: table.dataset.unit + tr.cells[0].textContent,
    before: tr.querySelector("[data-before]")?.textContent,
    spent: tr.querySelector("[data-spent]")?.textContent,
    counts: [...tr.querySelectorAll("data")].map((d) => ({ value: Number(d.value), text: d.textContent })),
  }));
  return { rows, top: Number(table.dataset.top) };
};

// columns returns points as uPlot takes them: positions, views, unique viewers and earlier views; then views and unique
// viewers of the last two points alone, for today so far, which is drawn dotted. A line needs two points, so a single
// one is given twice.
export const columns = (rows) => {
  const points = rows.length > 1 ? rows : [rows[0], rows[0]];
  const last = points.length - 1;
  const of = (i, from, to) => points.map((r, at) => (at >= from && at <= to ? (r.counts[i]?.value ?? null) : null));
  const past = rows.length > 1 ? last - 1 : -1;
  return [
    points.map((_, i) => i),
    of(0, 0, past),
    of(1, 0, past),
    of(2, 0, last),
    of(0, last - 1, last),
    of(1, last - 1, last),
  ];
};

// spoken returns a point in words, for screen readers.
export const spoken = (row) => {
  const n = (i, what) => `${row.counts[i].text} ${what}${row.counts[i].text === "1" ? "" : "s"}`;
  let words = `${row.when}: ${n(0, "view")}, ${n(1, "unique viewer")}`;
  if (row.spent) words += `, average time ${row.spent}`;
  if (row.counts.length > 2) words += `. Before, ${row.before}: ${n(2, "view")}, ${n(3, "unique viewer")}`;
  return words;
};
