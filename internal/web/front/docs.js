// The documentation: it has a search, and the reference has a filter.
import { all, find } from "../ui/app.js";
import "./search.js";

// Where the pages stand in a row, the one that is open is in sight.
const row = find(".docs-nav nav > ul");
const here = find(".docs-nav [aria-current]");
if (here && row.scrollWidth > row.clientWidth)
  row.scrollLeft = here.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;

// A language that is chosen for one example is chosen for all.
document.addEventListener("change", ({ target }) => {
  if (!target.matches(".lang-tabs input")) return;
  for (const input of all(`.lang-tabs [value="${target.value}"]`)) input.checked = true;
});

const filter = find("#filter");
if (filter) {
  const none = find("#filter-none");
  const parts = all(".op").map((part) => [part, part.textContent.toLowerCase()]);
  const groups = all(".group");
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const [part, text] of parts) {
      part.hidden = !words.every((word) => text.includes(word));
      if (!part.hidden) left++;
    }
    for (const group of groups) group.hidden = !find(".op:not([hidden])", group);
    none.hidden = left > 0;
  });
}
