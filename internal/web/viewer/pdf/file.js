// What takes longest is begun first: this module imports nothing, and is run before the viewer is there. It starts the library and its
// worker, and asks for the two ends of the file, where a reader of PDF begins.
const { library: directory, size: bytes, file: name } = document.documentElement.dataset;
export const at = (part) => new URL(directory + part, location.href).href;
const address = new URL(name, location.href).href;
const size = Number(bytes);

// An opaque origin may not start a worker from an address, only from a blob of its own, and in Chromium only one that is no module. So the
// worker's text, which is on its way since the page began, is made no module: nobody imports it, and the library is told by itself where
// its parts are. It says "ready" once it listens; where that fails there is none, and pdf.js does the work on the main thread.
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

const large = 4 << 20; // bytes; a larger file is read only where it is looked at
const chunk = 64 << 10; // bytes; the library asks for these
const head = 2 * chunk; // as much as arrives while the library does

let fail;
export const trouble = new Promise((_, reject) => (fail = reject)); // fails when the bytes of the file do not come any more
trouble.catch(() => {});

// ask asks for bytes of the file, again if the network has a weak moment. A browser's store lets one request for a file wait for another,
// so it is left out.
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
  kept.unshift({ begin: 0, end: size, data: Promise.resolve(all) }); // somebody on the way knows no ranges: then that was it
  return all.slice(begin, end);
}

const kept = []; // what is there already, or on its way
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

// The end of a file, where its tables are, is in its last chunk, and where that is short in the one before.
const end = Math.max(0, Math.floor((size - chunk / 2) / chunk) * chunk);
if (size > large) {
  keep(0, head);
  keep(end, size);
} else if (end) keep(end, size);
const whole = size > large ? undefined : ask();
whole?.catch(fail);

// source is the file as the library wants it: in ranges, and a small one as it comes too.
export function source(pdfjs) {
  const range = new pdfjs.PDFDataRangeTransport(size, null);
  range.requestDataRange = (begin, end) => read(begin, end).then((data) => range.onDataRange(begin, data), fail);
  whole
    ?.then(async ({ body }) => {
      const reader = body.getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        range.onDataProgressiveRead(value);
      }
      range.onDataProgressiveDone();
    })
    .catch((e) => fail(Object.assign(e, { status: e.status || 503 })));
  return { range, rangeChunkSize: chunk, disableStream: !whole, disableAutoFetch: true };
}

export const library = import(at("pdf.min.mjs"));
library.then(
  () => size > large && keep(head, 2 * head),
  () => {},
); // while it is at work, the line is free
