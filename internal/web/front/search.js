// Shows results of the documentation search while people type. Enter opens the
// selected result or, if none is selected, the page of all results.
import { all, find } from "../ui/app.js";

const form = find(".docs-search");
const field = find("input", form);
const hits = find("#hits");
const said = find("#hits-said");
const shownAtMost = 8;
let typed;
let shown; // the query of the results in the list
let asking;

const options = () => all("[role=option]", hits);
const choose = (option) => {
  for (const o of options()) o.setAttribute("aria-selected", o === option);
  if (option) {
    field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  } else {
    field.removeAttribute("aria-activedescendant");
  }
};
const open = (yes) => {
  hits.hidden = !yes;
  field.setAttribute("aria-expanded", yes && options().length > 0);
  choose(null);
};

// show fills the list with the results of a results page.
const show = (page) => {
  const found = all(".found li", page);
  const list = found.slice(0, shownAtMost).map((li, i) => {
    const option = document.createElement("a");
    option.href = find("a", li).getAttribute("href");
    option.setAttribute("role", "option");
    option.id = `hit-${i}`;
    option.tabIndex = -1;
    option.append(...find("a", li).childNodes, find("p", li));
    return option;
  });
  const words = find(".doc [role=status]", page)?.textContent ?? "";
  said.textContent = words;
  if (list.length) {
    const box = document.createElement("div");
    box.id = "hits-list";
    box.setAttribute("role", "listbox");
    box.setAttribute("aria-label", "Results");
    box.append(...list);
    hits.replaceChildren(box);
  } else {
    const none = document.createElement("p");
    none.textContent = words;
    hits.replaceChildren(none);
  }
  if (found.length > shownAtMost) {
    const more = document.createElement("a");
    more.className = "more-hits";
    more.href = `${form.action}?${new URLSearchParams(new FormData(form))}`;
    more.textContent = "All results";
    hits.append(more);
  }
  open(true);
  hits.scrollTop = 0;
};

const ask = () => {
  asking?.abort();
  if (!field.value.trim()) {
    open(false);
    return;
  }
  const words = field.value;
  const x = new XMLHttpRequest();
  asking = x;
  x.open("GET", `${form.action}?${new URLSearchParams(new FormData(form))}`);
  x.responseType = "document";
  x.onload = () => {
    if (x.status !== 200 || !x.response || !form.contains(document.activeElement)) return;
    show(document.adoptNode(x.response.body));
    shown = words;
  };
  x.send(); // if this fails, Enter still opens the page of results
};

const combobox = {
  role: "combobox",
  "aria-autocomplete": "list",
  "aria-expanded": "false",
  "aria-controls": "hits-list",
};
for (const [name, value] of Object.entries(combobox)) field.setAttribute(name, value);
field.addEventListener("input", () => {
  clearTimeout(typed);
  typed = setTimeout(ask, 120);
});
field.addEventListener("focus", () => {
  if (!hits.hasChildNodes() || !field.value.trim()) return;
  if (field.value === shown) open(true);
  else ask();
});
form.addEventListener("focusout", ({ relatedTarget }) => {
  if (!form.contains(relatedTarget)) open(false);
});
form.addEventListener("submit", () => asking?.abort());

field.addEventListener("keydown", (event) => {
  if (event.isComposing || hits.hidden) return;
  const list = options();
  const at = list.findIndex((o) => o.getAttribute("aria-selected") === "true");
  const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? list.length - 1 : at - 1 }[event.key];
  if (to !== undefined && list.length) choose(list[to] ?? null);
  else if (event.key === "Enter" && at >= 0) list[at].click();
  else if (event.key === "Escape") open(false);
  else return;
  event.preventDefault();
});

// "/" moves the focus to the search, as in the app.
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest?.("input:not([type=radio]), textarea, select")) return;
  event.preventDefault();
  field.focus();
  field.select();
});
