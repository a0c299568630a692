// Scripts of the documentation.
import { all, find } from "../ui/app.js";
import "./search.js";

// If the pages are in a row that scrolls, it shows the open page.
const row = find(".docs-nav nav > ul");
const here = find(".docs-nav [aria-current]");
if (here && row.scrollWidth > row.clientWidth)
  row.scrollLeft = here.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;

// A language that people choose for one example applies to all.
document.addEventListener("change", ({ target }) => {
  if (!target.matches(".lang-tabs input")) return;
  for (const input of all(`.lang-tabs [value="${target.value}"]`)) input.checked = true;
});
