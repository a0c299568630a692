import { webcrypto } from "node:crypto";
import { setImmediate as settled } from "node:timers/promises";

// Globals of browsers that some versions of Node do not have.
globalThis.crypto ??= webcrypto;
globalThis.location = new URL("https://vitrine.example/dashboard");
AbortSignal.any ??= ([signal]) => signal;
AbortSignal.timeout = () => new AbortController().signal; // a fake answers at once or never
const listeners = new EventTarget();
globalThis.addEventListener = (...args) => listeners.addEventListener(...args);
globalThis.removeEventListener = (...args) => listeners.removeEventListener(...args);
export const online = () => listeners.dispatchEvent(new Event("online"));

// The clock advances only during run: when nothing else is left to do, run
// advances it to the next timer.
const timers = new Map();
let id = 0;
let now = 0;
globalThis.setTimeout = (f, ms) => timers.set(++id, { f, at: now + ms }) && id;
globalThis.clearTimeout = (timer) => timers.delete(timer);
Math.random = () => 0; // no jitter

const quiet = async () => {
  for (let i = 0; i < 5; i++) await settled();
};

// Net is a server and its storage. begin, put and complete are the answers to
// requests, in order. Requests after the last answer succeed. put are also
// those to chunks; kept is how many bytes of a chunk that fails have arrived.
// With chunks, storage takes them, and has so many bytes already.
export class Net {
  constructor({ begin = [], put = [], complete = [], head = [], bucket = "", there = () => true, chunks } = {}) {
    this.arrived = chunks;
    this.log = []; // the requests
    this.waits = []; // ms by which the clock advanced, for each timer
    const next = (step, list, good) => {
      const n = (this.counts[step] ?? 0) + 1;
      this.counts[step] = n;
      return list[n - 1] ?? good(n);
    };
    this.counts = {};
    const steps = {
      "/dashboard/uploads": () =>
        next("begin", begin, (n) => ({
          body: {
            signedUrl: `${bucket}/storage/${n}`,
            path: `path/${n}`,
            resumableUrl: chunks === undefined ? undefined : "/storage/chunks",
          },
        })),
      "/dashboard/uploads/complete": () => next("complete", complete, () => ({ body: { slug: "abc" } })),
      "/dashboard/uploads/cancel": () => next("cancel", [], () => ({ status: 204, body: "" })),
      "/storage/chunks": () => next("head", head, () => ({ headers: { "Upload-Offset": String(this.arrived) } })),
    };
    globalThis.fetch = async (address, { method, body }) => {
      const step = steps[address];
      this.log.push({ method, address, body: step && body ? JSON.parse(body) : body });
      if (!step) {
        if (there(method, address)) return {};
        throw new TypeError("no connection");
      }
      const { status = 200, body: said = {}, lost, headers = {} } = step();
      if (lost) throw new TypeError("no connection");
      return {
        ok: status < 300,
        status,
        headers: { get: (name) => headers[name] ?? null },
        text: async () => (typeof said === "string" ? said : JSON.stringify(said)),
      };
    };
    const log = this.log;
    const net = this;
    globalThis.XMLHttpRequest = class {
      upload = {};
      headers = {};
      open(method, address) {
        Object.assign(this, { method, address });
      }
      setRequestHeader(name, value) {
        this.headers[name] = value;
      }
      async send(file) {
        const at = this.headers["Upload-Offset"];
        log.push({
          method: this.method,
          address: this.address,
          type: this.headers["Content-Type"],
          file,
          ...(at && { at: Number(at) }),
        });
        const {
          status = 200,
          body = "",
          lost,
          progress = [file.size],
          headers = "",
          until,
          kept = status < 300 && !lost ? file.size : 0,
        } = next("put", put, () => ({}));
        await settled();
        for (const loaded of progress) if (!this.aborted) this.upload.onprogress({ loaded });
        await until;
        if (at) net.arrived = Number(at) + kept;
        this.getResponseHeader = () => String(net.arrived);
        if (this.aborted || lost === "silently") return;
        if (lost) return this.onerror();
        this.status = status;
        this.responseText = typeof body === "string" ? body : JSON.stringify(body);
        this.getAllResponseHeaders = () => headers;
        this.onload();
      }
      abort() {
        this.aborted = true;
        this.onabort();
      }
    };
  }

  // run waits for a promise while it advances the clock.
  async run(promise) {
    let open = true;
    const end = () => {
      open = false;
    };
    promise.then(end, end);
    for (;;) {
      for (let seen = -1; seen !== this.log.length; ) {
        seen = this.log.length;
        await quiet();
      }
      if (!open) return promise;
      const due = [...timers].sort(([, a], [, b]) => a.at - b.at)[0];
      if (!due) throw new Error(`nothing is left to wait for after ${JSON.stringify(this.log)}`);
      timers.delete(due[0]);
      this.waits.push(due[1].at - now);
      now = due[1].at;
      due[1].f();
    }
  }

  // asked returns the bodies of requests to an address.
  asked(address) {
    return this.log.filter((r) => r.address === address).map((r) => r.body);
  }

  get puts() {
    return this.log.filter((r) => r.file);
  }
}

export { quiet };
