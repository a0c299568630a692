// Numbers as pages show them.
import assert from "node:assert/strict";
import { test } from "node:test";
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
