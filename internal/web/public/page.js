// The script of every public page. It shows a message if content cannot be
// shown, and connects the page with its viewer.
const find = (selector) => document.querySelector(selector);
const cannot = find("#cannot");
const media = find(".stage img:not(.cover), .stage video, .stage audio");
const frame = find("iframe");
const stage = find(".stage");
const full = find("#full");

const instead = (element, message) => {
  if (message) cannot.querySelector(".notice").textContent = message;
  element.hidden = true;
  cannot.hidden = false;
};
if (media && cannot) {
  const failed = () => instead(media);
  // blind shows the message for a video if the browser can play only its sound.
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

// The PDF viewer reports when it is ready for keys, or why it cannot show the
// document. An embedded page does not take the focus from the site around it.
if (frame && cannot) {
  addEventListener("message", ({ source, data }) => {
    const m = data?.vitrine;
    if (source !== frame.contentWindow || !m) return;
    if (m.ready && document.activeElement === document.body && !("embed" in document.body.dataset)) frame.focus();
    if (m.failed) instead(frame, String(m.failed).slice(0, 200));
    if (m.full) fill();
  });
  frame.contentWindow.postMessage({ vitrine: "again" }, "*");
  // The viewer's keys are listed from anywhere on the page.
  addEventListener("keydown", (e) => {
    if (e.key !== "?" || frame.hidden || e.target.closest("input, textarea, select")) return;
    e.preventDefault();
    frame.focus();
    frame.contentWindow.postMessage({ vitrine: "keys" }, "*");
  });
}

// Full screen shows the content without the label. A viewer of pages then shows
// one at a time.
function fill() {
  if (!full || !document.fullscreenEnabled) return;
  if (document.fullscreenElement) document.exitFullscreen();
  else stage.requestFullscreen().catch(() => {});
}
if (full && document.fullscreenEnabled) {
  full.hidden = false;
  full.addEventListener("click", fill);
  addEventListener("keydown", (e) => {
    if (e.key === "f" && !(e.ctrlKey || e.metaKey || e.altKey) && document.activeElement === document.body) fill();
  });
  stage.addEventListener("fullscreenchange", () => {
    const on = document.fullscreenElement === stage;
    frame?.contentWindow.postMessage({ vitrine: { full: on } }, "*");
    if (on) frame?.focus();
    else full.focus();
  });
}

// A frame prints its own document. Without a frame, this page prints itself.
const print = find("#print");
if (print) {
  const printFrame = () => frame.contentWindow.postMessage({ vitrine: "print" }, "*");
  print.hidden = false;
  print.addEventListener("click", () => (frame ? printFrame() : window.print()));
  // The browser's menu prints this page with a note instead of the frame. When
  // its dialog is closed, the document is printed.
  if (frame) addEventListener("afterprint", printFrame);
}
