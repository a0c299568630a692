// Starts the slowest work first. This module imports nothing, and runs before
// the viewer is loaded. It starts the library and its worker, and requests both
// ends of the file, which a reader of PDF needs first.
const { library: directory, size: bytes, file: name } = document.documentElement.dataset;
export const at = (part) => new URL(directory + part, location.href).href;
const address = new URL(name, location.href).href;
const size = Number(bytes);

// worker resolves to the worker of the library, or to undefined if it does not
// start: pdf.js then works on the main thread. A document of an opaque origin
// cannot start a worker from an address, only from a blob of its own, and in
// Chromium only a classic one. So the text of the worker, which the page loads
// early, is changed from a module to a classic script. Nothing imports it, and
// the library passes the addresses of its parts. The worker sends "ready" once
// it listens.
export const worker = (async () => {
  const answer = await fetch(at("pdf.worker.min.mjs"));
  if (!answer.ok) return;
  const text = (await answer.text()).replace(/\bexport\s*\{[^}]*\}/, "").replaceAll("import.meta.url", '""');
  const started = new Worker(URL.createObjectURL(new Blob(['"use strict";', text], { type: "text/javascript" })));
  return new Promise((resolve) => {
    started.onmessage = () => resolve(started);
    started.onerror = () => resolve();
    setTimeout(resolve, 15_000);
  });
})().catch(() => {});

const large = 4 << 20; // bytes; of a larger file, only the parts in view are read
const small = 256 << 10; // bytes; of a larger file, the middle waits for the library
const chunk = 64 << 10; // bytes that the library requests at once
const head = 2 * chunk; // bytes; as many arrive while the library loads

let fail;
// trouble rejects when the bytes of the file stop arriving.
export const trouble = new Promise((_, reject) => (fail = reject));
trouble.catch(() => {});

// ask requests bytes of the file, and retries after a network error. It does
// not use the browser's cache, where one request for a file waits for another.
async function ask(headers, attempt = 0) {
  let status;
  try {
    const answer = await fetch(address, { headers, cache: "no-store" });
    if (answer.ok) return answer;
    status = answer.status;
  } catch {
    status = 503;
  }
  if (status < 500 || attempt === 3) throw Object.assign(new Error(`status ${status}`), { status });
  await new Promise((done) => setTimeout(done, 300 * 4 ** attempt));
  return ask(headers, attempt + 1);
}

async function part(begin, end) {
  const answer = await ask({ Range: `bytes=${begin}-${end - 1}` });
  const all = new Uint8Array(await answer.arrayBuffer());
  if (answer.status === 206) return all;
  // A proxy on the way does not support ranges: this was the whole file.
  kept.unshift({ begin: 0, end: size, data: Promise.resolve(all) });
  return all.slice(begin, end);
}

const kept = []; // ranges that have arrived or are on their way
function keep(begin, end) {
  if (begin >= end) return;
  const data = part(begin, end);
  data.catch(fail);
  kept.push({ begin, end, data });
}

async function read(begin, end) {
  const k = kept.find((k) => k.begin <= begin && begin < k.end);
  if (!k) return part(begin, end);
  const rest = end > k.end && read(k.end, end);
  const first = (await k.data).slice(begin - k.begin, end - k.begin);
  if (!rest) return first;
  const both = new Uint8Array(end - begin);
  both.set(first);
  both.set(await rest, first.length);
  return both;
}

// The tables at the end of a file are in its last chunk or, if that is short,
// in the one before.
const end = Math.max(0, Math.floor((size - chunk / 2) / chunk) * chunk);
if (size > small) keep(0, head);
if (end) keep(end, size);
const whole = size > small ? undefined : ask();
whole?.catch(fail);

// stream passes the bytes of the file on, in order.
async function stream(pass) {
  let known = 0; // bytes that were passed on, and come again
  if (!whole) {
    pass(await read(0, head));
    known = head;
  }
  const answer = await (whole || ask({ Range: `bytes=${head}-` }));
  if (answer.status === 206) known = 0;
  const reader = answer.body.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    if (value.length > known) pass(value.slice(known));
    known = Math.max(0, known - value.length);
  }
}

// source returns the file as the library needs it: in ranges and, if it is
// small, also as a stream.
export function source(pdfjs) {
  const range = new pdfjs.PDFDataRangeTransport(size, null);
  range.requestDataRange = (begin, end) => read(begin, end).then((data) => range.onDataRange(begin, data), fail);
  const streams = size <= large;
  if (streams) {
    stream((bytes) => range.onDataProgressiveRead(bytes)).then(
      () => range.onDataProgressiveDone(),
      (e) => fail(Object.assign(e, { status: e.status || 503 })),
    );
  }
  return { range, rangeChunkSize: chunk, disableStream: !streams, disableAutoFetch: true };
}

export const library = import(at("pdf.min.mjs"));
// While the library starts, the connection is free for more of the file.
library.then(
  () => size > large && keep(head, 2 * head),
  () => {},
);
