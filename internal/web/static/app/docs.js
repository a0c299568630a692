// The documentation: its contents are open where there is room, and the reference can be searched through.
import { all, find } from "./app.js";

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
