// The header above several uploads: their total progress, and buttons for all.
import { find, say } from "../../ui/app.js";
import { bytes } from "../../ui/size.js";
import { span } from "../limit.js";

const going = new Set(["waiting", "uploading", "retrying", "checking"]);
const gone = new Set(["failed", "cancelled"]);
const checked = new Map([
  ["review", "in review"],
  ["processing", "being checked"],
]);

// summary returns the number of unfinished rows, the addresses of the links,
// and the progress in words. A row has a state, a size, the bytes sent and,
// once it is a link, a url. Links that wait for a check do not work yet, so
// they are counted separately and their addresses are left out. speed is in
// bytes per second, or 0 if it is unknown.
export const summary = (rows, speed) => {
  const open = rows.filter((r) => going.has(r.state));
  const links = rows.filter((r) => r.url && !checked.has(r.state)).map((r) => r.url);
  const failed = rows.filter((r) => gone.has(r.state)).length;
  if (!open.length) {
    const words = [`${links.length} ${links.length === 1 ? "link" : "links"} ready`];
    for (const [state, text] of checked) {
      const n = rows.filter((r) => r.url && r.state === state).length;
      if (n) words.push(`${n} ${text}`);
    }
    if (failed) words.push(`${failed} not uploaded`);
    return { open: 0, links, text: words.join(" · ") };
  }
  const kept = rows.filter((r) => !gone.has(r.state));
  const of = kept.reduce((sum, r) => sum + r.size, 0);
  const sent = kept.reduce((sum, r) => sum + (going.has(r.state) ? r.sent : r.size), 0);
  const words = [`${rows.length - open.length} of ${rows.length} files`, `${bytes(sent)} of ${bytes(of)}`];
  if (speed > 0 && sent < of) words.push(`${bytes(speed)}/s`, `${span((of - sent) / speed)} left`);
  return { open: open.length, links, text: words.join(" · ") };
};

// newBatch returns a function that updates the header. rows returns the rows of
// the page in the order in which they were chosen.
export const newBatch = (rows) => {
  const head = find("#batch");
  const samples = [];
  let announced = true;
  const update = () => {
    const all = rows();
    head.hidden = all.length < 2;
    if (head.hidden) return;
    const now = performance.now();
    samples.push([now, all.reduce((sum, r) => sum + r.sent, 0)]);
    while (samples.length > 2 && now - samples[0][0] > 5000) samples.shift();
    const [then, had] = samples[0];
    const speed = now - then > 500 ? ((samples.at(-1)[1] - had) / (now - then)) * 1000 : 0;
    const { open, links, text } = summary(all, speed);
    find("p", head).textContent = text;
    find(".cancel-all", head).hidden = !open;
    find(".copy-all", head).hidden = !links.length;
    find(".copy-all", head).dataset.text = links.join("\n");
    find(".clear-all", head).hidden = open > 0;
    find(".retry-all", head).hidden = open > 0 || !all.some((r) => r.canRetry);
    find(".make-album", head).hidden = open > 0 || links.length < 2;
    if (open) announced = false;
    else if (!announced) {
      announced = true;
      say(text);
    }
  };
  find(".cancel-all", head).addEventListener("click", () => {
    for (const row of rows()) row.cancel();
  });
  find(".retry-all", head).addEventListener("click", () => {
    for (const row of rows()) if (row.canRetry) row.start();
  });
  // The form that makes an album of the links is filled in on submit.
  find(".make-album", head).addEventListener("submit", (event) => {
    const form = event.target;
    const made = rows().filter((r) => r.link);
    form.elements.title.value = `${made.length} files, ${new Date().toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" })}`;
    for (const old of form.querySelectorAll("[name=link]")) old.remove();
    for (const row of made) {
      const input = document.createElement("input");
      Object.assign(input, { type: "hidden", name: "link", value: row.link.slug });
      form.append(input);
    }
  });
  find(".clear-all", head).addEventListener("click", () => {
    for (const row of rows()) row.remove();
  });
  return update;
};
