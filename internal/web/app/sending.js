// The panel of a page that sends one file at a time. It shows the progress, why
// an upload failed, and what to do next. Files can be dropped anywhere in the
// window.
import { find } from "../ui/app.js";
import { bytes } from "../ui/size.js";

const panel = find("#sending");
const stage = find("#stage");
const figures = find("#figures");
const bar = find("#bar");
const why = find("#why");
const cancel = find("#cancel");
const again = find("#again");
const close = find("#close");

export const show = (text, more = "") => {
  if (stage.textContent !== text) stage.textContent = text;
  figures.textContent = more;
};

export const begin = () => {
  panel.hidden = bar.hidden = cancel.hidden = false;
  why.hidden = again.hidden = close.hidden = true;
  bar.value = 0;
  panel.scrollIntoView({ block: "nearest" });
};

export const hide = () => (panel.hidden = true);

// fail shows why an upload failed and, unless retry is false, a button to try
// again. link is its text and address.
export const fail = (title, text, link, { retry = true } = {}) => {
  show(title);
  why.hidden = panel.hidden = false;
  why.textContent = text;
  if (link) {
    const a = document.createElement("a");
    Object.assign(a, { href: link[1], textContent: link[0] });
    why.append(" ", a);
  }
  bar.hidden = cancel.hidden = true;
  again.hidden = !retry;
  close.hidden = false;
};

export const progress = (part, of) => {
  bar.value = of ? part / of : 1;
  figures.textContent = `${bytes(part)} of ${bytes(of)}`;
};

const stages = { waiting: "Waiting", uploading: "Uploading", checking: "Checking", retrying: "Trying again" };

// state shows the state of an upload, with the seconds until the next try.
export const state = (name, more, file = "") => {
  show(stages[name], more ? `in ${more.seconds} s` : file);
  cancel.hidden = name === "checking";
};

// fits throws if a file is larger than the limit. A limit of 0 means none.
export const fits = (file, limit) => {
  if (limit && file.size > limit) throw Object.assign(new Error(), { code: "file_too_large", used: file.size, limit });
};

// explain returns why an upload failed and, if the user can do something about
// it, the text and address of a link. what names the upload, such as "The
// file".
export const explain = (err, what, upgrade = err.upgrade) => {
  const plans = upgrade ? ["Compare the plans", "/plans"] : undefined;
  if (err.code === "file_too_large")
    return [`${what} has ${bytes(err.used)}. The limit is ${bytes(err.limit)}.`, plans];
  if (err.code === "storage_limit")
    return [
      `${bytes(err.used)} of ${bytes(err.limit)} are used, and this does not fit. Delete earlier versions or links.`,
      plans,
    ];
  if (err.code === "unauthorized") return ["You have been signed out.", ["Sign in", "/sign-in"]];
  if (err instanceof TypeError)
    return ["The connection was lost, or the file could not be read. Nothing has changed. Try again."];
  return [err.message, err.upgrade ? plans : undefined];
};

// controls binds the buttons of the panel.
export const controls = (abort, retry) => {
  cancel.addEventListener("click", abort);
  again.addEventListener("click", retry);
  close.addEventListener("click", hide);
};

// dropped calls take with the data of a drop anywhere in the window, so that
// the browser does not open it. It calls over with whether files are held above
// the window.
export const dropped = (over, take) => {
  let depth = 0;
  const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
  const held = (by) => (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = Math.max(0, depth + by);
    over(depth > 0);
  };
  addEventListener("dragenter", held(1));
  addEventListener("dragleave", held(-1));
  addEventListener("dragover", held(0));
  addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    over(false);
    take(event.dataTransfer);
  });
};
