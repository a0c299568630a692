// Uploads, and their failures.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newKey, Refusal, upload } from "../../app/upload.js";
import { Net, online, quiet } from "./fakenet.js";

const file = {
  name: "notes.txt",
  type: "text/plain",
  size: 1000,
  slice: () => ({ arrayBuffer: async () => new ArrayBuffer(1) }),
};
const begin = "/dashboard/uploads";
const complete = "/dashboard/uploads/complete";
const busy = { status: 503, body: { code: "busy", error: "Try again." } };
const lost = { lost: true };
const refused = (code, status = 400) => ({ status, body: { code, error: `It is ${code}.` } });
const times = (n, what) => Array.from({ length: n }, () => what);

// send uploads a file and returns its link or error, and the states it had.
const send = async (net, options = {}) => {
  const states = [];
  const result = { states };
  try {
    result.link = await net.run(upload(file, { onstate: (state) => states.push(state), ...options }));
  } catch (err) {
    result.err = err;
  }
  return result;
};

test("a file is announced, sent and completed under one key", async () => {
  const net = new Net();
  const progress = [];
  const { link, states } = await send(net, {
    key: "k",
    options: { slug: "mine", linkName: "Mine" },
    onprogress: (...n) => progress.push(n),
  });
  assert.deepEqual(link, { slug: "abc" });
  assert.deepEqual(states, ["waiting", "uploading", "uploading", "checking"]);
  const common = { slug: "mine", linkName: "Mine", name: "notes.txt", type: "text/plain", idempotencyKey: "k" };
  assert.deepEqual(net.asked(begin), [{ ...common, size: 1000 }]);
  assert.deepEqual(net.puts, [{ method: "PUT", address: "/storage/1", type: "text/plain", file }]);
  assert.deepEqual(net.asked(complete), [{ ...common, path: "path/1" }]);
  assert.deepEqual(progress, [[1000, 1000]]);
  assert.deepEqual(net.waits, []);
});

test("options are asked for at each step, the slug once", async () => {
  const net = new Net();
  let n = 0;
  await send(net, { options: () => ({ slug: `slug${++n}`, linkName: `name${n}` }) });
  assert.deepEqual([net.asked(begin)[0].slug, net.asked(complete)[0].slug], ["slug1", "slug1"]);
  assert.notEqual(net.asked(begin)[0].linkName, net.asked(complete)[0].linkName);
});

test("what was uploaded before is not sent again", async () => {
  const net = new Net({ begin: [{ body: { existing: { slug: "old" } } }] });
  const { link } = await send(net);
  assert.deepEqual([link.slug, net.log.length], ["old", 1]);
});

for (const step of ["begin", "put", "complete"]) {
  for (const [how, answer] of Object.entries({
    "a lost connection": lost,
    502: { status: 502 },
    503: busy,
    504: { status: 504 },
    "an upload in progress": refused("upload_in_progress", 409),
  })) {
    test(`${step} is tried again after ${how}, with the same key`, async () => {
      const net = new Net({ [step]: [answer] });
      const { link, states } = await send(net);
      assert.equal(link.slug, "abc");
      assert.deepEqual(net.waits, [1000]);
      assert.ok(states.includes("retrying"));
      assert.equal(net.counts[step], 2);
      assert.equal(net.log.length, 4);
      const keys = [...net.asked(begin), ...net.asked(complete)].map((body) => body.idempotencyKey);
      assert.equal(new Set(keys).size, 1);
    });
  }

  test(`${step} is not tried again after a refusal`, async () => {
    const { err } = await send(new Net({ [step]: [refused("malware", 422)] }));
    assert.ok(err instanceof Refusal);
    assert.deepEqual([err.code, err.status, err.message], ["malware", 422, "It is malware."]);
  });

  test(`${step} is given up after seven tries`, async () => {
    const net = new Net({ [step]: times(20, { ...lost, progress: [] }) });
    const { err } = await send(net);
    assert.ok(err instanceof TypeError);
    assert.deepEqual(net.waits, [1000, 2000, 4000, 8000, 16_000, 30_000]);
  });
}

test("a server says how long to wait, at least", async () => {
  const after = (seconds) => ({ ...busy, headers: { "Retry-After": seconds } });
  const net = new Net({ begin: [after("7"), after("1")] });
  const seconds = [];
  await send(net, { onstate: (state, more) => state === "retrying" && seconds.push(more.seconds) });
  assert.deepEqual(net.waits, [7000, 2000]);
  assert.deepEqual(seconds, [7, 2]);
});

test("storage says so, too", async () => {
  const net = new Net({ put: [{ status: 503, headers: "content-type: text/xml\r\nretry-after: 9\r\n" }] });
  await send(net);
  assert.deepEqual(net.waits, [9000]);
});

