// Albums: people drag rows into order, and the buttons that move rows work
// without a reload. Without scripts, the buttons submit forms.
import { all, find, say } from "../../ui/app.js";
import "../links.js";

// chosen disables the button that adds links while none is selected.
const chosen = () => {
  const add = find("#add-chosen");
  if (add) add.disabled = !find(".picks :checked");
};
if (find("#add-chosen:enabled")) {
  document.addEventListener("change", chosen);
  addEventListener("pageshow", chosen); // browsers restore the selection when the user goes back
  document.addEventListener("found", chosen);
  chosen();
}

const list = find("#order");
if (list) {
  const rows = () => [...list.children];
  const settle = () => {
    const now = rows();
    now.forEach((row, i) => {
      const [up, down] = all("[data-by]", row);
      up.disabled = i === 0;
      down.disabled = i === now.length - 1;
      up.form.elements.to.value = i - 1;
      down.form.elements.to.value = i + 1;
    });
  };
  // store saves the place of a row, one request after the other. If one fails,
  // the page reloads to show the stored order.
  let storing = Promise.resolve();
  const store = (row) => {
    settle();
    const body = JSON.stringify({ link: row.dataset.link, to: rows().indexOf(row) });
    storing = storing.then(async () => {
      try {
        const answer = await fetch(list.dataset.order, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body,
        });
        if (!answer.ok) throw new Error();
      } catch {
        say("The order could not be saved. Reload the page and try again.");
        location.reload();
      }
    });
  };

  document.addEventListener(
    "submit",
    (event) => {
      const button = event.submitter;
      if (!button?.dataset.by || !list.contains(button)) return;
      event.preventDefault();
      const row = button.closest("li");
      if (button.dataset.by < 0) row.previousElementSibling?.before(row);
      else row.nextElementSibling?.after(row);
      store(row);
      const next = button.disabled ? find("[data-by]:enabled", row) : button;
      next?.focus();
      say(`${find(".title", row).textContent}: place ${rows().indexOf(row) + 1} of ${rows().length}`);
    },
    true,
  );

  let held = null;
  let from = -1;
  for (const row of rows()) row.draggable = true;
  list.addEventListener("dragstart", (event) => {
    held = event.target.closest?.("li");
    if (!held) return;
    from = rows().indexOf(held);
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", find(".title", held).textContent);
    requestAnimationFrame(() => held?.classList.add("held-up"));
  });
  list.addEventListener("dragover", (event) => {
    if (!held) return;
    event.preventDefault();
    const row = event.target.closest?.("li");
    if (!row || row === held) return;
    const box = row.getBoundingClientRect();
    if (event.clientY < box.top + box.height / 2) row.before(held);
    else row.after(held);
  });
  list.addEventListener("drop", (event) => held && event.preventDefault());
  list.addEventListener("dragend", () => {
    if (!held) return;
    held.classList.remove("held-up");
    if (rows().indexOf(held) !== from) store(held);
    held = null;
  });
}
