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

// An anchor of an operation or a schema on the overview of the API leads to
// where it is described.
const entry = document.getElementById(location.hash.slice(1));
if (entry?.matches(":is(.all-ops, .all-schemas) li")) location.replace(find("a", entry).href);
