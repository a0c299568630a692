import assert from "node:assert/strict";
import { test } from "node:test";

const { filesIn, mostInFolder, ofFolder, refusal } = await import("../../app/upload/admit.js");

const rules = { accepts: new Set(["pdf", "txt", "zip"]), programs: new Set(["exe", "sh"]), limit: 2000 };

test("a file is refused by its name and its size, with the reason", () => {
  const why = (name, size = 1) => refusal({ name, size }, rules);
  for (const name of ["report.pdf", "REPORT.PDF", "a.b.txt", "exe.zip"]) assert.equal(why(name), "", name);
  assert.match(why("setup.exe"), /^Programs and scripts \(\.exe\) /);
  assert.match(why("report.pdf.SH"), /^Programs and scripts \(\.sh\) /);
  assert.match(why("drawing.dwg"), /^Files of this type \(\.dwg\) are not accepted\./);
  assert.match(why("README"), /^The name has no extension/);
  assert.match(why(".exe"), /^The name has no extension/);
  assert.match(why("dot."), /^The name has no extension/);
  assert.equal(why("empty.txt", 0), "The file is empty.");
  assert.equal(why("large.txt", 3000), "It has 3.0 kB. The limit is 2.0 kB per file.");
  assert.equal(refusal({ name: "large.txt", size: 3000 }, { ...rules, limit: 0 }), "");
});

// A dropped folder as browsers present it: entries, which are read a few at a
// time.
const file = (name) => ({ isFile: true, name, file: (done) => done({ name }) });
const dir = (name, ...inside) => ({
  name,
  createReader: () => ({ readEntries: (done) => done(inside.splice(0, 2)) }),
});

test("the files of a folder come in the order of their names, without what systems keep in folders", async () => {
  const files = await filesIn([
    file("last.txt"),
    dir(
      "deck",
      file("10.pdf"),
      file(".DS_Store"),
      dir("more", file("a.txt")),
      file("2.pdf"),
      file("Thumbs.db"),
      dir(".git", file("x.txt")),
    ),
  ]);
  assert.deepEqual(
    files.map((f) => f.name),
    ["last.txt", "2.pdf", "10.pdf", "a.txt"],
  );
});

test("a huge folder is not read to its end", async () => {
  let read = 0;
  const endless = { name: "x", createReader: () => ({ readEntries: (done) => done([file(`${read++}.txt`)]) }) };
  assert.equal((await filesIn([endless])).length, mostInFolder + 1);
});

test("a chooser of folders gives the same order", () => {
  const files = ["d/10.pdf", "d/.DS_Store", "d/2.pdf", "d/.git/x.txt"].map((p) => ({ webkitRelativePath: p }));
  assert.deepEqual(
    ofFolder(files).map((f) => f.webkitRelativePath),
    ["d/2.pdf", "d/10.pdf"],
  );
});
