// Keys for moderators. Everything here is done by links, fields and buttons that are on the page without it: a key finds the one that is
// marked with it, and goes there or presses it.
const find = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];
const { body } = document;
const said = find("#said");
const keysOn = find("#keys-on");
const panel = find("#keys");
const boxes = all(".rows input");
const cases = all(".rows .case");

let silence;
const say = (text) => {
  said.textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => (said.textContent = ""), 4000);
};

// Whoever speaks to their computer, or leans on the keyboard, turns the keys off.
const stored = () => {
  try {
    return localStorage.getItem("keys");
  } catch {
    return null;
  }
};
const useKeys = (on) => {
  keysOn.checked = on;
  body.classList.toggle("has-keys", on);
};
body.classList.add("has-script");
useKeys(stored() !== "off");
keysOn.addEventListener("change", () => {
  useKeys(keysOn.checked);
  try {
    if (keysOn.checked) localStorage.removeItem("keys");
    else localStorage.setItem("keys", "off");
  } catch {
    // it holds for this page
  }
});

// Choosing several
const every = find("#all");
const chosen = find("#chosen");
const count = () => {
  const n = boxes.filter((b) => b.checked).length;
  chosen.textContent = n ? `${n} chosen` : "Choose all";
  every.closest(".bulk").classList.toggle("some", n > 0);
  every.checked = n === boxes.length;
  every.indeterminate = n > 0 && n < boxes.length;
};
if (every) {
  every.closest("[hidden]").hidden = false;
  every.addEventListener("change", () => {
    for (const b of boxes) b.checked = every.checked;
    count();
  });
  for (const b of boxes) b.addEventListener("change", count);
  count(); // a browser that goes back has kept what was chosen
}

// The row that keys are about is the one that has the focus.
const current = () => cases.findIndex((c) => c.closest("li").contains(document.activeElement));
const step = (by) => {
  if (!cases.length) return;
  const at = current();
  const to = at < 0 ? (by > 0 ? 0 : cases.length - 1) : Math.min(cases.length - 1, Math.max(0, at + by));
  cases[to].focus();
  cases[to].scrollIntoView({ block: "center" });
};
const choose = () => {
  const box = boxes[current()];
  if (!box) return say("Go to a link first: J or K.");
  box.checked = !box.checked;
  count();
};

// A key that is held, or hit twice, must not decide about a page that nobody has seen yet.
const shown = performance.now();
const sight = 700; // ms
const early = (event) => event.repeat || event.timeStamp - shown < sight;

const press = (target, event) => {
  if (target.matches("textarea, input")) return target.focus();
  if (target.hasAttribute("data-decides")) {
    if (early(event)) return say("That was quick: look, then press again.");
    if (target.closest(".bulk") && !boxes.some((b) => b.checked)) {
      const box = boxes[current()];
      if (!box) return say("Go to a link first: J or K.");
      box.checked = true;
    }
  }
  target.click();
};

const moves = { j: () => step(1), arrowdown: () => step(1), k: () => step(-1), arrowup: () => step(-1), x: choose };
const typing = (target) => target.closest?.("textarea, select, input:not([type=checkbox], [type=radio])");

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (typing(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "?") {
    panel.togglePopover?.();
    event.preventDefault();
    return;
  }
  const key = event.key.toLowerCase();
  if (
    !keysOn.checked ||
    panel.matches(":popover-open") ||
    (event.target.matches?.("[type=radio]") && key.startsWith("arrow"))
  )
    return;
  if (cases.length && moves[key]) {
    moves[key]();
    event.preventDefault();
    return;
  }
  const target = key.length === 1 && find(`[data-key="${CSS.escape(key)}"]`);
  if (target) {
    press(target, event);
    event.preventDefault();
  }
});

// A button that was pressed is not pressed again while its answer is on its way.
for (const form of all("form[method=post]")) {
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  addEventListener("pageshow", () => (sent = false));
}
// What is in a live region from the start is not read aloud; what is put there is.
const bar = find(".done p");
if (bar) setTimeout(() => (find("#heard").textContent = bar.textContent.trim()), 100);

for (const button of all("[data-copy]")) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    say("Copied");
  });
}
setTimeout(() => (body.dataset.ready = ""), sight);
