// The documentation.
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

// Addresses from before the reference had a page for each group lead to the overview, whose entries know where each part is.
const entry = document.getElementById(location.hash.slice(1));
if (entry?.matches(":is(.all-ops, .all-schemas) li")) location.replace(find("a", entry).href);
