// Keeps an open report up to date. It asks the server whether the numbers have
// changed, and if so replaces what is new.
import { find } from "../../ui/app.js";

const eager = 5_000; // ms between requests after a change
const slow = 60_000; // ms between requests at most
const patience = 10 * 60_000; // ms without a change, after which requests become rarer
const silence = 30_000; // ms between announcements at least
const sign = find("#live");
const stats = find("#stats");
const about = find("#about");
const heard = find("#heard");
let version = stats?.dataset.version;
let timer;
let asking;
let wait = eager;
let changed = Date.now();
let spoken = 0;

// Attributes that scripts set for the keyboard. turn keeps them.
const scripts = new Set(["open", "tabindex", "role", "aria-label"]);
// turn makes an element equal to another. It keeps nodes that have not changed,
// and with them the focus, open elements and scroll positions.
const turn = (from, to) => {
  if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName || from.id !== to.id)
    return from.replaceWith(to.cloneNode(true));
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.data !== to.data) from.data = to.data;
    return;
  }
  for (const { name } of [...from.attributes])
    if (!to.hasAttribute(name) && !scripts.has(name)) from.removeAttribute(name);
  for (const { name, value } of to.attributes) if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  const olds = [...from.childNodes];
  const news = [...to.childNodes];
  for (const [i, child] of news.entries()) {
    if (i < olds.length) turn(olds[i], child);
    else from.append(child.cloneNode(true));
  }
  for (const child of olds.slice(news.length)) child.remove();
};

const tell = (text, off) => {
  sign.classList.add("is-on");
  sign.classList.toggle("is-off", Boolean(off));
  find(".live-text", sign).textContent = text;
};

const stop = (text, address) => {
  clearTimeout(timer);
  version = undefined;
  tell("", true);
  const a = document.createElement("a");
  a.href = address;
  a.textContent = text;
  find(".live-text", sign).replaceChildren(a);
  heard.textContent = text;
};
const signedOut = () =>
  stop("Signed out: sign in again", `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);

// fresh fetches the current page without running its scripts.
const fresh = () =>
  new Promise((resolve, reject) => {
    const x = new XMLHttpRequest();
    x.open("GET", sign.dataset.now);
    x.responseType = "document";
    x.timeout = 30_000;
    x.onload = () => resolve(x);
    x.onerror = x.ontimeout = reject;
    x.send();
  });

// figures returns the totals. Changes are announced to screen readers only if
// these change, and not, say, when a visit ends.
const figures = () => Array.from(stats.querySelectorAll(".cards .value"), (e) => e.textContent).join();

const take = async () => {
  const answer = await fresh();
  const now = answer.response?.getElementById("stats");
  if (answer.status === 401) return signedOut();
  if (answer.status !== 200 || !now) throw answer;
  const head = answer.response.getElementById("about");
  const before = figures();
  if (head) turn(about, document.adoptNode(head));
  turn(stats, document.adoptNode(now));
  version = stats.dataset.version;
  changed = Date.now();
  const time = document.createElement("time");
  time.dateTime = new Date().toISOString();
  time.dataset.local = "";
  tell("Changed ");
  find(".live-text", sign).append(time);
  document.dispatchEvent(new Event("numbers"));
  sign.classList.remove("is-new");
  void sign.offsetWidth; // restarts the animation of the mark
  sign.classList.add("is-new");
  if (changed - spoken > silence && figures() !== before) {
    spoken = changed;
    const views = find("#card-views .value", stats);
    heard.textContent = views
      ? `The numbers have changed: ${views.textContent} ${stats.dataset.one}${views.textContent === "1" ? "" : "s"}.`
      : "The numbers have changed.";
  }
};

const ask = async () => {
  if (asking || document.hidden || version === undefined) return;
  asking = true;
  clearTimeout(timer);
  try {
    const answer = await fetch(sign.dataset.pulse, {
      headers: { "If-None-Match": `"${version}"` },
      cache: "no-store",
      redirect: "manual",
      signal: AbortSignal.timeout(30_000),
    });
    if (answer.status === 401) return signedOut();
    if (answer.status === 403 || answer.status === 404)
      return stop("Not updated any more: load the page again", location.href);
    if (answer.ok) {
      if ((await answer.json()).version !== version) await take();
    } else if (answer.status !== 304) throw answer;
    if (sign.classList.contains("is-off")) tell("Up to date");
    wait = Date.now() - changed > patience ? Math.min(wait * 1.5, slow) : eager;
  } catch {
    wait = Math.min(wait * 2, slow);
    tell("Waiting for the server", true);
  } finally {
    asking = false;
  }
  if (version !== undefined) timer = setTimeout(ask, wait);
};

if (sign && stats) {
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return clearTimeout(timer);
    wait = eager;
    ask();
  });
  addEventListener("online", ask);
  addEventListener("pageshow", (event) => event.persisted && ask());
  sign.classList.add("is-on");
  timer = setTimeout(ask, eager);
}
