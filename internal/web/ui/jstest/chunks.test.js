// Uploads of large files, in chunks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { upload } from "../../app/upload.js";
import { Net } from "./fakenet.js";

const MiB = 1 << 20;
const fileOf = (size) => ({
  name: "tour.mp4",
  type: "video/mp4",
  size,
  slice: (from, to = size) => ({
    size: Math.min(to, size) - Math.max(from, 0),
    arrayBuffer: async () => new ArrayBuffer(1),
  }),
});
const proxy = { status: 413, body: "<html>" };
const lost = { lost: true, progress: [] };

// send uploads a file, and returns its link, where its chunks began and the
// progress.
const send = async (net, size = 20 * MiB) => {
  const progress = [];
  const link = await net.run(upload(fileOf(size), { key: "k", onprogress: (sent) => progress.push(sent) }));
  assert.ok(progress.every((sent) => sent <= size));
  const chunks = net.puts.filter((put) => put.method === "PATCH");
  assert.ok(chunks.every((put) => put.type === "application/offset+octet-stream"));
  return { link, progress, at: chunks.map((put) => put.at / MiB) };
};

test("a large file is sent in chunks of 8 MiB", async () => {
  const net = new Net({ chunks: 0 });
  const { link, progress, at } = await send(net);
  assert.deepEqual([link.slug, at], ["abc", [0, 8, 16]]);
  assert.deepEqual(progress, [0, 8 * MiB, 16 * MiB, 20 * MiB]);
  assert.deepEqual(net.counts, { begin: 1, head: 1, put: 3, complete: 1 });
});

test("a small file is sent at once, and so is one for a bucket", async () => {
  for (const [options, size] of [
    [{ chunks: 0 }, 8 * MiB],
    [{}, 20 * MiB],
  ]) {
    const net = new Net(options);
    await send(net, size);
    assert.deepEqual(
      net.puts.map((put) => put.method),
      ["PUT"],
    );
  }
});

test("after a lost connection, what has arrived is not sent again", async () => {
  const net = new Net({ chunks: 0, put: [{}, { lost: true, progress: [5 * MiB], kept: 3 * MiB }] });
  const { progress, at } = await send(net);
  assert.deepEqual(at, [0, 8, 11, 19]);
  assert.deepEqual(
    progress.map((sent) => sent / MiB),
    [0, 8, 13, 11, 19, 20],
  );
  assert.deepEqual(net.counts, { begin: 1, head: 2, put: 4, complete: 1 });
});

test("after a reload, the file goes on where it was", async () => {
  const net = new Net({ chunks: 16 * MiB });
  const { progress, at } = await send(net);
  assert.deepEqual([at, progress[0]], [[16], 16 * MiB]);
});

test("a file that has arrived is completed", async () => {
  const net = new Net({ chunks: 20 * MiB });
  const { link, at } = await send(net);
  assert.deepEqual([link.slug, at], ["abc", []]);
});

for (const [how, head] of Object.entries({ "no connection": { lost: true }, 503: { status: 503 } })) {
  test(`the question what has arrived is repeated after ${how}`, async () => {
    const net = new Net({ chunks: 0, put: [lost], head: [undefined, head] });
    const { at } = await send(net);
    assert.deepEqual(at, [0, 0, 8, 16]);
    assert.deepEqual(net.counts.head, 3);
  });
}

for (const code of ["offset_mismatch", "upload_in_progress"]) {
  test(`a chunk is tried again after ${code}`, async () => {
    const net = new Net({ chunks: 0, put: [{ status: 409, body: { code, error: "No." } }] });
    const { at } = await send(net);
    assert.deepEqual(at, [0, 0, 8, 16]);
  });
}

test("an upload that the server has forgotten begins again", async () => {
  const net = new Net({ chunks: 0, head: [{ status: 404 }] });
  const { link } = await send(net);
  assert.deepEqual([link.slug, net.counts.begin], ["abc", 2]);
});

test("chunks become smaller until a proxy lets them through", async () => {
  const net = new Net({ chunks: 0, put: [proxy, proxy] });
  const { at } = await send(net);
  assert.deepEqual(at, [0, 0, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
  const small = new Net({ chunks: 0, put: [proxy] });
  assert.deepEqual((await send(small, 4 * MiB)).at, [0, 2]);
  const never = new Net({ chunks: 0, put: Array.from({ length: 30 }, () => proxy) });
  await assert.rejects(send(never), (err) => err.status === 413);
  assert.equal(never.counts.put, 8); // of 8 MiB to 64 KiB
});

test("an answer that does not say what has arrived ends the upload", async () => {
  const net = new Net({ chunks: 0, head: [{ headers: {} }] });
  await assert.rejects(send(net), /does not say/);
});

test("a bucket gets a large file at once, and in chunks after a lost connection", async () => {
  const bucket = "https://bucket.example";
  const first = new Net({ chunks: 0, bucket });
  await send(first);
  const methods = (net) => net.puts.map((put) => put.method);
  assert.deepEqual(methods(first), ["PUT"]);
  const cut = new Net({ chunks: 0, bucket, put: [{ lost: true, progress: [5 * MiB] }] });
  const { progress } = await send(cut);
  assert.deepEqual(methods(cut), ["PUT", "PATCH", "PATCH", "PATCH"]);
  assert.deepEqual(progress.slice(0, 2), [5 * MiB, 0]);
  const nothing = new Net({ chunks: 0, bucket, put: [lost] });
  await send(nothing);
  assert.deepEqual(methods(nothing), ["PUT", "PUT"]);
  const reloaded = new Net({ chunks: 8 * MiB, bucket });
  assert.deepEqual((await send(reloaded)).at, [8, 16]);
});
