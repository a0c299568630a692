// The upload page. Files come from the picker, a drop, a paste or the front
// page. Each has a row that shows its state.
import { find, say } from "../../ui/app.js";
import { discard, named, peek, take, unmark } from "../../ui/pending.js";
import "../links.js";
import { watchSlug } from "../slug.js";
import { filesIn, mostInFolder, ofFolder, refusal } from "./admit.js";
import { newBatch } from "./batch.js";
import { keep, kept, lockedBefore, takeKey, unfinished } from "./journal.js";
import { Row, underWay } from "./row.js";

const drop = find("#drop");
const picker = find("#files");
const list = find("#rows");
const section = find(".files-section");
const before = find("#before");
const overlay = find("#overlay");
// full returns why nothing can be uploaded, or "". The reason replaces the drop
// zone.
const full = () => (find("#full").hidden ? "" : find("#full h2").textContent);
const rules = {
  accepts: new Set(drop.dataset.accepts.split(",")),
  programs: new Set(drop.dataset.programs.split(",")),
  limit: Number(drop.dataset.fileLimit),
};

const files = new Set();
const unsent = unfinished(kept); // files that were unfinished before a reload
const showBatch = newBatch(() => [...files]);
const compact = drop.classList.contains("compact"); // the account has links already
// batch updates what depends on all rows.
const batch = () => {
  showBatch();
  keep([...files], unsent);
  find("#unsent").hidden = !unsent.length;
  find("#unsent span").textContent = unsent.map((e) => e.name).join(", ");
  drop.classList.toggle("compact", compact || files.size > 0);
  // The only file of a page has a larger row. The next step is the primary
  // button: choosing a file, or copying once there is a link.
  list.classList.toggle("alone", files.size === 1);
  find("#choose").classList.toggle("primary", ![...files].some((row) => row.link));
  for (const row of files) {
    row.part(".copy-it").classList.toggle("primary", files.size === 1);
    row.part(".copy-it").classList.toggle("small", files.size > 1);
  }
};
// tell announces the result of the only file. With several files, the header
// announces the result of all.
const tell = (text) => files.size > 1 || say(text);

// The parts of office files, which reports measure.
const parts = new Map([
  [/\.pptx?$|\.odp$/i, "slide"],
  [/\.docx?$|\.odt$|\.rtf$/i, "page"],
]);
let first = Boolean(find("section.first"));
// next shows what to do after the first link of the account and, for an office
// file, what its report measures.
const next = (name) => {
  const line = find("#next");
  if (!first || !line) return;
  first = false;
  line.hidden = false;
  const advice = find("span", line); // missing if each page of an office file is measured
  for (const [pattern, part] of parts) {
    if (!advice || !pattern.test(name)) continue;
    advice.hidden = false;
    find("span", advice).textContent = part;
  }
};

// usage updates the account's usage from the current page on the server.
let reading;
const usage = () => {
  clearTimeout(reading);
  reading = setTimeout(() => {
    const x = new XMLHttpRequest();
    x.open("GET", location.pathname);
    x.responseType = "document";
    x.onload = () => {
      const now = x.response?.querySelector(".usage");
      if (!now) return;
      find(".usage").replaceWith(document.adoptNode(now));
      find("#full").replaceWith(document.adoptNode(x.response.querySelector("#full")));
      drop.hidden = Boolean(full());
    };
    x.send();
  }, 300);
};

// page is what rows call.
const page = {
  add(row) {
    list.append(row.li);
    section.hidden = false;
    files.add(row);
  },
  remove(row) {
    files.delete(row);
    row.li.remove();
    section.hidden = !files.size;
    batch();
  },
  has: (row) => files.has(row),
  takeKey: (file) => takeKey(unsent, file),
  changed: batch,
  announce: tell,
  live: next,
  usage,
};

// Files that are not accepted are listed with the reason and have no row.
const refused = find("#refused");
const refuse = (file) => {
  const why = refusal(file, rules);
  if (!why) return false;
  const line = document.createElement("li");
  const name = document.createElement("b");
  name.dir = "auto";
  name.textContent = file.name;
  line.append(name, ` ${why}`);
  const lines = find("ul", refused);
  lines.append(line);
  refused.hidden = false;
  const n = lines.children.length;
  find("h2", refused).textContent = `${n} ${n === 1 ? "file was" : "files were"} not uploaded`;
  return true;
};
const dismiss = () => {
  refused.hidden = true;
  find("ul", refused).replaceChildren();
};
find("button", refused).addEventListener("click", dismiss);

