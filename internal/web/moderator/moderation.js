// The queue: several rows at once, and keys that decide. Everything here is done by links, fields and buttons that are on the page without it.
import { all, find, say } from "../ui/app.js";

const { body } = document;
const boxes = all(".review-rows input");
const rows = all(".review-rows li");
const keysOn = find("#keys-on");

// Buttons show their keys while these are on.
const showKeys = () => body.classList.toggle("has-keys", keysOn.checked);
keysOn.addEventListener("change", showKeys);
showKeys();

const every = find("#all");
const count = () => {
  const n = boxes.filter((b) => b.checked).length;
  find("#chosen").textContent = n ? `${n} selected` : "Select all";
  every.closest(".review-bulk").classList.toggle("some", n > 0);
  for (const b of all(".review-bulk button")) b.disabled = n === 0;
  every.checked = n === boxes.length;
  every.indeterminate = n > 0 && n < boxes.length;
};
if (every) {
  every.addEventListener("change", () => {
    for (const b of boxes) b.checked = every.checked;
    count();
  });
  for (const b of boxes) b.addEventListener("change", count);
  count(); // a browser that goes back has kept what was selected
}

// The row that keys are about is the one that has the focus.
const current = () => boxes[rows.findIndex((row) => row.contains(document.activeElement))];
const choose = () => {
  const box = current();
  if (!box) return say("Go to a link first: J or K.");
  box.checked = !box.checked;
  count();
};

// A key that comes before anyone can have seen the page decides nothing.
const shown = performance.now();
const sight = 700; // ms
addEventListener("key", (event) => {
  if (!event.target.hasAttribute("data-decides")) return;
  if (event.timeStamp - shown < sight) {
    event.preventDefault();
    say("You pressed the key very early. Look at the page, then press it again.");
  } else if (event.target.closest(".review-bulk") && !boxes.some((b) => b.checked)) {
    const box = current();
    if (box) {
      box.checked = true;
      count();
    } else {
      event.preventDefault();
      say("Go to a link first: J or K.");
    }
  }
});

// As J and K of every page; after these, which take what they know.
const typing = (target) => target.closest?.("textarea, select, input:not([type=checkbox])");
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.repeat || typing(event.target))
    return;
  if (!keysOn.checked || find(":popover-open") || !rows.length) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    dispatchEvent(new KeyboardEvent("keydown", { key: event.key === "ArrowDown" ? "j" : "k" }));
  } else if (event.key.toLowerCase() === "x") {
    event.preventDefault();
    choose();
  }
});

// What is in a live region from the start is not read aloud; what is put there is.
const done = find(".done p");
if (done) setTimeout(() => (find("#heard").textContent = done.textContent.trim()), 100);
setTimeout(() => (body.dataset.ready = ""), sight);