test("a wait ends when the connection comes back", async () => {
  const net = new Net({ begin: [lost] });
  const going = upload(file);
  await quiet();
  online();
  await net.run(going);
  assert.deepEqual(net.waits, []);
});

test("progress makes failures forgotten", async () => {
  const put = Array.from({ length: 20 }, (_, i) => ({ ...lost, progress: [i + 1] }));
  const net = new Net({ put });
  const { link } = await send(net);
  assert.equal(link.slug, "abc");
  assert.deepEqual(net.waits, times(20, 1000));
});

test("the same bytes again are no progress", async () => {
  const { err } = await send(new Net({ put: times(20, { ...lost, progress: [500] }) }));
  assert.ok(err instanceof TypeError);
});

for (const progress of [[], [500]]) {
  test(`a connection is given up after a minute without progress: ${progress}`, async () => {
    const net = new Net({ put: [{ lost: "silently", progress }] });
    const { link } = await send(net);
    assert.equal(link.slug, "abc");
    assert.deepEqual(net.waits, [60_000, 1000]);
  });
}

test("failures of one step do not count for the next", async () => {
  const { link } = await send(
    new Net({ put: [...times(6, { ...lost, progress: [] }), { progress: [] }], complete: times(6, lost) }),
  );
  assert.equal(link.slug, "abc");
});

test("progress is counted anew at a new address", async () => {
  const again = Array.from({ length: 10 }, (_, i) => ({ ...lost, progress: [i + 1] }));
  const { link } = await send(new Net({ put: [refused("url_expired", 403), ...again] }));
  assert.equal(link.slug, "abc");
});

test("storage has three minutes to answer when it has all bytes", async () => {
  const net = new Net({ put: [{ lost: "silently", progress: [500, 1000] }] });
  await send(net);
  assert.deepEqual(net.waits, [180_000, 1000]);
});

for (const [how, answer] of Object.entries({
  "that has expired": { put: [refused("url_expired", 403)] },
  "that a bucket refuses": { put: [{ status: 403, body: "<Error><Code>AccessDenied</Code></Error>" }] },
  "whose bytes are not there": { complete: [refused("upload_not_found", 404)] },
  "whose bytes are not all there": { complete: [refused("upload_incomplete", 409)] },
})) {
  test(`an address ${how} is asked for again, with the same key`, async () => {
    const net = new Net(answer);
    const { link } = await send(net, { key: "k" });
    assert.equal(link.slug, "abc");
    assert.deepEqual(
      net.puts.map((r) => r.address),
      ["/storage/1", "/storage/2"],
    );
    assert.deepEqual(
      net.asked(begin).map((body) => body.idempotencyKey),
      ["k", "k"],
    );
    assert.equal(net.asked(complete).at(-1).path, "path/2");
  });
}

test("it is asked for three times more, and no further", async () => {
  const net = new Net({ put: times(20, refused("url_expired", 403)) });
  const { err } = await send(net);
  assert.deepEqual([err.code, net.puts.length], ["url_expired", 4]);
});

test("an address that was used leads to the last step", async () => {
  const net = new Net({ put: [lost, refused("url_used", 409)] });
  const { link } = await send(net);
  assert.deepEqual([link.slug, net.puts.length, net.counts.begin], ["abc", 2, 1]);
});

for (const [code, again] of Object.entries({
  InternalError: true,
  RequestTimeout: true,
  IncompleteBody: true,
  SlowDown: true,
  EntityTooLarge: false,
})) {
  test(`a bucket that says ${code} is ${again ? "" : "not "}asked again`, async () => {
    const net = new Net({
      put: [{ status: code === "InternalError" ? 500 : 400, body: `<Error><Code>${code}</Code></Error>` }],
    });
    const { link, err } = await send(net);
    if (again) assert.equal(link.slug, "abc");
    else assert.match(err.message, /refused the file \(EntityTooLarge\)/);
  });
}

test("a type that the server has another name for is left to it, once", async () => {
  const net = new Net({ begin: [refused("type_mismatch")] });
  const { link } = await send(net);
  assert.equal(link.slug, "abc");
  assert.deepEqual(
    net.asked(begin).map((body) => body.type),
    ["text/plain", "application/octet-stream"],
  );
  const { err } = await send(new Net({ begin: times(3, refused("type_mismatch")) }));
  assert.equal(err.code, "type_mismatch");
  const unknown = new Net({ begin: times(3, refused("type_mismatch")) });
  await send(unknown, { type: "application/octet-stream" });
  assert.equal(unknown.counts.begin, 1);
});

