// Shows the picture of the first page. This script is in the document, so that
// the picture waits for no request.
(() => {
  const density = 120; // pixels per inch of the picture, as internal/backend/preview makes it
  const { documentElement: root, body } = document;
  const pages = document.getElementById("pages");
  const first = document.getElementById("first");

  // fits returns the sizes of a page of that width and height. "width" fills
  // the window, "page" shows a whole page, "actual" is the size on paper.
  // "auto" is the width up to a size that is comfortable to read, and shows the
  // whole of a page that is wider than high.
  window.fits = (w, h) => {
    const style = getComputedStyle(pages);
    const room = root.clientWidth - parseFloat(getComputedStyle(body).paddingLeft);
    const width = (room - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)) / w;
    const page = Math.min(width, (innerHeight - 88) / h);
    return { width, page, actual: 1, auto: w > h ? Math.max(page, 0.5 * width) : Math.min(width, 1.25) };
  };

  // slides reports whether the pages are shown one at a time, as a document and
  // a window that are both wider than high ask for.
  window.slides = (w, h) => w > h && innerWidth > innerHeight;

  // quarters returns which quarters of a page are in view by at least half, or
  // else the one that fills most of the viewport, as bits from the top.
  window.quarters = ({ top, height }) => {
    const edge = (i) => Math.min(Math.max(top + (height * i) / 4, 0), innerHeight);
    const seen = [0, 1, 2, 3].map((i) => edge(i + 1) - edge(i));
    const least = Math.min(height / 8, Math.max(...seen));
    return seen.reduce((bits, pixels, i) => bits | ((pixels > 0 && pixels >= least - 1) << i), 0);
  };

  // early resolves to the page that has the picture, if one does.
  window.early = first?.decode().then(
    () => {
      const page = first.parentElement;
      if (!page?.isConnected) return; // the page was drawn before
      const w = (first.naturalWidth * 96) / density;
      const h = (first.naturalHeight * 96) / density;
      page.style.setProperty("--w", w);
      page.style.setProperty("--h", h);
      page.className = "page";
      // The page around may give the frame its size later.
      const place = () => {
        if (page.dataset.number) return; // fit of zoom.js has the place now
        root.classList.toggle("slides", slides(w, h));
        root.style.setProperty("--scale", fits(w, h).auto);
        const bands = [quarters(page.getBoundingClientRect())];
        parent.postMessage({ vitrine: { page: 1, shown: [1], bands } }, "*");
      };
      place();
      addEventListener("resize", place);
      return page;
    },
    () => first.parentElement?.remove(), // it was only an early picture
  );
})();
