// What every page of the site has: keys, copying, forms that are sent once. Everything is done by links, fields and buttons that are on the page without
// it.
import "./signout.js";
import "./times.js";

export const find = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

const toast = find("#toast");
let silence;
// say tells something for a moment, aloud too.
export const say = (text) => {
  toast.textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => (toast.textContent = ""), 4000);
};

// Copying: a button has data-text, or data-copy with the id of what is copied.
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-text], [data-copy]");
  if (!button) return;
  const source = button.dataset.copy && document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(button.dataset.text ?? source.value ?? source.textContent);
    say("Copied");
  } catch {
    say("Your browser blocked copying. Select the text and copy it yourself.");
  }
});

// Sharing: a button has data-share with an address. It is seen where the system can share.
document.body.classList.toggle("can-share", Boolean(globalThis.navigator?.share));
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-share]");
  if (button) navigator.share({ title: button.dataset.title, url: button.dataset.share }).catch(() => {});
});

// A form that was sent is not sent again while its answer is on its way.
let sent = new WeakSet();
document.addEventListener("submit", (event) => {
  if (event.target.method !== "post" || event.defaultPrevented) return;
  if (sent.has(event.target)) event.preventDefault();
  sent.add(event.target);
});
addEventListener("pageshow", () => (sent = new WeakSet()));

// Whoever speaks to their computer, or leans on the keyboard, turns the keys off.
const keysOn = find("#keys-on");
const sheet = find("#keys");
const remembered = (name, value) => {
  try {
    if (value === undefined) return localStorage.getItem(name);
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // it holds for this page
  }
  return null;
};
if (keysOn) {
  keysOn.checked = remembered("keys") !== "off";
  keysOn.addEventListener("change", () => remembered("keys", keysOn.checked ? null : "off"));
}
document.body.classList.add("has-script");

const typing = (target) =>
  target.closest?.("textarea, select, [contenteditable], input:not([type=checkbox], [type=radio])");
// A list that keys walk through: its lines have one main link each, marked data-line.
const step = (by) => {
  const lines = all("[data-line]").filter((l) => l.checkVisibility?.() ?? true);
  if (!lines.length) return;
  const at = lines.findIndex((l) => (l.closest("li, tr") ?? l).contains(document.activeElement));
  const to = at < 0 ? (by > 0 ? 0 : lines.length - 1) : Math.min(lines.length - 1, Math.max(0, at + by));
  lines[to].focus();
  lines[to].scrollIntoView({ block: "nearest" });
};
let going = 0;
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented || event.repeat)
    return;
  if (typing(event.target)) {
    if (event.key === "Escape" && !event.target.closest(":popover-open")) event.target.blur(); // a popover gives the focus back itself
    return;
  }
  const key = event.key.toLowerCase();
  if (key === "?") {
    sheet?.togglePopover?.();
    event.preventDefault();
    return;
  }
  if (!keysOn?.checked || document.querySelector(":popover-open")) return;
  if (going && event.timeStamp - going < 1500) {
    going = 0;
    const target = key.length === 1 && find(`[data-go="${CSS.escape(key)}"]`);
    if (target) {
      event.preventDefault();
      location.href = target.href;
    }
    return;
  }
  going = 0;
  const search = find("input[type=search]");
  if (key === "g") going = event.timeStamp;
  else if (key === "j") step(1);
  else if (key === "k") step(-1);
  else if (key === "/" && search) {
    event.preventDefault();
    search.focus();
    search.select();
  } else {
    const target = key.length === 1 && find(`[data-key="${CSS.escape(key)}"]`);
    if (!target) return;
    event.preventDefault();
    if (target.matches("input, textarea")) target.focus();
    else if (target.dispatchEvent(new CustomEvent("key", { bubbles: true, cancelable: true }))) target.click();
  }
});
