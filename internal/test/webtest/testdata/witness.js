// Records by the page's own clock how it was read, and adds the record to each
// beacon: at is the time of the record, seen is how long the page was visible
// since its tracker began, and lost is how much of that the tracker cannot have
// counted because the browser ran it late. Times are taken when the tracker
// reads the clock.
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

  // account runs after the tracker has read the clock. A tick of the tracker
  // counts at most 1.5 s.
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
      seen = latest - first; // the tracker counts from its first look, the server from the response
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
