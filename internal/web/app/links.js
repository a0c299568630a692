// Scripts of the list of links and of a link's page: menus of rows, search,
// addresses, expiry and selection.
import { all, find, say } from "../ui/app.js";
import "./slug.js";

// The menu of a row opens below its button, or above it if it does not fit
// below.
document.addEventListener(
  "toggle",
  (event) => {
    const menu = event.target;
    if (!menu.matches?.(".menu.of-row") || event.newState !== "open") return;
    const button = find(`[popovertarget="${CSS.escape(menu.id)}"]`).getBoundingClientRect();
    const box = menu.getBoundingClientRect();
    const below = button.bottom + 4;
    const fits = below + box.height <= innerHeight - 8;
    menu.style.inset = "auto";
    menu.style.left = `${Math.max(8, Math.min(button.right - box.width, innerWidth - box.width - 8))}px`;
    menu.style.top = `${fits ? below : Math.max(8, button.top - box.height - 4)}px`;
  },
  true,
);
// Menus close on scroll, because they would stay where they opened.
const closeMenus = () => {
  for (const menu of all(".menu.of-row:popover-open")) menu.hidePopover();
};
addEventListener("scroll", closeMenus, { passive: true });

// Empty fields are not sent, so that addresses stay short.
const search = find("form.search");
search?.addEventListener("formdata", (event) => {
  for (const [name, value] of [...event.formData]) if (!value) event.formData.delete(name);
});

// The list updates while people type and choose.
const results = search?.dataset.results && document.getElementById(search.dataset.results);
let typed;
let asking;
// follow replaces the list with the one that submitting the form would show,
// then calls then.
const follow = (then = () => {}) => {
  clearTimeout(typed);
  asking?.abort();
  const query = new URLSearchParams(new FormData(search)).toString();
  const address = search.action + (query && `?${query}`);
  const x = new XMLHttpRequest();
  asking = x;
  x.open("GET", address);
  x.responseType = "document";
  x.onload = () => {
    const now = x.response?.getElementById(results.id);
    if (!now) {
      location.href = address; // signed out, or an error: that page explains it
      return;
    }
    results.replaceChildren(...document.adoptNode(now).childNodes);
    const matches = find("#matches");
    if (matches) matches.textContent = x.response.getElementById("matches").textContent;
    document.dispatchEvent(new Event("found"));
    then();
    history.replaceState(null, "", address);
  };
  x.onerror = () => say("The server cannot be reached. The list still shows the previous search.");
  x.send();
};
if (results) {
  search.addEventListener("change", (event) => event.target.matches("select") && follow());
  search.addEventListener("input", (event) => {
    if (!event.target.matches("input")) return;
    clearTimeout(typed);
    typed = setTimeout(follow, 200);
  });
  search.addEventListener("submit", (event) => {
    event.preventDefault();
    follow();
  });
}

// A table is copied as text, for another program.
document.addEventListener("click", async (event) => {
  const table = event.target.closest?.("[data-fetch]")?.dataset.fetch;
  if (!table) return;
  try {
    const answer = await fetch(table);
    if (!answer.ok) throw new Error(answer.statusText);
    await navigator.clipboard.writeText(await answer.text());
    say("Copied");
  } catch {
    say("This could not be copied. Download the CSV file.");
  }
});

// The hint shows the last day of a link in the format of other pages.
find("#expires")?.addEventListener("change", ({ target }) => {
  const hint = find("#hint-expires");
  const day = target.valueAsDate?.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  });
  hint.textContent = hint.textContent.replace(/end of .* \(/, `end of ${day ?? "this day"} (`);
});

// A heading sorts the list like the choice above it, and keeps the focus.
document.addEventListener("click", (event) => {
  const heading = event.target.closest?.(".columns a[data-sort]");
  if (!heading || !results || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  search.elements.sort.value = heading.dataset.sort;
  const name = heading.textContent;
  follow(() =>
    all(".columns a")
      .find((a) => a.textContent === name)
      ?.focus(),
  );
});

// Selected links.
const picks = () => all(".row-pick input");
const picked = () => {
  const form = find("#bulk");
  if (!form) return;
  const n = picks().filter((box) => box.checked).length;
  find("[value=album]", form).disabled = !form.elements.album.value;
  find(".picked", form).textContent = `${n} selected`;
  // The bar does not cover what is scrolled into view.
  const { bottom } = getComputedStyle(form);
  document.documentElement.style.scrollPaddingBottom = n
    ? `${form.offsetHeight + (Number.parseFloat(bottom) || 0) + 8}px`
    : "";
  find("#bulk-delete-title", form).textContent = n === 1 ? "Delete the selected link?" : `Delete ${n} links?`;
};
document.addEventListener("change", (event) => {
  if (event.target.matches("#bulk [name=album]")) picked();
  if (!event.target.matches(".row-pick input")) return;
  picked();
  event.target.closest("li").scrollIntoView({ block: "nearest" });
});
document.addEventListener("reset", (event) => event.target.id === "bulk" && setTimeout(picked));
document.addEventListener("click", (event) => {
  if (!event.target.matches(".pick-all")) return;
  for (const box of picks()) box.checked = true;
  picked();
});
picked();
