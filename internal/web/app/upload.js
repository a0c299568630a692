// Uploads one file: announces it, sends its bytes to the signed address, or a
// large file in chunks (tus), and publishes it. This module depends on no page.
// It retries temporary failures. All tries have one idempotency key, so they
// make one link, and a large file continues where it was, also after a reload.

const atOnce = 3; // uploads at the same time; others wait for their turn
const tries = 7; // failures in a row, without a byte of progress, that end an upload
const triesClosed = 3; // the same, if a bucket refuses uploads from this page
const stalled = 60_000; // ms without progress after which a connection is closed
const answering = 180_000; // ms for the storage to answer once it has all bytes
const chunk = 8 << 20; // bytes; a larger file is sent in chunks of this size
const smallest = 64 << 10; // bytes; a chunk that a proxy refuses is halved down to this

// Refusal is the reason why a file was not accepted, in the server's words.
export class Refusal extends Error {
  constructor(body, status, retryAfter) {
    super(body.error || `The server answered ${status}.`);
    Object.assign(this, {
      code: body.code || "",
      field: body.field,
      limit: body.limit,
      used: body.used,
      held: body.held || 0,
      upgrade: Boolean(body.upgradeUrl),
      status,
      retryAfter,
    });
  }
}

// newKey returns an idempotency key. Pages without TLS have no randomUUID.
export const newKey = () => {
  if (crypto.randomUUID) return crypto.randomUUID();
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = (b[6] & 15) | 64;
  b[8] = (b[8] & 63) | 128;
  return [...b].map((x, i) => ([4, 6, 8, 10].includes(i) ? "-" : "") + x.toString(16).padStart(2, "0")).join("");
};

const aborted = () => new DOMException("The upload was cancelled.", "AbortError");

// cancelled returns a promise that rejects when the upload is cancelled.
const cancelled = (signal) =>
  new Promise((_, stop) => {
    if (signal?.aborted) stop(aborted());
    signal?.addEventListener("abort", () => stop(aborted()));
  });

// Uploads take turns. One that is cancelled while it waits leaves the queue.
let running = 0;
const line = [];
const turn = (signal) =>
  new Promise((go, stop) => {
    if (signal?.aborted) return stop(aborted());
    if (running < atOnce) {
      running++;
      return go();
    }
    const waits = { go };
    line.push(waits);
    signal?.addEventListener("abort", () => {
      const at = line.indexOf(waits);
      if (at >= 0) {
        line.splice(at, 1);
        stop(aborted());
      }
    });
  });
const done = () => {
  const next = line.shift();
  if (next) next.go();
  else running--;
};

// pause waits for a time, or until the browser is online again. It rejects when
// the upload is cancelled.
const pause = (ms, signal) =>
  new Promise((go, stop) => {
    const end = (f) => () => {
      clearTimeout(timer);
      removeEventListener("online", online);
      signal?.removeEventListener("abort", cancelled);
      f();
    };
    const online = end(go);
    const cancelled = end(() => stop(aborted()));
    const timer = setTimeout(online, ms);
    addEventListener("online", online);
    signal?.addEventListener("abort", cancelled);
  });

const parse = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};

// post sends a step to the server and returns its answer.
const post = async (address, body, signal) => {
  const answer = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    credentials: "same-origin",
    cache: "no-store",
    signal,
  });
  const said = parse(await answer.text());
  if (!answer.ok) throw new Refusal(said, answer.status, Number(answer.headers.get("Retry-After")) || 0);
  return said;
};

// release tells the server that an upload was cancelled, so that it reserves
// nothing any more. If the request fails, the reservation lasts another quarter
// of an hour.
const release = (cancel, path) => post(cancel, { path }, AbortSignal.timeout(10_000)).catch(() => {});

// refusedBy returns the Refusal for a failed PUT of the bytes. A bucket does
// not answer with our codes: 403 counts as an expired address, and errors of
// the bucket and timeouts may be retried.
const refusedBy = (x) => {
  const said = parse(x.responseText);
  // A bucket may not allow scripts to read this header by its name.
  const retryAfter = Number(/^retry-after: *(\d+)/im.exec(x.getAllResponseHeaders())?.[1]) || 0;
  if (said.code) return new Refusal(said, x.status, retryAfter);
  const why = /<Code>(\w+)<\/Code>/.exec(x.responseText)?.[1];
  const status = x.status === 500 || ["RequestTimeout", "IncompleteBody", "SlowDown"].includes(why) ? 503 : x.status;
  return new Refusal(
    {
      code: status === 403 ? "url_expired" : "",
      error: `The file storage refused the file (${why || x.status}). Try again. If it fails again, tell the administrator.`,
    },
    status,
    retryAfter,
  );
};

