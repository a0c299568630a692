// Paragraphs made of the lines of a PDF's page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { reflow } from "../../viewer/pdf/reflow.js";

// lines returns the items of lines whose letters are half as wide as their
// size. A line is [text, x, y, size], or only a text, which is below the
// previous line.
function lines(...all) {
  let [x, y, size] = [50, 88, 10];
  return all.map((line) => {
    let text = line;
    if (Array.isArray(line)) [text, x, y, size = 10] = line;
    else y += 12;
    return { text, x, y, size, width: (text.length * size) / 2 };
  });
}
const texts = (...all) =>
  reflow(lines(...all)).map(({ head, runs }) => (head ? "# " : "") + runs.map((r) => r[1]).join(""));
const full = "x".repeat(14);
const line = `${full} ${full}`;

for (const [what, want, ...all] of [
  ["lines of one paragraph", ["one two three four"], "one two", "three", "four"],
  ["a word over two lines", ["the document ends here"], "the docu-", "ment ends", "here"],
  ["a hyphen before a capital", ["Anglo-American and more"], "Anglo-", "American", "and more"],
  ["a hyphen at a number", ["a COVID-19 and 30-minute rule"], "a COVID-", "19 and 30-", "minute rule"],
  ["a hyphen that a word has elsewhere", ["Well-known and well-known"], "Well-", "known and", "well-known"],
  ["several hyphens", ["state-of-the-art and state-of-the-art"], "state-of-the-", "art and", "state-of-the-art"],
  ["a hyphen that is a word", ["one - two"], "one -", "two"],
  ["a hyphen for lines alone", ["Verwaltung"], "Ver\u00ad", "waltung"],
  ["a larger gap", ["one one one", "two two two"], "one one one", ["two two two", 50, 130]],
  [
    "a last line that is short",
    [`${full} end.`, `Next ${full}`],
    [full, 50, 100],
    ["end.", 50, 112],
    ["Next", 50, 124],
    full,
  ],
  ["an indented first line", [`${full} ${full}`, `${full} ${full}`], full, full, [full, 62, 124], [full, 50, 136]],
  ["a heading", ["# Heading", "text goes on"], ["Heading", 50, 80, 20], ["text goes", 50, 110], "on"],
  ["bullets", ["• one", "• two"], "• one", "• two"],
  ["numbers", ["1. one", "2) two"], "1. one", "2) two"],
  ["columns of a page", ["left column goes on here"], "left", "column", ["goes on", 300, 100], "here"],
  ["another text in the next column", ["left column.", "Right one"], "left", "column.", ["Right", 300, 100], "one"],
  [
    "rows of a table",
    ["Age\u2003Number", "12\u20034"],
    ["Age", 50, 100],
    ["Number", 200, 100],
    ["12", 50, 112],
    ["4", 200, 112],
  ],
  [
    "columns written row by row",
    [`${line} ${line} ${line} the end of the left one.`, `${line} that ends here.`, `${line} ${line}`, "Below"],
    ...[
      [line, line],
      [line, "that ends here."],
      [line, undefined],
      ["the end of the left one.", undefined],
      [undefined, line],
      [undefined, line],
    ].flatMap((row, i) => row.flatMap((text, n) => (text ? [[text, 50 + 250 * n, 100 + 12 * i]] : []))),
    ["Below", 50, 200],
  ],
  ["a note that stands higher", ["water2 flows"], ["water", 50, 100], ["2", 75, 96, 6], ["flows", 50, 112]],
  ["ideographs", ["漢字文章"], "漢字", "文章"],
  ["nothing", [], " ", ""],
])
  test(what, () => assert.deepEqual(texts(...all), want));

test("a hyphen that a word has on another page", () => {
  const compounds = new Set();
  reflow(lines("a well-known word"), compounds);
  const [{ runs }] = reflow(lines("the well-", "known word"), compounds);
  assert.equal(runs.map((r) => r[1]).join(""), "the well-known word");
});

test("spaces that are items of their own", () => {
  const [a, space, b] = lines(["one", 50, 100], [" ", 65, 100], ["two", 70, 100]);
  assert.deepEqual(reflow([a, space, b]), [
    {
      head: false,
      runs: [
        [0, "one "],
        [2, "two"],
      ],
    },
  ]);
});
