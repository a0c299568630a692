// ZIPs that the browser makes, read by an independent reader.
import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import { test } from "node:test";
import zlib from "node:zlib";
import { hidden, mostFiles, TooMuch, zip } from "../../app/website/zip.js";

// Node 18 has no "deflate-raw", so every version uses that of zlib.
globalThis.CompressionStream = class {
  constructor(format) {
    assert.equal(format, "deflate-raw");
    Object.assign(this, Duplex.toWeb(zlib.createDeflateRaw()));
  }
};

const file = (path, content) => ({ path, file: new Blob([content]) });

// crc32 returns the checksum of ISO 3309, computed bit by bit.
const crc32 = (bytes) => {
  let crc = ~0;
  for (const byte of bytes)
    for (let bit = 0; bit < 8; bit++) {
      const carry = (crc ^ (byte >>> bit)) & 1;
      crc = (crc >>> 1) ^ (carry ? 0xedb88320 : 0);
    }
  return ~crc >>> 0;
};

// unzip reads a ZIP as its specification says: from the record at its end,
// through the central directory, to each local header. It compares all of them
// with each other and with the content.
const unzip = async (blob) => {
  const bytes = Buffer.from(await blob.arrayBuffer());
  const end = bytes.length - 22;
  assert.equal(bytes.readUInt32LE(end), 0x06054b50);
  const [count, size, start] = [
    bytes.readUInt16LE(end + 10),
    bytes.readUInt32LE(end + 12),
    bytes.readUInt32LE(end + 16),
  ];
  assert.equal(bytes.readUInt16LE(end + 8), count);
  assert.equal(start + size, end);
  const entries = [];
  let at = start;
  let local = 0;
  for (let i = 0; i < count; i++) {
    assert.equal(bytes.readUInt32LE(at), 0x02014b50);
    const nameLength = bytes.readUInt16LE(at + 28);
    assert.equal(bytes.readUInt32LE(at + 42), local); // one after the other
    assert.equal(bytes.readUInt32LE(local), 0x04034b50);
    assert.deepEqual(bytes.subarray(local + 4, local + 30), bytes.subarray(at + 6, at + 32));
    const name = bytes.subarray(at + 46, at + 46 + nameLength);
    const from = local + 30 + nameLength;
    assert.deepEqual(bytes.subarray(local + 30, from), name);
    const [flags, method, crc] = [bytes.readUInt16LE(at + 8), bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 16)];
    const [packed, whole] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)];
    const data = bytes.subarray(from, from + packed);
    const content = method === 8 ? zlib.inflateRawSync(data) : data;
    assert.equal(flags, 0x800); // names are UTF-8
    assert.equal(content.length, whole);
    assert.equal(crc32(content), crc);
    entries.push({ path: name.toString("utf8"), method, content: content.toString("utf8") });
    at += 46 + nameLength;
    local = from + packed;
  }
  assert.deepEqual([at, local], [end, start]);
  return entries;
};

test("the reader's checksum is right", () => {
  assert.equal(crc32(Buffer.from("123456789")), 0xcbf43926);
});

test("a folder comes out as it went in, in order", async () => {
  const text = "a line of text, again and again\n".repeat(1000);
  const entries = await unzip(
    await zip([file("z/é.json", text), file("index.html", "<p>Hello"), file("film.mp4", text), file("empty.txt", "")]),
  );
  assert.deepEqual(entries, [
    { path: "empty.txt", method: 0, content: "" },
    { path: "film.mp4", method: 0, content: text }, // compressed by itself
    { path: "index.html", method: 0, content: "<p>Hello" }, // would grow
    { path: "z/é.json", method: 8, content: text },
  ]);
});

test("the same files make the same bytes", async () => {
  const files = [file("b.css", "x".repeat(999)), file("a.png", "y")];
  const [one, two] = await Promise.all([zip(files), zip([...files].reverse())]);
  assert.deepEqual(await one.arrayBuffer(), await two.arrayBuffer());
});

test("no files", async () => {
  assert.deepEqual(await unzip(await zip([])), []);
});

test("text is stored where the browser cannot compress", async () => {
  const { CompressionStream } = globalThis;
  globalThis.CompressionStream = undefined;
  try {
    assert.equal((await unzip(await zip([file("a.txt", "x".repeat(999))])))[0].method, 0);
  } finally {
    globalThis.CompressionStream = CompressionStream;
  }
});

test("progress grows up to the size of all", async () => {
  const seen = [];
  await zip([file("a.txt", "12345"), file("b.png", "123")], { onprogress: (...n) => seen.push(n) });
  assert.deepEqual(seen, [
    [5, 8],
    [8, 8],
  ]);
});

test("it ends when it is cancelled", async () => {
  const cancel = new AbortController();
  const files = [file("a.txt", "1"), file("b.txt", "2")];
  const going = zip(files, { signal: cancel.signal, onprogress: () => cancel.abort() });
  await assert.rejects(going, { name: "AbortError" });
});

// huge returns an empty file that claims a size for which no test has memory.
const huge = (path, size) => ({ path, file: { size, stream: () => new Blob([]).stream() } });

test("what does not fit into 32-bit numbers is refused", async () => {
  await assert.rejects(zip([huge("a.mp4", 2 ** 32)]), TooMuch);
  await assert.rejects(zip([huge("a.mp4", 2 ** 31), huge("b.mp4", 2 ** 31)]), TooMuch);
  await assert.rejects(zip([file("x".repeat(65_536), "")]), TooMuch);
});

test("more files than a website may have are refused", async () => {
  const files = Array.from({ length: mostFiles + 1 }, (_, i) => file(`${i}.png`, ""));
  await assert.rejects(zip(files), { message: "The folder has 10001 files. A website has at most 10,000." });
});

test("files that no website serves", () => {
  for (const path of [".env", "a/.git/config", "__MACOSX/a", "a/.DS_Store"]) assert.ok(hidden(path), path);
  for (const path of ["index.html", "a.b/c.d", "MACOSX/a"]) assert.ok(!hidden(path), path);
});
