// The script of every page of the app: keys, copying, and forms that are sent
// only once. The links, fields and buttons of the page do the same without
// scripts.
import "./signout.js";
import "./times.js";

export const find = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

const toast = find("#toast");
let silence;
// say shows a message for four seconds. Screen readers announce it.
export const say = (text) => {
  toast.textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => (toast.textContent = ""), 4000);
};

// Copying: a button has data-text, or data-copy with the ID of the element to
// copy.
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

if (find("[data-passkey]")) import("./passkey.js");

// Sharing: a button has data-share with an address. It is visible if the system
// can share.
document.body.classList.toggle("can-share", Boolean(globalThis.navigator?.share));
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-share]");
  if (button) navigator.share({ title: button.dataset.title, url: button.dataset.share }).catch(() => {});
});

// A form is not sent again until its answer has arrived.
let sent = new WeakSet();
document.addEventListener("submit", (event) => {
  if (event.target.method !== "post" || event.defaultPrevented) return;
  if (sent.has(event.target)) event.preventDefault();
  sent.add(event.target);
});
addEventListener("pageshow", () => (sent = new WeakSet()));

// People who use speech input, or press keys by accident, can turn keys off.
const keysOn = find("#keys-on");
const sheet = find("#keys");
const remembered = (name, value) => {
  try {
    if (value === undefined) return localStorage.getItem(name);
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // the setting lasts as long as this page
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
// step moves the focus among the lines of a list. Each line has one main link,
// marked data-line.
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
    // A popover returns the focus itself.
    if (event.key === "Escape" && !event.target.closest(":popover-open")) event.target.blur();
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