// mustBeThere throws if a file was changed or moved since it was chosen.
const mustBeThere = async (file) => {
  const end = await file
    .slice(-1)
    .arrayBuffer()
    .catch(() => null);
  if (end?.byteLength !== 1)
    throw new Refusal({
      code: "unreadable",
      error: "The file was changed or moved. Choose it again.",
    });
};

// answers reports whether a request gets an answer, with any status.
const answers = (address, signal, request) =>
  fetch(address, {
    credentials: "omit",
    cache: "no-store",
    signal: AbortSignal.any([AbortSignal.timeout(10_000), ...(signal ? [signal] : [])]),
    ...request,
  }).then(
    () => true,
    () => false,
  );
const isThere = (origin, signal) => answers(`${origin}/`, signal, { method: "HEAD", mode: "no-cors" });

// lostOn returns the error for bytes that did not arrive, because browsers do
// not give the reason. If the CORS rules of a bucket do not name the page's
// origin, the browser sends no byte. A PUT without a body shows whether this is
// so. The bucket refuses to store that, because its signature does not fit.
const lostOn = async (address, type, sent, signal) => {
  const { origin } = new URL(address, location.href);
  if (origin !== location.origin) {
    if (await isThere(origin, signal)) {
      if (!sent && !(await answers(address, signal, { method: "PUT", headers: { "Content-Type": type }, body: "" })))
        return new Refusal(
          {
            code: "storage_closed",
            error:
              "The file storage rejects uploads from this page. Ask the administrator to run “vitrine admin repair cors”.",
          },
          503,
        );
    } else if (await isThere(location.origin, signal))
      return new Refusal(
        {
          code: "storage_away",
          error: "The file storage does not respond. The file was not uploaded. Try again later.",
        },
        503,
      );
  }
  return lost();
};
const lost = () => new TypeError("The connection was lost.");

// arrived asks how many bytes of a file have arrived.
const arrived = async (address, signal) => {
  const answer = await fetch(address, {
    method: "HEAD",
    headers: { "Tus-Resumable": "1.0.0" },
    credentials: "omit",
    cache: "no-store",
    signal: AbortSignal.any([AbortSignal.timeout(stalled), ...(signal ? [signal] : [])]),
  }).catch(() => {
    throw signal?.aborted ? aborted() : lost();
  });
  // The answer has no body that names the error.
  if (!answer.ok)
    throw new Refusal(
      { code: { 404: "upload_not_found", 409: "url_used" }[answer.status] },
      answer.status,
      Number(answer.headers.get("Retry-After")) || 0,
    );
  return offsetOf(answer.headers.get("Upload-Offset"));
};
const offsetOf = (text) => {
  if (!/^\d+$/.test(text ?? "")) throw new Refusal({ error: "The server does not say how much has arrived." }, 500);
  return Number(text);
};

// tooLarge reports whether a proxy refused a body as too large.
const tooLarge = (err) => err instanceof Refusal && err.status === 413 && !err.code;

// put sends a file, or a part of one, which the browser reads from the disk as
// it sends. It resolves to the request.
const put = (address, file, headers, onprogress, signal, method = "PUT") =>
  new Promise((go, stop) => {
    const x = new XMLHttpRequest();
    let timer;
    let sent = 0;
    const watch = (ms) => {
      clearTimeout(timer);
      timer = setTimeout(() => x.abort(), ms);
    };
    const cancel = () => x.abort();
    const end = (f) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      f();
    };
    x.open(method, address);
    for (const [name, value] of Object.entries(headers)) x.setRequestHeader(name, value);
    x.upload.onprogress = (event) => {
      watch(event.loaded < file.size ? stalled : answering);
      sent = event.loaded;
      onprogress(sent);
    };
    x.onload = () => end(() => (x.status < 300 ? go(x) : stop(refusedBy(x))));
    x.onerror = () =>
      end(async () => {
        const why = await lostOn(address, headers["Content-Type"], sent, signal).catch(lost);
        stop(signal?.aborted ? aborted() : why);
      });
    x.onabort = () => end(() => stop(signal?.aborted ? aborted() : lost()));
    signal?.addEventListener("abort", cancel);
    watch(stalled);
    x.send(file);
  });

// passing reports whether a failure may be temporary.
const passing = (err) =>
  err instanceof Refusal
    ? [502, 503, 504].includes(err.status) || ["upload_in_progress", "offset_mismatch"].includes(err.code)
    : err instanceof TypeError;

