// One file's way into storage: it is announced, its bytes are sent straight to where the signed address leads, and it is put on display. Knows nothing of
// any page. What fails for a while is tried again; whatever is tried again makes one link, for all tries have one idempotency key.

const atOnce = 3; // files under way; the others wait for their turn
const tries = 7; // of one step in a row, without a byte of progress in between
const triesClosed = 3; // of them at a bucket that refuses this site's pages
const stalled = 60_000; // ms without progress after which a connection is given up
const answering = 180_000; // ms that storage may take to answer when it has all bytes

// Refusal is why a file was not taken, in the words of the server.
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

// newKey makes an idempotency key; where a page came without TLS, randomUUID is not there.
export const newKey = () => {
  if (crypto.randomUUID) return crypto.randomUUID();
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = (b[6] & 15) | 64;
  b[8] = (b[8] & 63) | 128;
  return [...b].map((x, i) => ([4, 6, 8, 10].includes(i) ? "-" : "") + x.toString(16).padStart(2, "0")).join("");
};

const aborted = () => new DOMException("The upload was cancelled.", "AbortError");

// cancelled rejects when a file is given up.
const cancelled = (signal) =>
  new Promise((_, stop) => {
    if (signal?.aborted) stop(aborted());
    signal?.addEventListener("abort", () => stop(aborted()));
  });

// Turns: a file that is given up while it waits leaves the line.
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

// pause waits, less long when the connection comes back.
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

// release tells the server that an upload is given up, so that it reserves nothing any more. Without an answer it does so a quarter of an hour longer.
const release = (cancel, path) => post(cancel, { path }, AbortSignal.timeout(10_000)).catch(() => {});

// A bucket, to which bytes may go straight, has no words of ours. refusedBy reads an answer to the bytes: an address that it does not take is as good as
// expired, and what it fails at, or did not get in time, may be tried again.
const refusedBy = (x) => {
  const said = parse(x.responseText);
  const retryAfter = Number(/^retry-after: *(\d+)/im.exec(x.getAllResponseHeaders())?.[1]) || 0; // of a bucket it may not be asked by name
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

// mustBeThere fails when a file is not what was chosen any more.
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

// answers tells whether a request is answered, whatever the answer is.
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

// lostOn is why bytes did not get through, which a browser tells nobody. A bucket whose rules (CORS) do not name the site's pages is not sent a byte by the
// browser; whether that is so, a PUT without a body shows, which the signature lets nobody take.
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

// put sends the bytes. The browser reads them from the disk as they go.
const put = (address, file, type, onprogress, signal) =>
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
    x.open("PUT", address);
    x.setRequestHeader("Content-Type", type);
    x.upload.onprogress = (event) => {
      watch(event.loaded < file.size ? stalled : answering);
      sent = event.loaded;
      onprogress(sent);
    };
    x.onload = () => end(() => (x.status < 300 ? go() : stop(refusedBy(x))));
    x.onerror = () =>
      end(async () => {
        const why = await lostOn(address, type, sent, signal).catch(lost);
        stop(signal?.aborted ? aborted() : why);
      });
    x.onabort = () => end(() => stop(signal?.aborted ? aborted() : lost()));
    signal?.addEventListener("abort", cancel);
    watch(stalled);
    x.send(file);
  });

// passing tells whether a failure may not be there a moment later.
const passing = (err) =>
  err instanceof Refusal
    ? [502, 503, 504].includes(err.status) || err.code === "upload_in_progress"
    : err instanceof TypeError;

// upload takes a file through the three steps and resolves to the server's last answer, the link. It rejects with a Refusal, with a TypeError when the
// connection stays lost, or with an AbortError, whose "released" resolves once the server knows that the upload is given up.
//   begin, complete, cancel: addresses that take the first and the last step, and that end an upload.
//   key: the idempotency key; the same one again never makes a second link.
//   options: what else both steps say, or a function that tells it then; its slug is asked once.
//   onstate: is called with "waiting", "uploading", "checking", or "retrying" and {seconds, cause}.
//   onprogress: is called with how many bytes have gone, and of how many.
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
  let asked; // the answer to the newest first step; it is waited for also when the upload is given up meanwhile
  try {
    const { slug } = chosen();
    const common = () => ({ ...chosen(), slug, name, type, idempotencyKey: key });
    let failed = 0;
    let farthest = 0;
    // again does a step until it succeeds or fails for good.
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
    const send = (begun) =>
      again("uploading", async () => {
        await mustBeThere(file);
        if (signal?.aborted) throw aborted();
        try {
          await put(
            begun.signedUrl,
            file,
            type,
            (sent) => {
              if (sent > farthest) failed = 0;
              farthest = Math.max(farthest, sent);
              onprogress(sent, file.size);
            },
            signal,
          );
        } catch (err) {
          if (err.code !== "url_used") throw err; // the upload has ended; step 3 answers its link
        }
      });
    let begun;
    try {
      begun = await announce();
    } catch (err) {
      // The system's idea of what the file is differs from the server's table: its bytes decide.
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
        // A signed address that has expired meanwhile, or bytes that were not kept: once more from the beginning, with the same key.
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
