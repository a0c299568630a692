import assert from "node:assert/strict";
import { test } from "node:test";

// A page without elements. The module uses none on import.
globalThis.document = {
  querySelector: () => null,
  querySelectorAll: () => [],
  addEventListener() {},
  documentElement: { classList: { add() {} } },
  body: { classList: { add() {}, toggle() {} } },
};
globalThis.addEventListener = () => {};
const { summary } = await import("../../app/upload/batch.js");

const row = (state, size, sent, url) => ({ state, size, sent, url });

test("while files are on their way, files, bytes and the time that is left", () => {
  const rows = [
    row("live", 1000, 1000, "u1"),
    row("uploading", 3000, 1000),
    row("waiting", 2000, 0),
    row("failed", 9000, 50),
  ];
  assert.deepEqual(summary(rows, 500), {
    open: 2,
    links: ["u1"],
    text: "2 of 4 files · 2.0 kB of 6.0 kB · 500 B/s · 8 s left",
  });
  assert.equal(summary(rows, 0).text, "2 of 4 files · 2.0 kB of 6.0 kB");
});

test("at the end, how many links there are, and how many files failed", () => {
  assert.equal(summary([row("live", 1, 1, "u1"), row("review", 1, 1, "u2")], 0).text, "1 link ready · 1 in review");
  assert.deepEqual(summary([row("live", 1, 1, "u1"), row("review", 1, 1, "u2"), row("processing", 1, 1, "u3")], 0), {
    open: 0,
    links: ["u1"],
    text: "1 link ready · 1 in review · 1 being checked",
  });
  assert.deepEqual(summary([row("live", 1, 1, "u1"), row("cancelled", 5, 1)], 9), {
    open: 0,
    links: ["u1"],
    text: "1 link ready · 1 not uploaded",
  });
});