test("a file that cannot be read any more is not tried again", async () => {
  const gone = {
    ...file,
    slice: () => ({ arrayBuffer: () => Promise.reject(new DOMException("x", "NotReadableError")) }),
  };
  const net = new Net();
  await assert.rejects(net.run(upload(gone)), { code: "unreadable" });
  assert.equal(net.puts.length, 0);
});

const bucket = "https://bucket.example";

test("a bucket that refuses the site's pages is asked three times", async () => {
  const net = new Net({ bucket, put: times(9, { lost: true, progress: [] }), there: (method) => method === "HEAD" });
  const { err } = await send(net);
  assert.deepEqual([err.code, net.puts.length], ["storage_closed", 3]);
});

test("a bucket that does not answer is told from a connection that is lost", async () => {
  const put = times(9, { lost: true, progress: [] });
  const away = await send(new Net({ bucket, put, there: (_, address) => !address.startsWith(bucket) }));
  assert.equal(away.err.code, "storage_away");
  const offline = await send(new Net({ bucket, put, there: () => false }));
  assert.ok(offline.err instanceof TypeError);
});

test("a bucket that took some bytes does not refuse the site's pages", async () => {
  const net = new Net({ bucket, put: times(9, { lost: true, progress: [10] }), there: (method) => method === "HEAD" });
  const { err } = await send(net);
  assert.ok(err instanceof TypeError);
});

const gate = () => {
  const g = {};
  g.until = new Promise((open) => {
    g.open = open;
  });
  return g;
};

test("three files are under way, the others wait for their turn", async () => {
  const { until, open } = gate();
  const net = new Net({ put: times(5, { until }) });
  const states = [];
  const start = (i, signal) => upload(file, { signal, onstate: (state) => (states[i] = state) });
  const cancel = [0, 1, 2, 3, 4].map(() => new AbortController());
  const all = cancel.map(({ signal }, i) => start(i, signal));
  await quiet();
  assert.deepEqual(states, ["uploading", "uploading", "uploading", "waiting", "waiting"]);
  cancel[4].abort(); // waits
  cancel[0].abort(); // is under way
  await assert.rejects(all[4], { name: "AbortError" });
  await assert.rejects(all[0], { name: "AbortError" });
  await quiet();
  assert.deepEqual(states.slice(1, 4), ["uploading", "uploading", "uploading"]);
  assert.equal(net.counts.begin, 4);
  open();
  await net.run(Promise.all(all.slice(1, 4)));
});

test("every turn is given back", async () => {
  const { until, open } = gate();
  const net = new Net({ put: times(3, { until }) });
  const states = [];
  const all = [0, 1, 2].map((i) => upload(file, { onstate: (state) => (states[i] = state) }));
  await quiet();
  assert.deepEqual(states, ["uploading", "uploading", "uploading"]);
  open();
  await net.run(Promise.all(all));
});

test("a file that is given up reserves nothing", async () => {
  const { until, open } = gate();
  const net = new Net({ put: [{ until }] });
  const stop = new AbortController();
  const going = upload(file, { signal: stop.signal });
  await quiet();
  stop.abort();
  const err = await going.catch((err) => err);
  await err.released;
  open();
  assert.equal(err.name, "AbortError");
  assert.deepEqual(net.asked("/dashboard/uploads/cancel"), [{ path: "path/1" }]);
});

test("a file that is given up while it is announced reserves nothing either", async () => {
  const net = new Net();
  const stop = new AbortController();
  const going = upload(file, { signal: stop.signal, onstate: (state) => state === "uploading" && stop.abort() });
  const err = await going.catch((err) => err);
  await err.released;
  assert.equal(err.name, "AbortError");
  assert.deepEqual(net.asked("/dashboard/uploads/cancel"), [{ path: "path/1" }]);
  assert.equal(net.puts.length, 0);
});

test("a file that is given up does not wait to be tried again", async () => {
  const cancel = new AbortController();
  const net = new Net({ begin: times(20, lost) });
  const going = upload(file, { signal: cancel.signal });
  await quiet();
  cancel.abort();
  await assert.rejects(going, { name: "AbortError" });
  await assert.rejects(upload(file, { signal: cancel.signal }), { name: "AbortError" });
  assert.equal(net.counts.begin, 1);
});

test("keys are UUIDs, also without TLS", () => {
  const { crypto } = globalThis;
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  assert.match(newKey(), uuid);
  const without = { getRandomValues: (a) => crypto.getRandomValues(a) };
  Object.defineProperty(globalThis, "crypto", { value: without, configurable: true, writable: true });
  try {
    assert.match(newKey(), uuid);
    assert.notEqual(newKey(), newKey());
  } finally {
    Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true, writable: true });
  }
});
