// Websites: a folder that is dropped or chosen becomes a ZIP, here, and goes the way of every upload. What is stored in the ZIP is read from the disk while
// it is sent; only text, which packs well, is packed before, a file at a time.
import { all, find } from "./app.js";
import { upload } from "./upload.js";

const most = 0xffffffff; // bytes of a ZIP without 64-bit numbers
const mostFiles = 10_000; // of a website
const packs =
  /\.(html?|xhtml|css|m?js|json|map|webmanifest|xml|xsl|txt|md|csv|svg|rss|atom|jsonld|geojson|vtt|ics|gltf|wasm|ttf|otf|eot|ico|bmp)$/i;
const mostPacked = 32 << 20; // larger files are stored as they are

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});
const crcOf = (bytes, crc) => {
  for (let i = 0; i < bytes.length; i++) crc = crcTable[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
  return crc;
};

// deflated packs bytes as ZIPs do, or answers null where a browser cannot.
const deflated = async (bytes) => {
  try {
    return await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"))).blob();
  } catch {
    return null;
  }
};

// record lays out numbers: pairs of value and width in bytes.
const record = (...pairs) => {
  const view = new DataView(new ArrayBuffer(pairs.reduce((n, [, width]) => n + width, 0)));
  let at = 0;
  for (const [value, width] of pairs) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return view.buffer;
};

export class TooMuch extends Error {}

// zip packs files, each {path, file}, into a Blob. The same files make the same bytes: no times are written.
export const zip = async (files, { onprogress = () => {}, signal } = {}) => {
  if (files.length > mostFiles)
    throw new TooMuch(`The folder has ${files.length} files. A website has at most ${mostFiles.toLocaleString("en")}.`);
  const total = files.reduce((n, f) => n + f.file.size, 0);
  const parts = [];
  const directory = [];
  let at = 0;
  let done = 0;
  for (const { path, file } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    signal?.throwIfAborted();
    let crc = 0xffffffff;
    let content = file;
    let method = 0;
    if (packs.test(path) && file.size <= mostPacked) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      crc = crcOf(bytes, crc);
      const small = await deflated(bytes);
      if (small && small.size < bytes.length) [content, method] = [small, 8];
      done += bytes.length;
      onprogress(done, total);
    } else {
      const reader = file.stream().getReader();
      for (;;) {
        const chunk = await reader.read();
        if (chunk.done) break;
        signal?.throwIfAborted();
        crc = crcOf(chunk.value, crc);
        done += chunk.value.length;
        onprogress(done, total);
      }
    }
    crc = (crc ^ 0xffffffff) >>> 0;
    const name = new TextEncoder().encode(path);
    // version, flags (names are UTF-8), method, time, date, checksum, sizes, lengths
    const facts = [
      [20, 2],
      [0x800, 2],
      [method, 2],
      [0, 2],
      [0x21, 2],
      [crc, 4],
      [content.size, 4],
      [file.size, 4],
      [name.length, 2],
      [0, 2],
    ];
    if (name.length > 0xffff || at + 30 + name.length + content.size > most - 46 * mostFiles)
      throw new TooMuch("The folder takes more than 4 GB. Leave out large files, and give them links of their own.");
    parts.push(record([0x04034b50, 4], ...facts), name, content);
    directory.push(record([0x02014b50, 4], [20, 2], ...facts, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]), name);
    at += 30 + name.length + content.size;
  }
  const size = directory.reduce((n, p) => n + p.byteLength, 0);
  const end = record([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [at, 4], [0, 2]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
};

// What no website serves is not even sent.
const hidden = (path) => path.split("/").some((part) => part.startsWith(".") || part === "__MACOSX");

// dropped is what was dropped: {name, files} of a folder, or {name, zip}.
const dropped = async (items) => {
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

const units = ["B", "kB", "MB", "GB"];
const bytes = (n) => {
  let at = 0;
  while (n >= 999.5 && at < units.length - 1) {
    n /= 1000;
    at++;
  }
  return `${at && n < 9.95 ? n.toFixed(1) : Math.round(n)} ${units[at]}`;
};

const drop = find("#drop");
if (drop) {
  const panel = find("#deploying");
  const stage = find("#stage");
  const figures = find("#figures");
  const bar = find("#bar");
  const why = find("#why");
  const cancel = find("#cancel");
  const again = find("#again");
  const close = find("#close");
  const overlay = find("#overlay");
  const naming = find("#new");
  let running = null;
  let last = null;

  const show = (text, more = "") => {
    if (stage.textContent !== text) stage.textContent = text;
    figures.textContent = more;
  };
  const fail = (text, link) => {
    show("Not deployed");
    why.hidden = false;
    why.textContent = text;
    if (link) {
      const a = document.createElement("a");
      Object.assign(a, { href: link[1], textContent: link[0] });
      why.append(" ", a);
    }
    bar.hidden = true;
    cancel.hidden = true;
    again.hidden = close.hidden = false;
  };
  const plans = drop.dataset.upgrade === undefined ? undefined : ["Compare the plans", "/plans"];
  const explain = (err) => {
    if (err.code === "file_too_large")
      return [`It has ${bytes(err.used)} packed, and your plan takes up to ${bytes(err.limit)}.`, plans];
    if (err.code === "storage_limit")
      return [
        `${bytes(err.used)} of ${bytes(err.limit)} are used, and it does not fit. Delete older versions, or links.`,
        plans,
      ];
    if (err.code === "unauthorized") return ["You are not signed in any more.", ["Sign in", "/sign-in"]];
    if (err instanceof TypeError)
      return ["The connection was lost, or a file of the folder could not be read. Nothing has changed; try again."];
    return [err.message, err.upgrade ? plans : undefined];
  };

  // made is where the deploy of a new website begins, which is made once.
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

  // discard takes a website back that was made for a deploy which came to nothing. One that has a version stays, whatever this page knows.
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
    panel.hidden = bar.hidden = cancel.hidden = false;
    why.hidden = again.hidden = close.hidden = true;
    bar.value = 0;
    panel.scrollIntoView({ block: "nearest" });
    try {
      show("Reading");
      const { name, files, zip: whole } = await source();
      if (files && !files.length) throw new TooMuch("There are no files in it.");
      const packed =
        whole ??
        (await zip(files, {
          signal,
          onprogress: (n, of) => {
            bar.value = of ? n / of : 1;
            show("Packing", `${bytes(n)} of ${bytes(of)}`);
          },
        }));
      const limit = Number(drop.dataset.fileLimit);
      if (limit && packed.size > limit)
        throw Object.assign(new Error(), { code: "file_too_large", used: packed.size, limit });
      bar.value = 0;
      const { begin } = await site(name);
      const version = await upload(packed, {
        name: "website.zip",
        type: "application/zip",
        begin,
        complete: `${begin}/complete`,
        signal,
        onstate: (state, more) => {
          show(
            { waiting: "Waiting", uploading: "Uploading", checking: "Checking", retrying: "Trying again" }[state],
            more ? `in ${more.seconds} s` : "",
          );
          cancel.hidden = state === "checking";
        },
        onprogress: (sent, of) => {
          bar.value = sent / of;
          figures.textContent = `${bytes(sent)} of ${bytes(of)}`;
        },
      });
      show("Deployed");
      made = undefined; // it stays
      location.assign(version.next);
      return;
    } catch (err) {
      await discard();
      if (err.name === "AbortError") panel.hidden = true;
      else fail(...explain(err));
    }
    running = null;
  };

  cancel.addEventListener("click", () => running?.abort());
  again.addEventListener("click", () => last && deploy(last));
  close.addEventListener("click", () => (panel.hidden = true));

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

  let depth = 0;
  const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
  const over = (by) => (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = Math.max(0, depth + by);
    overlay.hidden = !depth;
  };
  addEventListener("dragenter", over(1));
  addEventListener("dragleave", over(-1));
  addEventListener("dragover", (event) => carriesFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    overlay.hidden = true;
    const got = dropped([...event.dataTransfer.items]); // what is dropped can be asked for now alone
    deploy(() => got);
  });
}

// An address is looked up while it is typed.
for (const field of all("input[data-check]")) {
  const says = find(".slug-says", field.form);
  let timer;
  let asked = 0;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    const slug = field.value.trim();
    const number = ++asked;
    const tell = (text, state) => {
      if (number !== asked) return;
      says.textContent = text;
      says.dataset.state = state;
      field.setAttribute("aria-invalid", String(state === "taken"));
    };
    if (!slug) return tell("", "");
    timer = setTimeout(async () => {
      try {
        const said = await (
          await fetch(`${field.dataset.check}?${new URLSearchParams({ slug })}`, { cache: "no-store" })
        ).json();
        tell(said.message ?? said.error, said.free ? "free" : "taken");
      } catch {
        tell("", ""); // it is looked at again when it is sent
      }
    }, 250);
  });
}
