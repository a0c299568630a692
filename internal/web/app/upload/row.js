// A row of the upload page: it uploads one file and shows its link.
import { all, find } from "../../ui/app.js";
import { bytes } from "../../ui/size.js";
import { deletable, held, linksInUse, span, uploadsUsed } from "../limit.js";
import { watchSlug } from "../slug.js";
import { newKey, upload } from "../upload.js";

const words = {
  waiting: "Waiting",
  uploading: "Uploading",
  retrying: "Connection lost",
  checking: "Checking",
  failed: "Failed",
  cancelled: "Cancelled",
};
// underWay has the states of a row whose upload goes on.
export const underWay = new Set(["waiting", "uploading", "retrying", "checking"]);
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
  const plans = err.upgrade && find("#drop").dataset.upgrade !== undefined ? [["Compare the plans", "/plans"]] : [];
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

// titleOf returns the title of a link that gets no other: the file's name
// without its extension. undefined leaves it to the server.
const titleOf = (name) => {
  const stem = name.replace(/\.[^.]+$/, "").trim();
  return stem && stem.length <= 200 && !/[\p{Cc}\p{Cf}]/u.test(stem) ? stem : undefined;
};

let made = 0; // rows so far; gives each menu its ID
// Row is the row of a chosen file or, with a link, of one that was uploaded
// before a reload. It calls these functions of its page:
//   add(row), remove(row), has(row): the rows of the page.
//   takeKey(file): returns the idempotency key of a file before a reload.
//   changed(): the state or the progress of the row has changed.
//   announce(text): the result of an upload, in words.
//   live(name): a link is live; name is that of its file.
//   usage(): the account's usage may have changed.
export class Row {
  constructor(page, file, chosen, link) {
    this.page = page;
    this.file = file;
    this.name = file.name;
    this.size = file.size;
    this.modified = file.lastModified ?? file.modified;
    this.sent = 0;
    this.state = "waiting";
    this.key = file.key ?? page.takeKey(file) ?? newKey();
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
    this.password = chosen.password; // "" for none
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
    page.add(this);
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
    this.page.changed();
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
      access: this.password ? { password: this.password } : undefined,
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
          if (state === "uploading") this.samples = []; // a try may go on elsewhere in the file
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
        this.page.changed();
        await err.released;
      } else this.fail(err);
    }
    this.page.usage();
  }

  // progress shows the bytes sent, the speed in the last five seconds, and the
  // time left.
  progress(sent, of) {
    const now = performance.now();
    this.bar.value = sent / of;
    this.sent = sent;
    this.page.changed();
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
    this.page.changed();
    if (err.field === "slug") this.part(".before").open = true;
    this.page.announce(`${this.name} was not uploaded. ${why}`);
  }

  // took shows the link of the file. It saves options that changed during the
  // upload.
  async took(link) {
    find("section.first")?.remove();
    const wished = this.options();
    this.set(link);
    this.part(".save").hidden = false;
    this.page.announce(link.state === "live" ? `${this.name} is live` : `${this.name}: ${link.status}`);
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
    if (this.link.state === "live") this.page.live(this.name);
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
    const open = () => this.page.has(this) && (this.link.state === "processing" || this.link.drawing);
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
        this.page.announce(now.state === "live" ? `${this.name} is live` : `${this.name}: ${now.status}`);
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
    this.page.remove(this);
  }
}
