// What a page's own clock says of how it was read, told with each beacon: at is
// when that was; seen is how long it was visible since its tracker began; lost is how much of that the tracker cannot have counted,
// because the browser ran it late. Times are taken when the tracker looks at
// the clock.
(() => {
  const { fetch, setInterval } = window;
  const now = performance.now.bind(performance), sendBeacon = navigator.sendBeacon.bind(navigator);
  const framed = window !== parent;
  let first, latest, from, mark, seen = 0, lost = 0, told = false, inView = !framed;
  performance.now = () => {
    latest = now();
    first ??= latest;
    return latest;
  };

  // account runs after the tracker has looked. A tick of the tracker counts 1.5 s at most.
  function account() {
    if (!told) return;
    if (from !== undefined) {
      seen += latest - from;
      lost += Math.max(0, latest - mark - 1500);
    }
    from = inView && document.visibilityState === "visible" ? latest : undefined;
    mark = latest;
  }
  function body(text) {
    if (!told && inView) {
      seen = latest - first; // the tracker counts from its first look at the page on, the server from the answer
      lost = latest - performance.getEntriesByType("navigation")[0].responseStart;
      from = mark = latest;
    }
    told = true;
    account();
    return JSON.stringify({ ...JSON.parse(text), at: performance.timeOrigin + latest, seen, lost });
  }

  window.setInterval = (f, ms) => setInterval(() => (f(), account()), ms);
  window.fetch = (url, options) => fetch(url, options?.keepalive ? { ...options, body: body(options.body) } : options);
  navigator.sendBeacon = (url, text) => sendBeacon(url, body(text));
  addEventListener("visibilitychange", account);
  if (framed) {
    addEventListener("DOMContentLoaded", () => {
      new IntersectionObserver((all) => {
        inView = all.at(-1).isIntersecting;
        account();
      }).observe(document.body);
    });
  }
})();
