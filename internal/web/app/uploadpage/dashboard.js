// The upload page. Files come from the picker, a drop, a paste or the front
// page. Each has a row that shows its state.
import { all, find, say } from "../../ui/app.js";
import { forget, named, peek, take, unmark } from "../../ui/pending.js";
import { bytes } from "../../ui/size.js";
import { deletable, held, linksInUse, span, uploadsUsed } from "../limit.js";
import "../links.js";
import { watchSlug } from "../slug.js";
import { newKey, upload } from "../upload.js";
import { filesIn, mostInFolder, ofFolder, refusal } from "./admit.js";
import { newBatch } from "./batch.js";
import { keep, kept, takeKey, unfinished } from "./journal.js";

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

const words = {
  waiting: "Waiting",
  uploading: "Uploading",
  retrying: "Connection lost",
  checking: "Checking",
  failed: "Failed",
  cancelled: "Cancelled",
};
const underWay = new Set(["waiting", "uploading", "retrying", "checking"]);
// Errors that another try of the same file cannot change.
const final = new Set([
  "unsupported_type",
  "type_mismatch",
  "invalid_name",
  "invalid_size",
  "size_mismatch",
  "content_mismatch",
  "unsafe_file",
  "malware",
  "file_too_large",
  "unreadable",
]);

// explain returns why a file failed, and links that may help: pairs of text and
// address.
const explain = (err) => {
  const plans = err.upgrade && drop.dataset.upgrade !== undefined ? [["Compare the plans", "/plans"]] : [];
  const links = deletable(err) ? [["Delete a link", "/links"]] : [];
  switch (err.code) {
    case "link_limit":
      return [`${linksInUse(err)}${held(err, String)}`, [...links, ...plans]];
    case "storage_limit":
      return [
        `${bytes(err.used)} of ${bytes(err.limit)} are used, and this file does not fit.${held(err, bytes)}`,
        [...links, ...plans],
      ];
    case "file_too_large":
      return [`It has ${bytes(err.used)}. The limit is ${bytes(err.limit)} per file.`, plans];
    case "rate_limited":
      return [`${uploadsUsed(err)} You can upload again in ${span(err.retryAfter || 60)}.`, plans];
    case "pro_required":
      return [err.message, plans];
    case "unauthorized":
      return ["You have been signed out. Sign in in another tab, then try again here.", [["Sign in", "/sign-in"]]];
  }
  if (err instanceof TypeError)
    return ["The connection was lost. The file was not saved. Try again when you are online.", []];
  return [err.message, []];
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
  for (const [pattern, part] of parts) {
    if (!pattern.test(name)) continue;
    find("span", line).hidden = false;
    find("span span", line).textContent = part;
  }
};

// titleOf returns the title of a link that gets no other: the file's name
// without its extension. undefined leaves it to the server.
const titleOf = (name) => {
  const stem = name.replace(/\.[^.]+$/, "").trim();
  return stem && stem.length <= 200 && !/[\p{Cc}\p{Cf}]/u.test(stem) ? stem : undefined;
};

