// Deploys websites: packs a folder that is dropped or chosen into a ZIP, in the
// browser, and uploads it.
import { find } from "../../ui/app.js";
import { begin, controls, dropped, explain, fail, fits, hide, progress, show, state } from "../sending.js";
import { upload } from "../upload.js";
import "../slug.js";
import { hidden, mostFiles, TooMuch, zip } from "./zip.js";

// read returns what was dropped: {name, files} for a folder, {name, zip} for a
// ZIP.
const read = async (items) => {
  const entries = items.map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 1 && entries[0].isFile && /\.zip$/i.test(entries[0].name))
    return { name: entries[0].name, zip: await new Promise((go, stop) => entries[0].file(go, stop)) };
  const files = [];
  const walk = async (entry) => {
    const path = entry.fullPath.replace(/^\//, "");
    if (hidden(path)) return;
    if (entry.isFile) {
      files.push({ path, file: await new Promise((go, stop) => entry.file(go, stop)) });
      if (files.length > mostFiles)
        throw new TooMuch(`The folder has more than ${mostFiles.toLocaleString("en")} files.`);
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((go, stop) => reader.readEntries(go, stop));
      if (!some.length) return;
      for (const e of some) await walk(e);
    }
  };
  for (const entry of entries) await walk(entry);
  return { name: entries.length === 1 ? entries[0].name : "Website", files };
};

const drop = find("#drop");
if (drop) {
  const overlay = find("#overlay");
  const naming = find("#new");
  let running = null;
  let last = null;

  // made has the address where the deploy begins. A new website is created
  // once.
  let made = drop.dataset.begin && { begin: drop.dataset.begin };
  const site = async (name) => {
    if (made) return made;
    const fields = naming ? new FormData(naming) : new FormData();
    const title = fields.get("title")?.trim() || name.replace(/\.zip$/i, "").slice(0, 200) || "Website";
    const slug = fields.get("slug")?.trim();
    const answer = await fetch("/websites/new", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ title, ...(slug && { slug }) }),
    });
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok)
      throw Object.assign(new Error(body.error || `The server answered ${answer.status}.`), {
        code: body.code,
        upgrade: Boolean(body.upgradeUrl),
      });
    made = body;
    return made;
  };

  // discard deletes a new website whose deploy failed. The server keeps one
  // that has a version.
  const discard = () => {
    if (drop.dataset.begin || !made) return;
    const { manage } = made;
    made = undefined;
    return fetch(`${manage}/discard`, { method: "POST", keepalive: true }).catch(() => {});
  };
  addEventListener("pagehide", () => running && discard());

  const deploy = async (source) => {
    if (running) return;
    last = source;
    running = new AbortController();
    const { signal } = running;
    begin();
    try {
      show("Reading");
      const { name, files, zip: whole } = await source();
      if (files && !files.length) throw new TooMuch("The folder is empty.");
      const packed =
        whole ??
        (await zip(files, {
          signal,
          onprogress: (n, of) => {
            show("Packing");
            progress(n, of);
          },
        }));
      fits(packed, Number(drop.dataset.fileLimit));
      begin();
      const { begin: uploads } = await site(name);
      const version = await upload(packed, {
        name: "website.zip",
        type: "application/zip",
        begin: uploads,
        complete: `${uploads}/complete`,
        signal,
        onstate: state,
        onprogress: progress,
      });
      show("Deployed");
      made = undefined; // keep the website
      location.assign(version.next);
      return;
    } catch (err) {
      await discard();
      if (err.name === "AbortError") hide();
      else fail("Not deployed", ...explain(err, "The ZIP", drop.dataset.upgrade !== undefined));
    }
    running = null;
  };

  controls(
    () => running?.abort(),
    () => last && deploy(last),
  );

  const folder = find("#folder");
  const zipped = find("#zip");
  find("#choose-folder").addEventListener("click", () => folder.click());
  find("#choose-zip").addEventListener("click", () => zipped.click());
  folder.addEventListener("change", () => {
    const files = [...folder.files]
      .map((file) => ({ path: file.webkitRelativePath || file.name, file }))
      .filter((f) => !hidden(f.path));
    if (folder.files.length)
      deploy(async () => ({ name: folder.files[0].webkitRelativePath.split("/")[0] || "Website", files }));
  });
  zipped.addEventListener("change", () => {
    const [file] = zipped.files;
    if (file) deploy(async () => ({ name: file.name, zip: file }));
  });

  dropped(
    (over) => (overlay.hidden = !over),
    ({ items }) => {
      const got = read([...items]); // dropped items can be read only during the event
      deploy(() => got);
    },
  );
}
