// Numbers as pages show them: sizes, and the chart over time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { columns, read, spoken } from "../../app/reportpage/series.js";
import { bytes } from "../size.js";

test("sizes have two digits or more, in decimal units", () => {
  const want = {
    0: "0 B",
    9: "9 B",
    999: "999 B",
    1000: "1.0 kB",
    9949: "9.9 kB",
    9950: "10 kB",
    12345: "12 kB",
    999499: "999 kB",
    999500: "1.0 MB",
    2500000: "2.5 MB",
    3e9: "3.0 GB",
    4e12: "4.0 TB",
    5e15: "5000 TB",
  };
  for (const [n, text] of Object.entries(want)) assert.equal(bytes(Number(n)), text);
});

// table is what read needs of a table: rows of a heading, cells of counts,
// time, and with a comparison the heading and the counts of the time before.
const table = (rows, unit = "", top = 10) => ({
  dataset: { unit, top: String(top) },
  querySelectorAll: () =>
    rows.map(([when, views, uniques, spent, before, ...was]) => ({
      cells: [{ textContent: when }],
      querySelector: (cell) => ({ textContent: cell === "[data-spent]" ? spent : before }),
      querySelectorAll: () =>
        [views, uniques, ...was].map((n) => ({ value: String(n), textContent: n.toLocaleString("en") })),
    })),
});

test("the chart has what its table has", () => {
  const { rows, top } = read(
    table(
      [
        ["1 May", 1200, 1, "1 min 05 s"],
        ["8 May", 1, 20, "0 s"],
      ],
      "Week of ",
      1500,
    ),
  );
  assert.equal(top, 1500);
  assert.deepEqual(columns(rows), [
    [0, 1],
    [1200, null],
    [1, null],
    [null, null],
    [1200, 1], // up to today, which is not over
    [1, 20],
  ]);
  assert.deepEqual(rows.map(spoken), [
    "Week of 1 May: 1,200 views, 1 unique viewer, average time 1 min 05 s",
    "Week of 8 May: 1 view, 20 unique viewers, average time 0 s",
  ]);
});

test("a website has no time to speak of", () => {
  const { rows } = read(table([["1 May", 2, 1, undefined]]));
  assert.equal(spoken(rows[0]), "1 May: 2 views, 1 unique viewer");
});

test("a comparison is a third line, and is spoken too", () => {
  const { rows } = read(
    table([
      ["2 May", 0, 0, "0 s", "1 May", 1, 2],
      ["3 May", 5, 4, "9 s", "2 May", 0, 0],
    ]),
  );
  assert.deepEqual(columns(rows), [
    [0, 1],
    [0, null],
    [0, null],
    [1, 0],
    [0, 5],
    [0, 4],
  ]);
  assert.equal(
    spoken(rows[0]),
    "2 May: 0 views, 0 unique viewers, average time 0 s. Before, 1 May: 1 view, 2 unique viewers",
  );
});

test("a single point makes a line of two", () => {
  const { rows } = read(table([["2 May", 3, 2, "1 s"]]));
  assert.deepEqual(columns(rows), [
    [0, 1],
    [null, null],
    [null, null],
    [null, null],
    [3, 3],
    [2, 2],
  ]);
});
