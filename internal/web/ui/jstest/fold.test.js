// The text that a search in a PDF compares.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fold, pattern } from "../../viewer/pdf/fold.js";

const lines = (...all) => all.map((str) => ({ str, hasEOL: true }));
const found = (query, ...text) => [...fold(lines(...text)).text.matchAll(pattern(query))].length;

for (const [what, query, ...text] of [
  ["another case", "RESUME", "a resume"],
  ["accents", "resume", "a résumé"],
  ["accents in the query", "résumé", "a resume"],
  ["marks that stand apart", "resume", "a re\u0301sume\u0301"],
  ["a ligature", "findings", "the ﬁndings"],
  ["letters of Northern Europe", "strasse oder ost", "STRAẞE oder øst"],
  ["quotes and dashes", `"well-known" - it's`, "“well‑known” – it’s"],
  ["a soft hyphen", "document", "docu\u00adment"],
  ["a word in two lines", "document", "the docu-", "ment"],
  ["a word with a hyphen at the end of a line", "well-known", "is well-", "known"],
  ["words in two lines", "put a file", "put a", "file"],
  ["any spaces", "put a file", "put \u00a0 a\tfile"],
  ["a number before the end of a line", "1- 2", "1-", "2"],
  ["Latin accents", "aeiou", "àéîõů"],
  ["a line separator", "put a", "put\u2028a"],
  ["a unit in one sign", "mhz", "㎒"],
  ["ideographs in two lines", "日本語", "日本", "語"],
  ["a hyphen between numbers", "1-2", "1-2"],
  ["signs of regular expressions", "a.*(b)[c]", "a.*(b)[c]"],
  ["capitals with accents", "ΆΝΘΡΩΠΟς", "ανθρωπος"],
]) {
  test(`finds ${what}`, () => assert.equal(found(query, ...text), 1));
}

for (const [what, query, ...text] of [
  ["signs as regular expressions", ".*", "abc"],
  ["numbers without their hyphen", "1-2", "12"],
  ["words without the space between lines", "putfile", "put", "file"],
  ["marks that are letters of their script as nothing", "कि", "क"],
]) {
  test(`does not find ${what}`, () => assert.equal(found(query, ...text), 0));
}

test("spaces around a query count for nothing", () => {
  assert.match(fold([{ str: "a file" }]).text, pattern(" file "));
});

test("an empty query has no pattern", () => {
  for (const query of ["", " ", "\n"]) assert.equal(pattern(query), undefined);
});

test("each unit of the folded text has its place", () => {
  const { text, places } = fold([{ str: " Eﬁ-", hasEOL: true }, { str: "ß  x" }], true);
  assert.equal(text, "efiss x");
  assert.deepEqual(places, [
    [0, 1, 2],
    [0, 2, 3],
    [0, 2, 3],
    [1, 0, 1],
    [1, 0, 1],
    [1, 1, 2],
    [1, 3, 4],
  ]);
});
