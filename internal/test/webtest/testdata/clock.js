// A clock that only a test advances: performance.now, dates and timers, in a
// page and in the frames within it. A timeout of 0 takes no time and stays the
// browser's own.
(() => {
  const begin = 1000; // a whole number, so that sums of times are exact
  const { setTimeout, clearTimeout, clearInterval, Date, fetch } = window;
  const day = Date.now() - begin;
  const timers = new Map(); // in the order in which they were set
  const waiting = []; // for frames that advance their clocks
  const asked = new Set(); // requests to the server without an answer yet
  let now = begin, next = 1e9;

  performance.now = () => now;
  Object.defineProperty(PerformanceResourceTiming.prototype, "responseStart", { get: () => begin });
  window.Date = class extends Date {
    constructor(...parts) {
      super(...(parts.length ? parts : [day + now]));
    }
    static now = () => day + now;
  };

  const set = (f, ms, every) => (timers.set(next, { f, at: now + ms, every }), next++);
  const clear = (own) => (id) => timers.delete(id) || own(id);
  window.setTimeout = (f, ms, ...args) => (ms > 0 ? set(() => f(...args), ms) : setTimeout(f, 0, ...args));
  window.setInterval = (f, ms, ...args) => set(() => f(...args), ms, ms);
  window.clearTimeout = clear(clearTimeout);
  window.clearInterval = clear(clearInterval);

  window.fetch = (...request) => {
    const answer = fetch(...request), done = () => asked.delete(answer);
    asked.add(answer);
    answer.then(done, done);
    return answer;
  };

  // advance runs timers when they become due, in order. An overdue interval
  // runs once.
  function advance(ms) {
    const until = now + ms;
    for (;;) {
      let id, due;
      for (const [i, t] of timers) if (t.at <= until && !(due?.at <= t.at)) [id, due] = [i, t];
      if (!due) break;
      now = Math.max(now, due.at);
      if (due.every) due.at = now + due.every;
      else timers.delete(id);
      due.f();
    }
    now = until;
  }

  // tick advances the clock, and then those of the frames. Once it is done, the
  // server has answered, and messages of the frames have arrived: messages of a
  // frame come in order.
  async function tick(ms) {
    advance(ms);
    await Promise.allSettled(asked);
    for (const frame of document.querySelectorAll("iframe")) {
      const { contentWindow } = frame;
      await new Promise((done) => {
        waiting.push({ contentWindow, done });
        contentWindow.postMessage({ tick: ms }, "*");
      });
    }
  }
  addEventListener("message", async (e) => {
    const ms = e.data?.tick;
    if (typeof ms !== "number") return;
    e.stopImmediatePropagation();
    if (e.source !== parent) return waiting.splice(waiting.findIndex((w) => w.contentWindow === e.source), 1)[0].done();
    await tick(ms);
    parent.postMessage({ tick: ms }, "*");
  });

  // The clock does not advance while the browser keeps the page for going back.
  // pass is how much later the page comes back.
  window.clock = { tick, pass: 0 };
  const back = () => {
    if (document.visibilityState !== "visible") return;
    now += clock.pass;
    clock.pass = 0;
  };
  for (const type of ["resume", "visibilitychange", "pageshow"]) addEventListener(type, back, true);
})();
