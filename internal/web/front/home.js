// The drop zone of the front page. Chosen files wait in this browser until the
// dashboard uploads them.
import { all, find, say } from "../ui/app.js";
import { discard, mark, named, peek, put, unmark } from "../ui/pending.js";

const drop = find("#drop");
const input = find("#file");
const waiting = find("#waiting");

const show = (files) => {
  waiting.hidden = !files.length;
  drop.classList.toggle("has-file", files.length > 0);
  if (!files.length) return;
  find("#waiting-name").textContent = named(files);
  find("#waiting-words").textContent =
    `${files.length === 1 ? "is" : "are"} ready.${drop.dataset.in ? "" : ` Sign in to upload ${files.length === 1 ? "it" : "them"}.`}`;
};

// readable returns the files that can be read. A folder has no bytes, and
// cannot be read as a file.
const readable = async (files) => {
  const ok = [];
  for (const file of files) {
    try {
      await file.slice(0, 1).arrayBuffer();
      ok.push(file);
    } catch {
      // leave it out
    }
  }
  return ok;
};

const choose = async (list) => {
  const files = await readable([...list]);
  if (!files.length) return say("This cannot be read as a file. Pack a folder into a ZIP.");
  try {
    await put(files);
  } catch {
    return say("This browser cannot keep the file while you sign in. Sign in first, then choose it.");
  }
  if (drop.dataset.in) {
    mark();
    location.href = drop.dataset.next;
  } else {
    show(files);
    find("#go-on").focus();
  }
};

drop.addEventListener("submit", (event) => {
  event.preventDefault();
  input.click();
});
input.addEventListener("change", () => {
  if (input.files.length) choose(input.files);
  input.value = "";
});
for (const way of all("a", waiting)) way.addEventListener("click", mark);
find("#discard").addEventListener("click", async () => {
  await discard();
  show([]);
  find("button", drop).focus();
});

// Files can be dropped anywhere on the page.
const files = (event) => event.dataTransfer?.types.includes("Files");
let depth = 0;
const over = (yes) => drop.classList.toggle("is-over", yes);
addEventListener("dragenter", (event) => {
  if (!files(event)) return;
  event.preventDefault();
  depth++;
  over(true);
});
addEventListener("dragover", (event) => {
  if (!files(event)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "copy";
});
addEventListener("dragleave", (event) => {
  if (!files(event) || --depth > 0) return;
  depth = 0;
  over(false);
});
addEventListener("drop", (event) => {
  if (!files(event)) return;
  event.preventDefault();
  depth = 0;
  over(false);
  choose(event.dataTransfer.files);
});

addEventListener("pageshow", async () => {
  unmark();
  show(await peek());
});