// The options above are for the next files. A title and a slug are for a single
// file.
const beforeField = (name) => find(`[name=${name}]`, before);
if (beforeField("slug")) watchSlug(beforeField("slug"), find(".slug-says", before));
const add = (chosen) => {
  if (!chosen.length) return;
  if (full()) return say(`${full()}.`);
  const some = chosen.filter((file) => !refuse(file));
  if (!some.length) return;
  const password = beforeField("password").value;
  const bare = password ? undefined : some.find((file) => lockedBefore(unsent, file));
  if (bare) {
    before.open = true;
    beforeField("password").focus();
    return say(`Enter the password for ${bare.name} again, and choose the file again.`);
  }
  const one = some.length === 1;
  for (const file of some)
    new Row(page, file, {
      title: one ? beforeField("title").value : "",
      slug: one ? (beforeField("slug")?.value ?? "") : "",
      download: beforeField("download").checked,
      lasts: Number(beforeField("lasts").value),
      password,
    });
  if (one) for (const name of ["title", "slug"]) if (beforeField(name)) beforeField(name).value = "";
  if (find(".slug-says", before)) find(".slug-says", before).textContent = "";
  list.children[list.children.length - some.length]?.scrollIntoView({ block: "nearest" });
};

find("#choose").addEventListener("click", () => (full() ? say(`${full()}.`) : picker.click()));
const chosen = () => {
  if (!picker.files.length) return;
  add([...picker.files]);
  picker.value = "";
};
picker.addEventListener("change", chosen);
const addFolder = (some) => {
  if (some.length > mostInFolder)
    return say(`A folder can have ${mostInFolder} files here. Pack it as a ZIP, or publish it as a website.`);
  if (!some.length) return say("There are no files in this folder.");
  add(some);
};
const folder = find("#folder");
find("#choose-folder").addEventListener("click", () => (full() ? say(`${full()}.`) : folder.click()));
folder.addEventListener("change", () => {
  if (folder.files.length) addFolder(ofFolder(folder.files));
  folder.value = "";
});

// Files and folders can be dropped anywhere in the window.
const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
let inside = 0;
addEventListener("dragenter", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  inside++;
  overlay.hidden = Boolean(full());
});
addEventListener("dragover", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "copy";
});
addEventListener("dragleave", (event) => {
  if (!carriesFiles(event) || --inside > 0) return;
  inside = 0;
  overlay.hidden = true;
});
addEventListener("drop", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  inside = 0;
  overlay.hidden = true;
  const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
  const entries = items.map((item) => item.webkitGetAsEntry?.()); // can be read only during the event
  if (!entries.some((entry) => entry?.isDirectory)) return add(items.map((item) => item.getAsFile()).filter(Boolean));
  filesIn(entries.filter(Boolean)).then(addFolder, () => say("The folder cannot be read. Choose its files."));
});
addEventListener("paste", (event) => {
  const pasted = [...(event.clipboardData?.files ?? [])];
  if (!pasted.length) return;
  event.preventDefault();
  add(pasted);
});
addEventListener("beforeunload", (event) => {
  if ([...files].some((f) => underWay.has(f.state))) event.preventDefault();
});

// Deleting links on other pages makes room.
document.addEventListener("visibilitychange", () => !document.hidden && full() && usage());

// restore adds rows for the links from before a reload. People who come from
// another page see the links in the list below.
const restore = async () => {
  if (performance.getEntriesByType("navigation")[0]?.type === "navigate") return;
  for (const file of kept.filter((e) => e.slug)) {
    try {
      const answer = await fetch(`/links/${file.slug}/state`, { cache: "no-store" });
      if (answer.ok) new Row(page, file, { title: "", slug: "", download: true }, await answer.json());
    } catch {
      return; // the list of links has them
    }
  }
};
find("#unsent button").addEventListener("click", () => {
  unsent.length = 0;
  batch();
});
if (kept.length) {
  await restore();
  batch();
}

// Files that were chosen on the front page before sign-in are uploaded if the
// user has just come from there. If not, the page asks: other people use this
// browser, too.
const asked = find("#asked");
const answer = async (does) => {
  asked.hidden = true;
  find("#choose").focus();
  await does();
};
find(".yes", asked).addEventListener("click", () =>
  full() ? say(`${full()}.`) : answer(async () => add(await take())),
);
find(".no", asked).addEventListener("click", () => answer(discard));
chosen(); // what was chosen before this script ran
if (!full() && unmark()) add(await take());
else {
  const waiting = await peek();
  if (waiting.length) {
    asked.hidden = false;
    find("b", asked).textContent = named(waiting);
    find("span", asked).textContent =
      `${waiting.length === 1 ? "was" : "were"} chosen in this browser before you signed in. Nothing has been sent.`;
  }
}