// upload takes a file through the three steps and resolves to the server's last
// answer, the link. It rejects with a Refusal, with a TypeError if the
// connection stays lost, or with an AbortError, whose "released" resolves once
// the server knows that the upload was cancelled.
//   begin, complete, cancel: addresses of the first step, of the last step,
//     and for ending an upload.
//   key: the idempotency key. The same key never makes a second link.
//   options: more fields of both steps, or a function that returns them when a
//     step begins. Its slug is read once.
//   onstate: called with "waiting", "uploading", "checking", or "retrying" and
//     {seconds, cause}.
//   onprogress: called with the number of bytes sent, and of all bytes.
export async function upload(
  file,
  {
    name = file.name,
    type = file.type || "application/octet-stream",
    key = newKey(),
    begin = "/dashboard/uploads",
    complete = "/dashboard/uploads/complete",
    cancel = "/dashboard/uploads/cancel",
    options = {},
    onstate = () => {},
    onprogress = () => {},
    signal,
  } = {},
) {
  onstate("waiting");
  await turn(signal);
  const chosen = () => (typeof options === "function" ? options() : options);
  let asked; // the answer to the latest first step, also awaited after the upload is cancelled
  try {
    const { slug } = chosen();
    const common = () => ({ ...chosen(), slug, name, type, idempotencyKey: key });
    let failed = 0;
    let farthest = 0;
    // again repeats a step until it succeeds or fails for good.
    const again = async (state, step) => {
      for (;;) {
        onstate(state);
        try {
          return await step();
        } catch (err) {
          if (signal?.aborted) throw aborted();
          if (!passing(err) || ++failed >= (err.code === "storage_closed" ? triesClosed : tries)) throw err;
          const seconds = Math.max(err.retryAfter || 0, Math.min(2 ** (failed - 1), 30)) + Math.random();
          onstate("retrying", { seconds: Math.ceil(seconds), cause: err });
          await pause(seconds * 1000, signal);
        }
      }
    };
    const announce = () =>
      again("uploading", () => {
        asked = post(begin, { ...common(), size: file.size });
        return Promise.race([asked, cancelled(signal)]);
      });
    const moved = (sent) => {
      if (sent > farthest) failed = 0;
      farthest = Math.max(farthest, sent);
      onprogress(sent, file.size);
    };
    const whole = (begun) => put(begun.signedUrl, file, { "Content-Type": type }, moved, signal);
    let size = chunk;
    let way; // chunks or whole, once it is chosen
    // choose returns how to send a file. A bucket gets a large file at once,
    // and in chunks through the server after a lost connection.
    const choose = async ({ signedUrl, resumableUrl }) => {
      if (!resumableUrl || file.size <= chunk) return whole;
      const [direct, here] = [signedUrl, resumableUrl].map((address) => new URL(address, location.href).origin);
      return direct === here || (await arrived(resumableUrl, signal)) > 0 ? chunks : whole;
    };
    // chunks sends the chunks that have not arrived.
    const chunks = async ({ resumableUrl: address }) => {
      let at = await arrived(address, signal);
      onprogress(at, file.size);
      while (at < file.size) {
        const from = at;
        const headers = {
          "Content-Type": "application/offset+octet-stream",
          "Tus-Resumable": "1.0.0",
          "Upload-Offset": String(from),
        };
        const part = file.slice(from, from + size);
        const x = await put(address, part, headers, (sent) => moved(from + sent), signal, "PATCH");
        at = offsetOf(x.getResponseHeader("Upload-Offset"));
      }
    };
    const send = (begun) =>
      again("uploading", async () => {
        for (;;) {
          await mustBeThere(file);
          if (signal?.aborted) throw aborted();
          try {
            way ??= await choose(begun);
            return await way(begun);
          } catch (err) {
            if (err.code === "url_used") return; // the upload is complete: step 3 answers with its link
            const lostAll = way === whole && err instanceof TypeError && farthest > 0 && file.size > chunk;
            if (lostAll && begun.resumableUrl) way = chunks;
            if (!tooLarge(err) || !begun.resumableUrl || size <= smallest || file.size <= smallest) throw err;
            way = chunks;
            size = Math.max(Math.min(size, file.size) >> 1, smallest); // for a proxy
          }
        }
      });
    let begun;
    try {
      begun = await announce();
    } catch (err) {
      // The browser and the server disagree about the type. Without a type, the
      // bytes decide.
      if (err.code !== "type_mismatch" || type === "application/octet-stream") throw err;
      type = "application/octet-stream";
      begun = await announce();
    }
    for (let round = 0; ; round++) {
      if (begun.existing) return begun.existing;
      try {
        await send(begun);
        failed = 0;
        return await again("checking", () => post(complete, { ...common(), path: begun.path }, signal));
      } catch (err) {
        // The signed address has expired, or the bytes were not kept. Start
        // again with the same key.
        if (!["url_expired", "upload_incomplete", "upload_not_found"].includes(err.code) || round >= 3) throw err;
        farthest = 0;
        begun = await announce();
      }
    }
  } catch (err) {
    if (err.name === "AbortError")
      err.released = asked?.then(
        ({ path }) => path && release(cancel, path),
        () => {},
      );
    throw err;
  } finally {
    done();
  }
}
