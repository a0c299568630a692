// What a page can do beyond its HTML: copy and send its address, zoom at a point, and say so when content cannot be shown.
const find = (selector) => document.querySelector(selector);
const share = find("#share"), copy = find("#copy"), send = find("#send"), cannot = find("#cannot"), address = find(".address input");

const later = (button, text) => {
  const before = button.textContent;
  button.textContent = text;
  setTimeout(() => (button.textContent = before), 2000);
};

if (navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", () =>
    navigator.clipboard.writeText(address.value).then(() => later(copy, "Copied"), () => address.select()),
  );
}
if (navigator.share) {
  send.hidden = false;
  send.addEventListener("click", () => navigator.share({ title: document.title, url: address.value }).catch(() => {}));
}
address.addEventListener("focus", () => address.select());
// A press inside a frame is not seen out here; that the focus went there is.
addEventListener("blur", () => document.activeElement?.tagName === "IFRAME" && share.matches(":popover-open") && share.hidePopover());

const media = find(".stage img, .stage video, .stage audio"), frame = find("iframe");
const instead = (element, message) => {
  if (message) cannot.querySelector(".notice").textContent = message;
  element.hidden = true;
  cannot.hidden = false;
};
if (media && cannot) {
  const failed = () => instead(media);
  if (media.error || (media.complete && !media.naturalWidth)) failed();
  media.addEventListener("error", failed);
}

// The PDF viewer says when it is ready, which is when keys may go to it, or why it cannot show the document.
if (frame && cannot) {
  addEventListener("message", ({ source, data }) => {
    const m = data?.vitrine;
    if (source !== frame.contentWindow || !m) return;
    if (m.ready && document.activeElement === document.body) frame.focus();
    if (m.failed) instead(frame, String(m.failed).slice(0, 200));
  });
  frame.contentWindow.postMessage({ vitrine: "again" }, "*");
}

// An image is zoomed at the point that was pressed, and by the keys that zoom elsewhere.
const zoom = find("#zoom"), picture = find(".picture");
if (zoom) {
  const fits = () =>
    document.body.classList.toggle("fits", !zoom.checked && media.naturalWidth > 0 && media.naturalWidth <= media.clientWidth);
  media.addEventListener("load", fits);
  addEventListener("resize", fits);
  fits();
  let point;
  picture.addEventListener("click", (e) => {
    const r = media.getBoundingClientRect();
    point = [(e.clientX - r.left) / r.width, (e.clientY - r.top) / r.height, e.clientX, e.clientY];
  });
  zoom.addEventListener("change", () => {
    const [x, y, left, top] = point || [0.5, 0.5, innerWidth / 2, innerHeight / 2];
    point = undefined;
    const r = media.getBoundingClientRect();
    picture.scrollBy(r.left + x * r.width - left, r.top + y * r.height - top);
  });
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches?.("a, button, input:not(#zoom)")) return;
    const on = { "+": true, "=": true, 1: true, "-": false, 0: false, Enter: !zoom.checked }[e.key];
    if (on === undefined || on === zoom.checked) return;
    zoom.checked = on;
    zoom.dispatchEvent(new Event("change"));
  });
}
