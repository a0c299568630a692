import assert from "node:assert/strict";
import { test } from "node:test";
import { columns } from "../../app/reportpage/series.js";

const row = (...counts) => ({ counts: counts.map((value) => ({ value, text: String(value) })) });

test("the current day is a line of its own, which begins with the day before", () => {
  const [at, views, uniques, was, now, nowUniques] = columns([row(5, 3, 9), row(7, 4, 8), row(2, 1, 6)]);
  assert.deepEqual(at, [0, 1, 2]);
  assert.deepEqual(views, [5, 7, null]);
  assert.deepEqual(uniques, [3, 4, null]);
  assert.deepEqual(was, [9, 8, 6]);
  assert.deepEqual(now, [null, 7, 2]);
  assert.deepEqual(nowUniques, [null, 4, 1]);
});

test("a single day is drawn as a level line", () => {
  const [at, views, , was, now] = columns([row(4, 2)]);
  assert.deepEqual(at, [0, 1]);
  assert.deepEqual(views, [null, null]);
  assert.deepEqual(was, [null, null]);
  assert.deepEqual(now, [4, 4]);
});
