// Runs first in a user's HTML. It reports to the page around how far the HTML
// was scrolled, and that the reader is active.
(() => {
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
  const active = () => {
    const now = performance.now();
    if (now - last < 1000) return;
    last = now;
    tell({ active: true });
  };
  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    if (data?.vitrine === "again" && deepest) tell({ depth: deepest });
    if (data?.vitrine === "print") print();
  });
  const quiet = { capture: true, passive: true };
  for (const type of ["pointermove", "pointerdown", "keydown", "wheel", "touchmove", "scroll"])
    addEventListener(type, active, quiet);
  // Content that a page builds itself counts, once the page has had a second to
  // build it.
  addEventListener("DOMContentLoaded", () => {
    setTimeout(() => {
      depth();
      addEventListener("scroll", depth, quiet);
      addEventListener("resize", depth, quiet);
    }, 1000);
  });
})();
