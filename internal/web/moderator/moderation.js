// The moderation queue: selects several rows, and has keys for decisions. The
// links, fields and buttons of the page do the same without scripts.
import { all, find, say } from "../ui/app.js";

const { body } = document;
const boxes = all(".review-rows input");
const rows = all(".review-rows li");
const keysOn = find("#keys-on");

// showKeys shows the keys on the buttons while keys are on.
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
  count(); // browsers restore the selection when the user goes back
}

// current returns the checkbox of the row with the focus, which the keys act
// on.
const current = () => boxes[rows.findIndex((row) => row.contains(document.activeElement))];
const choose = () => {
  const box = current();
  if (!box) return say("Go to a link first: J or K.");
  box.checked = !box.checked;
  count();
};

// A key decides nothing until people can have seen the page.
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

// The arrow keys act like J and K on every page, and X selects. Handlers that
// ran before prevent the default action of keys that they use.
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

// Screen readers do not read what a live region contains at the start, only
// what is added.
const done = find(".done p");
if (done) setTimeout(() => (find("#heard").textContent = done.textContent.trim()), 100);
setTimeout(() => (body.dataset.ready = ""), sight);
