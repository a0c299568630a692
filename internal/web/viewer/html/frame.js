// Runs first in a user's HTML. It reports to the page around how far the HTML
// was scrolled, where its parts are, which links were clicked, and that the
// reader is active.
(() => {
  const { parts, marked } = document.currentScript?.dataset || {};
  const count = Number(parts) || 0;
  const tell = (vitrine) => parent.postMessage({ vitrine }, "*");
  let deepest = 0;
  let last = -1000;
  const depth = () => {
    const e = document.scrollingElement || document.documentElement;
    const percent = e && Math.min(100, Math.round(((scrollY + innerHeight) / e.scrollHeight) * 100));
    if (!(percent > deepest)) return;
    deepest = percent;
    tell({ depth: deepest });
  };
  // places reports where the parts are, in pixels of the viewport: the top of
  // each, and the bottom of the last. A heading that is not shown begins no
  // part. If scripts of the page removed all of them, nothing is reported.
  const places = () => {
    const e = document.scrollingElement || document.documentElement;
    if (!count || !e) return;
    const edges = Array.from({ length: count + 1 }, (_, i) => (e.scrollHeight * i) / count - scrollY);
    if (marked !== undefined) {
      const tops = {};
      for (const m of document.querySelectorAll("[data-vitrine-part]"))
        if (m.getClientRects().length) tops[m.dataset.vitrinePart] ??= m.getBoundingClientRect().top;
      if (!Object.keys(tops).length) return;
      for (let i = count - 1; i > 0; i--) edges[i] = tops[i + 1] ?? edges[i + 1];
    }
    tell({ edges, height: innerHeight });
  };
  const clicked = (e) => {
    const a = e.button < 2 && e.composedPath().find((n) => n.matches?.("a[href], area[href]"));
    if (a) tell({ click: a.getAttribute("href"), y: a.getBoundingClientRect().top });
  };
  const active = () => {
    const now = performance.now();
    if (now - last < 1000) return;
    last = now;
    tell({ active: true });
  };
  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    if (data?.vitrine === "again") {
      if (deepest) tell({ depth: deepest });
      places();
    }
    if (data?.vitrine === "print") print();
  });
  const quiet = { capture: true, passive: true };
  for (const type of ["pointermove", "pointerdown", "keydown", "wheel", "touchmove", "scroll"])
    addEventListener(type, active, quiet);
  for (const type of ["click", "auxclick"]) addEventListener(type, clicked, quiet);
  // Content that a page builds itself counts, once the page has had a second to
  // build it.
  addEventListener("DOMContentLoaded", () => {
    const follow = (moved) => {
      moved();
      addEventListener("scroll", moved, quiet);
      addEventListener("resize", moved, quiet);
    };
    follow(places);
    setInterval(places, 1000); // pictures that arrive move the parts
    setTimeout(() => follow(depth), 1000);
  });
})();