let made = 0; // rows so far; gives each menu its ID
// Row is the row of a chosen file or, with a link, of one that was uploaded
// before a reload.
class Row {
  constructor(file, chosen, link) {
    this.file = file;
    this.name = file.name;
    this.size = file.size;
    this.modified = file.lastModified ?? file.modified;
    this.sent = 0;
    this.state = "waiting";
    this.key = file.key ?? takeKey(unsent, file) ?? newKey();
    this.li = find("#file-row").content.firstElementChild.cloneNode(true);
    this.bar = this.part("progress");
    this.part(".badge").textContent = (/\.([a-z0-9]{1,5})$/i.exec(file.name)?.[1] ?? "?").toUpperCase();
    this.menu = this.part(".menu");
    this.menu.id = `file-${++made}`;
    this.part(".row-menu").setAttribute("popovertarget", this.menu.id);
    this.called(file.name);
    this.bar.setAttribute("aria-label", `Upload of ${file.name}`);
    this.part(".before").hidden = false;
    this.field("title").value = chosen.title;
    if (this.field("slug")) this.field("slug").value = chosen.slug;
    this.field("download").checked = chosen.download;
    this.lasts = chosen.lasts; // days until the link expires, from the upload on
    this.part(".save").hidden = true;
    const slug = this.field("slug");
    if (slug) watchSlug(slug, this.part(".before .slug-says"), () => this.link?.slug ?? "");
    this.site = this.part(".as-website [name=slug]");
    if (this.site) watchSlug(this.site, this.part(".as-website .slug-says"), () => "", this.site.dataset.check);
    this.part(".cancel").addEventListener("click", () => this.cancel());
    this.part(".retry").addEventListener("click", () => this.start());
    this.part(".remove").addEventListener("click", () => this.remove());
    this.part(".change").addEventListener("click", () => {
      this.menu.hidePopover?.();
      this.part(".before").open = true;
      this.field("title").focus();
    });
    this.part(".save").addEventListener("click", () => this.save());
    for (const name of ["title", "slug"])
      this.field(name)?.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && this.link && !event.isComposing) this.save();
      });
    list.append(this.li);
    section.hidden = false;
    files.add(this);
    this.facts(bytes(file.size));
    if (link) {
      this.sent = file.size;
      this.part(".save").hidden = false;
      this.set(link);
      this.watch();
    } else this.start();
  }

  part(selector) {
    return find(selector, this.li);
  }

  field(name) {
    return find(`[data-options] [name=${name}]`, this.li);
  }

  // called sets the name of the row.
  called(title) {
    this.part(".title").textContent = title;
    this.part(".row-menu").setAttribute("aria-label", `Actions for ${title}`);
    this.part(".copy-it").setAttribute("aria-label", `Copy the address of ${title}`);
  }

  facts(...list) {
    this.part(".facts-line").textContent = list.filter(Boolean).join(" · ");
  }

  // show shows the state in words, and the buttons that apply to it.
  show(state, text = words[state], why = "", ways = []) {
    this.state = state;
    const chip = this.part(".chip");
    chip.textContent = text;
    chip.className = `chip is-${{ uploading: "processing", checking: "processing", failed: "disabled" }[state] ?? state}`;
    this.part(".why").textContent = why;
    this.part(".state").hidden = !why;
    this.part(".ways").replaceChildren(
      ...ways.map(([label, address]) => {
        const a = document.createElement("a");
        Object.assign(a, { href: address, textContent: label, target: "_blank", rel: "noopener" });
        return a;
      }),
    );
    const going = underWay.has(state);
    this.li.dataset.state = state;
    this.bar.hidden = !going;
    this.part(".cancel").hidden = !going || state === "checking";
    this.part(".remove").hidden = going;
    batch();
  }

  get url() {
    return this.link?.url;
  }

  get canRetry() {
    return (this.state === "failed" || this.state === "cancelled") && !this.part(".retry").hidden;
  }

  // cancel cancels the upload. A file that is being checked cannot be
  // cancelled.
  cancel() {
    if (underWay.has(this.state) && this.state !== "checking") this.abort?.abort();
  }

  options() {
    const slug = this.field("slug")?.value.trim();
    return {
      linkName: this.field("title").value.trim() || titleOf(this.name),
      expiresAt: this.lasts ? new Date(Date.now() + this.lasts * 86_400_000).toISOString() : undefined,
      slug: slug || undefined,
      allowDownload: this.field("download").checked,
    };
  }

  async start() {
    this.part(".retry").hidden = true;
    const slug = this.options().slug;
    if (this.asked !== undefined && this.asked !== slug) this.key = newKey(); // another slug makes another upload
    this.asked = slug;
    this.abort = new AbortController();
    this.samples = [];
    this.bar.value = 0;
    try {
      const link = await upload(this.file, {
        name: this.name,
        key: this.key,
        signal: this.abort.signal,
        options: () => this.options(),
        onstate: (state, more) => {
          const away = more?.cause.code?.startsWith("storage_");
          const busy = more?.cause.status && !away;
          const cause = more && !navigator.onLine ? "You are offline." : busy ? "The server is busy." : "";
          this.show(
            state,
            away ? "Waiting for the storage" : busy ? "Waiting for the server" : words[state],
            more ? `${cause} Trying again in ${span(more.seconds)}.`.trim() : "",
          );
          if (state === "checking") this.facts(bytes(this.file.size));
        },
        onprogress: (sent, of) => this.progress(sent, of),
      });
      this.took(link);
    } catch (err) {
      if (err.name === "AbortError") {
        this.show("cancelled");
        this.facts(bytes(this.file.size));
        this.part(".retry").hidden = false;
        batch();
        await err.released;
      } else this.fail(err);
    }
    usage();
  }

  // progress shows the bytes sent, the speed in the last five seconds, and the
  // time left.
  progress(sent, of) {
    const now = performance.now();
    this.bar.value = sent / of;
    this.sent = sent;
    batch();
    this.samples.push([now, sent]);
    while (this.samples.length > 2 && now - this.samples[0][0] > 5000) this.samples.shift();
    const [then, had] = this.samples[0];
    const speed = now - then > 500 ? ((sent - had) / (now - then)) * 1000 : 0;
    this.facts(
      `${bytes(sent)} of ${bytes(of)}`,
      speed > 0 && `${bytes(speed)}/s`,
      speed > 0 && sent < of && `${span((of - sent) / speed)} left`,
    );
  }

  fail(err) {
    const [why, ways] = explain(err);
    this.show("failed", words.failed, why, ways);
    this.facts(bytes(this.file.size));
    this.part(".retry").hidden = final.has(err.code);
    this.part(".before").hidden = final.has(err.code);
    batch();
    if (err.field === "slug") this.part(".before").open = true;
    tell(`${this.name} was not uploaded. ${why}`);
  }

  // took shows the link of the file. It saves options that changed during the
  // upload.
  async took(link) {
    find("section.first")?.remove();
    const wished = this.options();
    this.set(link);
    this.part(".save").hidden = false;
    tell(link.state === "live" ? `${this.name} is live` : `${this.name}: ${link.status}`);
    if (
      (wished.slug && wished.slug.toLowerCase() !== link.slug) ||
      (wished.linkName && wished.linkName !== link.title) ||
      wished.allowDownload !== link.allowDownload
    ) {
      this.field("title").value = wished.linkName ?? link.title;
      if (wished.slug) this.field("slug").value = wished.slug;
      this.field("download").checked = wished.allowDownload;
      await this.save();
    }
    this.watch();
  }

  set(link) {
    this.link = link;
    this.show(link.state, link.status, link.meaning ?? "");
    this.called(link.title);
    this.part(".file-address").hidden = this.part(".copy-it").hidden = false;
    this.part(".ext").textContent = link.badge;
    const address = new URL(link.url);
    this.part(".host").textContent = address.host;
    this.part(".path").textContent = address.pathname;
    this.part(".copy-it").dataset.text = link.url;
    this.facts(bytes(this.size));
    this.picture();
    this.field("title").value = link.title;
    if (this.field("slug")) this.field("slug").value = link.slug;
    this.field("download").checked = link.allowDownload;
    if (this.site) this.site.value ||= link.websiteSlug;
    for (const [selector, address] of [
      [".open", link.url],
      [".manage", link.manage],
      [".analytics", link.analytics],
      [".to-share", `${link.manage}/share`],
    ])
      for (const a of all(selector, this.li)) {
        a.href = address;
        a.hidden = false;
      }
    this.live();
  }

  // live shows what only a live link has.
  live() {
    for (const a of all(".acts .open", this.li)) a.hidden = this.link.state !== "live";
    this.part(".as-website").hidden = !this.link.website;
    this.part(".as-website").action = `${this.link.manage}/website`;
    if (this.link.state === "live") next(this.name);
  }

  // picture shows the preview of the link in the badge, once there is one.
  picture() {
    const badge = this.part(".badge");
    const { look, small } = this.link;
    if (!small) {
      badge.dataset.look = look;
      badge.textContent = this.link.badge;
      return;
    }
    const img = new Image(44, 50);
    img.alt = "";
    img.onload = () => badge.replaceChildren(img);
    img.src = small;
  }

  // watch polls the state of the link until it is checked and has its preview.
  async watch() {
    const open = () => files.has(this) && (this.link.state === "processing" || this.link.drawing);
    for (let wait = 700; open(); wait = Math.min(wait * 1.3, 15000)) {
      await new Promise((go) => setTimeout(go, wait));
      try {
        const answer = await fetch(`/links/${this.link.slug}/state`, { cache: "no-store" });
        if (answer.status === 404 || answer.status === 401) return;
        const now = await answer.json();
        if (!answer.ok) continue;
        const { state } = this.link;
        this.link = now;
        this.picture();
        if (now.state === state) continue;
        this.show(now.state, now.status, now.meaning ?? "");
        this.live();
        tell(now.state === "live" ? `${this.name} is live` : `${this.name}: ${now.status}`);
      } catch {
        // try again
      }
    }
  }

  // save changes the link to the options of the row.
  async save() {
    const says = this.part(".saved");
    const want = this.options();
    const changed = {};
    if (want.linkName && want.linkName !== this.link.title) changed.title = want.linkName;
    if (want.slug && want.slug.toLowerCase() !== this.link.slug) changed.slug = want.slug;
    if (want.allowDownload !== this.link.allowDownload) changed.allowDownload = want.allowDownload;
    says.dataset.state = "";
    try {
      const answer = await fetch(`${this.link.manage}/edit`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(changed),
      });
      const said = await answer.json();
      if (!answer.ok) throw new Error(said.error);
      this.set(said);
      if (this.part(".before .slug-says")) this.part(".before .slug-says").textContent = "";
      says.textContent = "Saved";
    } catch (err) {
      this.part(".before").open = true;
      says.dataset.state = "taken";
      says.textContent = err instanceof TypeError ? "Could not save. Try again." : err.message;
    }
  }

  remove() {
    files.delete(this);
    this.li.remove();
    section.hidden = !files.size;
    batch();
  }
}

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
  const one = some.length === 1;
  for (const file of some)
    new Row(file, {
      title: one ? beforeField("title").value : "",
      slug: one ? (beforeField("slug")?.value ?? "") : "",
      download: beforeField("download").checked,
      lasts: Number(beforeField("lasts").value),
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

// Deleting links on other pages makes room.
document.addEventListener("visibilitychange", () => !document.hidden && full() && usage());

// restore adds rows for the links from before a reload. People who come from
// another page see the links in the list below.
const restore = async () => {
  if (performance.getEntriesByType("navigation")[0]?.type === "navigate") return;
  for (const file of kept.filter((e) => e.slug)) {
    try {
      const answer = await fetch(`/links/${file.slug}/state`, { cache: "no-store" });
      if (answer.ok) new Row(file, { title: "", slug: "", download: true }, await answer.json());
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
find(".no", asked).addEventListener("click", () => answer(forget));
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
