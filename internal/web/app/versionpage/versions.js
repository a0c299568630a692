// The file of a link is replaced: a file that is dropped or chosen goes the way of every upload.
import { find } from "../../ui/app.js";
import { bytes } from "../../ui/size.js";
import { upload } from "../upload.js";

const drop = find("#replace");
const panel = find("#sending");
const stage = find("#stage");
const figures = find("#figures");
const bar = find("#bar");
const why = find("#why");
const cancel = find("#cancel");
const again = find("#again");
const close = find("#close");
const input = find("#file");
let running = null;
let last = null;

const show = (text, more = "") => {
  if (stage.textContent !== text) stage.textContent = text;
  figures.textContent = more;
};

// stop says why the file of the link is what it was.
const stop = (title, text, link) => {
  show(title);
  why.hidden = false;
  why.textContent = text;
  if (link) {
    const a = document.createElement("a");
    Object.assign(a, { href: link[1], textContent: link[0] });
    why.append(" ", a);
  }
  bar.hidden = cancel.hidden = true;
  again.hidden = close.hidden = false;
};

const explain = (err) => {
  const plans = err.upgrade ? ["Compare the plans", "/plans"] : undefined;
  if (err.code === "file_too_large")
    return [`The file has ${bytes(err.used)}, and at most ${bytes(err.limit)} are allowed.`, plans];
  if (err.code === "storage_limit")
    return [
      `${bytes(err.used)} of ${bytes(err.limit)} are used, and the file does not fit. Delete older versions, or links.`,
      plans,
    ];
  if (err.code === "unauthorized") return ["You are not signed in any more.", ["Sign in", "/sign-in"]];
  if (err instanceof TypeError) return ["The connection was lost. Readers still see the file as it was; try again."];
  return [err.message, plans];
};

const kinds = JSON.parse(drop.dataset.kinds); // of files by their extensions
const differs = find("#differs");

// choose replaces the file, and asks first where the new one is of another kind. What is no kind, the server refuses.
let chosen = null;
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
  panel.hidden = bar.hidden = cancel.hidden = false;
  why.hidden = again.hidden = close.hidden = true;
  bar.value = 0;
  panel.scrollIntoView({ block: "nearest" });
  try {
    const limit = Number(drop.dataset.fileLimit);
    if (limit && file.size > limit)
      throw Object.assign(new Error(), { code: "file_too_large", used: file.size, limit });
    const link = await upload(file, {
      options: { replace: drop.dataset.slug },
      signal: running.signal,
      onstate: (state, more) => {
        show(
          { waiting: "Waiting", uploading: "Uploading", checking: "Checking", retrying: "Trying again" }[state],
          more ? `in ${more.seconds} s` : file.name,
        );
        cancel.hidden = state === "checking";
      },
      onprogress: (sent, of) => {
        bar.value = sent / of;
        figures.textContent = `${bytes(sent)} of ${bytes(of)}`;
      },
    });
    if (link.replacement?.unchanged) {
      stop("Nothing changed", "This is the file that the link has already.");
      again.hidden = true;
    } else {
      const said = link.replacement?.status === "live" ? "version-made" : "version-held";
      location.assign(`${link.manage}/versions?said=${said}`);
      return;
    }
  } catch (err) {
    if (err.name === "AbortError") panel.hidden = true;
    else stop("Not replaced", ...explain(err));
  }
  running = null;
};

cancel.addEventListener("click", () => running?.abort());
again.addEventListener("click", () => replace(last));
close.addEventListener("click", () => (panel.hidden = true));
find("#choose").addEventListener("click", () => input.click());
input.addEventListener("change", () => {
  choose(input.files[0]);
  input.value = "";
});

// A file may be dropped anywhere in the window: the browser would open it otherwise, and the page were gone.
let depth = 0;
const over = (by) => (event) => {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  depth = Math.max(0, depth + by);
  drop.classList.toggle("is-over", depth > 0);
};
addEventListener("dragenter", over(1));
addEventListener("dragleave", over(-1));
addEventListener("dragover", over(0));
addEventListener("drop", (event) => {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  depth = 0;
  drop.classList.remove("is-over");
  const dropped = [...event.dataTransfer.files];
  if (dropped.length > 1) {
    panel.hidden = false;
    stop("Not replaced", "A link has one file. Drop one.");
    again.hidden = true;
    return;
  }
  choose(dropped[0]);
});
