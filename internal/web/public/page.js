// What a page does beyond its HTML, whatever it shows: it says so when content cannot be shown, and hands the keys to a viewer.
const find = (selector) => document.querySelector(selector);
const cannot = find("#cannot");
const media = find(".stage img, .stage video, .stage audio");
const frame = find("iframe");

const instead = (element, message) => {
  if (message) cannot.querySelector(".notice").textContent = message;
  element.hidden = true;
  cannot.hidden = false;
};
if (media && cannot) {
  const failed = () => instead(media);
  // Of some videos a browser can play the sound alone.
  const blind = () => {
    if (media.readyState === 0 || media.videoWidth !== 0) return;
    media.pause();
    failed();
  };
  if (media.error || (media.complete && !media.naturalWidth)) failed();
  media.addEventListener("error", failed);
  media.addEventListener("loadedmetadata", blind);
  blind();
}

// The PDF viewer says when it is ready, which is when keys may go to it, or why it cannot show the document. In a page of another site
// the focus is not ours to take.
if (frame && cannot) {
  addEventListener("message", ({ source, data }) => {
    const m = data?.vitrine;
    if (source !== frame.contentWindow || !m) return;
    if (m.ready && document.activeElement === document.body && !("embed" in document.body.dataset)) frame.focus();
    if (m.failed) instead(frame, String(m.failed).slice(0, 200));
  });
  frame.contentWindow.postMessage({ vitrine: "again" }, "*");
}

// Full screen shows the content without the label. A viewer of pages then shows one at a time.
const stage = find(".stage");
const full = find("#full");
if (full && document.fullscreenEnabled) {
  full.hidden = false;
  full.addEventListener("click", () => stage.requestFullscreen().catch(() => {}));
  stage.addEventListener("fullscreenchange", () => {
    const on = document.fullscreenElement === stage;
    frame?.contentWindow.postMessage({ vitrine: { full: on } }, "*");
    if (on) frame?.focus();
    else full.focus();
  });
}

// A frame prints its document itself; this page prints what it holds.
const print = find("#print");
if (print) {
  print.hidden = false;
  print.addEventListener("click", () =>
    frame ? frame.contentWindow.postMessage({ vitrine: "print" }, "*") : window.print(),
  );
}
