// Replaces the file of a link with one that is dropped or chosen.
import { find } from "../../ui/app.js";
import { begin, controls, dropped, explain, fail, fits, hide, progress, state } from "../sending.js";
import { upload } from "../upload.js";

const drop = find("#replace");
const input = find("#file");
let running = null;
let last = null;

const kinds = JSON.parse(drop.dataset.kinds); // of files, by extension
const differs = find("#differs");

let chosen = null;
// choose replaces the file. If the new one is of another kind, it asks first.
// The server refuses files that have no kind.
const choose = (file) => {
  const kind = kinds[file?.name.split(".").pop().toLowerCase()];
  if (running || !kind || kind === drop.dataset.kind) return replace(file);
  chosen = file;
  find("#differs-kinds").textContent = `Current file: ${drop.dataset.kind}. New file: ${kind} (${file.name}).`;
  differs.showPopover();
};
find("#anyway").addEventListener("click", () => {
  differs.hidePopover();
  replace(chosen);
});

const replace = async (file) => {
  if (running || !file) return;
  last = file;
  running = new AbortController();
  begin();
  try {
    fits(file, Number(drop.dataset.fileLimit));
    const link = await upload(file, {
      options: { replace: drop.dataset.slug },
      signal: running.signal,
      onstate: (name, more) => state(name, more, file.name),
      onprogress: progress,
    });
    if (link.replacement?.unchanged) {
      fail("Nothing changed", "The link already has this file.", undefined, { retry: false });
    } else {
      const said = link.replacement?.status === "live" ? "version-made" : "version-held";
      location.assign(`${link.manage}/versions?said=${said}`);
      return;
    }
  } catch (err) {
    if (err.name === "AbortError") hide();
    else fail("Not replaced", ...explain(err, "The file"));
  }
  running = null;
};

controls(
  () => running?.abort(),
  () => replace(last),
);
find("#choose").addEventListener("click", () => input.click());
input.addEventListener("change", () => {
  choose(input.files[0]);
  input.value = "";
});

dropped(
  (over) => drop.classList.toggle("is-over", over),
  ({ files }) => {
    if (files.length > 1) fail("Not replaced", "A link has one file. Drop one.", undefined, { retry: false });
    else choose(files[0]);
  },
);
