import { readFileSync } from "node:fs";
import vm from "node:vm";

const tracker = readFileSync(new URL("../../public/tracker.js", import.meta.url), "utf8");

const target = () => {
  const listeners = new Map();
  return {
    addEventListener: (type, f) => listeners.set(type, [...(listeners.get(type) ?? []), f]),
    fire: (type, event = {}) => {
      for (const f of listeners.get(type) ?? []) f(event);
    },
  };
};

// FakePage is a page with its tracker, on a clock that only pass and sleep
// advance. sent collects the beacons.
export class FakePage {
  // media, item (the element with data-depth) and frame are elements of the
  // page. framed means that the page is itself in a frame.
  constructor({ kind = "scroll", framed = false, hidden = false, focus = true, media, item, frame, webdriver } = {}) {
    this.now = 0;
    this.focus = focus;
    this.sent = [];
    this.status = 204; // status of answers to beacons; 0 means that there is no network
    this.beacons = true; // whether sendBeacon accepts anything
    this.window = target();
    this.media = media && Object.assign(media, target());
    this.frame = frame && { dataset: frame.dataset ?? {}, contentWindow: { postMessage: () => {} } };
    this.download = target();
    if (item) Object.assign(item, target(), { dataset: item.dataset ?? {} });
    const after = [];
    const w = this.window;
    const take = (way) => (address, body) => {
      this.sent.push({ at: this.now, way, address, ...JSON.parse(body) });
      this.size = body.length;
    };
    const elements = { iframe: this.frame, "video, audio": this.media, "[data-depth]": item };
    this.document = {
      ...target(),
      body: { dataset: { kind, beacon: "/p/x/beacon?v=t" } },
      visibilityState: hidden ? "hidden" : "visible",
      hasFocus: () => this.focus,
      querySelector: (selector) => elements[selector] ?? null,
      querySelectorAll: () => [this.download],
    };
    Object.assign(w, {
      document: this.document,
      URL,
      performance: { now: () => this.now, getEntriesByType: () => [{ responseStart: 0 }] },
      innerHeight: 800,
      innerWidth: 1280,
      navigator: {
        webdriver,
        sendBeacon: (address, body) => {
          if (this.beacons) take("beacon")(address, body);
          return this.beacons;
        },
      },
      fetch: async (address, { body }) => {
        take("fetch")(address, body);
        if (!this.status) throw new TypeError("no network");
        return { status: this.status };
      },
      IntersectionObserver: class {
        constructor(seen) {
          w.inView = (isIntersecting) => seen([{ isIntersecting }]);
        }
        observe() {}
      },
      requestAnimationFrame: (f) => after.push(f),
      setTimeout: (f) => after.push(f),
      setInterval: (f, ms) => Object.assign(this, { second: f, interval: ms, due: ms }),
    });
    w.window = w;
    w.parent = framed ? {} : w;
    vm.runInNewContext(`"use strict";${tracker}`, w);
    while (after.length) after.shift()(); // the first paint
  }

  // pass advances the clock and calls the tracker once a second, as a browser
  // does.
  pass(seconds) {
    const end = this.now + seconds * 1000;
    for (; this.due <= end; this.due += this.interval) {
      this.now = this.due;
      this.second();
    }
    this.now = end;
  }

  // sleep advances the clock while nothing runs.
  sleep(seconds) {
    this.now += seconds * 1000;
    this.due = this.now + this.interval;
  }

  input() {
    this.window.fire("pointermove");
  }

  show(visible) {
    this.document.visibilityState = visible ? "visible" : "hidden";
    this.document.fire("visibilitychange");
  }

  // tells posts a message from the content frame or from another window.
  tells(vitrine, source = this.frame.contentWindow) {
    this.window.fire("message", { source, data: { vitrine } });
  }

  leave() {
    this.window.fire("pagehide");
    return this.last;
  }

  get last() {
    return this.sent.at(-1);
  }

  // times returns the seconds at which beacons were sent.
  get times() {
    return this.sent.map(({ at }) => at / 1000);
  }
}
