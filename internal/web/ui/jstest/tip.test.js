import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, spoken, towards } from "../../chart/tip.js";

test("a tip is a title and rows", () => {
  assert.deepEqual(parse("3 Apr\nviews|Views|12\n|Average time|9 s"), {
    title: "3 Apr",
    rows: [
      ["views", "Views", "12"],
      ["", "Average time", "9 s"],
    ],
  });
  assert.deepEqual(parse("alone"), { title: "alone", rows: [] });
});

test("it is read aloud in a sentence", () => {
  assert.equal(spoken(parse("3 Apr\nviews|Views|12\n|Average time|9 s")), "3 Apr: Views 12, Average time 9 s");
  assert.equal(spoken(parse("alone")), "alone");
});

test("keys lead from mark to mark, and stay within", () => {
  assert.equal(towards("ArrowRight", 3, 30, 1), 4);
  assert.equal(towards("ArrowRight", 29, 30, 1), 29);
  assert.equal(towards("Home", 5, 30, 1), 0);
  assert.equal(towards("End", 5, 30, 1), 29);
  assert.equal(towards("PageUp", 3, 30, 1), 0);
  assert.equal(towards("Enter", 3, 30, 1), undefined);
});

test("in rows of columns they lead up and down, and not beyond the edge", () => {
  assert.equal(towards("ArrowDown", 3, 168, 24), 27);
  assert.equal(towards("ArrowUp", 3, 168, 24), 3);
  assert.equal(towards("ArrowDown", 150, 168, 24), 150);
});
