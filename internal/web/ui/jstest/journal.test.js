import assert from "node:assert/strict";
import { test } from "node:test";

const store = new Map();
globalThis.sessionStorage = {
  getItem: (name) => store.get(name) ?? null,
  setItem: (name, value) => store.set(name, value),
  removeItem: (name) => store.delete(name),
};
const load = async (n) => import(`../../app/upload/journal.js?${n}`);

test("a reload knows the links, and the key of a file that was not finished", async () => {
  const { keep, kept } = await load(1);
  assert.deepEqual(kept, []);
  const rows = [
    { name: "a.txt", size: 1, modified: 5, key: "k1", state: "live", link: { slug: "aaa" } },
    { name: "b.txt", size: 2, modified: 6, key: "k2", state: "uploading", password: "open sesame" },
    { name: "c.txt", size: 3, modified: 7, key: "k3", state: "cancelled" },
  ];
  keep(rows, [{ name: "d.txt", size: 4, modified: 8, key: "k4" }]);

  const again = await load(2);
  const open = again.unfinished(again.kept);
  assert.deepEqual(
    again.kept.map((e) => [e.name, e.slug]),
    [
      ["a.txt", "aaa"],
      ["b.txt", undefined],
      ["d.txt", undefined],
    ],
  );
  assert.equal(again.takeKey(open, { name: "b.txt", size: 2, lastModified: 99 }), undefined, "it was changed since");
  assert.ok(!store.get("uploads").includes("sesame"));
  assert.equal(again.lockedBefore(open, { name: "b.txt", size: 2, lastModified: 6 }), true);
  assert.equal(again.lockedBefore(open, { name: "d.txt", size: 4, lastModified: 8 }), false);
  assert.equal(again.takeKey(open, { name: "b.txt", size: 2, lastModified: 6 }), "k2");
  assert.equal(again.takeKey(open, { name: "b.txt", size: 2, lastModified: 6 }), undefined, "once");
  assert.deepEqual(
    open.map((e) => e.name),
    ["d.txt"],
  );
});

test("nothing is kept of an empty page, and rubbish is nothing", async () => {
  const { keep } = await load(3);
  keep([], []);
  assert.equal(store.size, 0);
  for (const rubbish of ["{", "7", "null"]) {
    store.set("uploads", rubbish);
    assert.deepEqual((await load(rubbish)).kept, []);
  }
});
