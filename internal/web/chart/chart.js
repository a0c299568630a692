// Tooltips: an element with data-tip shows it on hover, touch and focus. The
// marks of a group with data-tips have one tab stop. Arrow keys move between
// marks, and up and down by data-columns.
import { parse, spoken, towards } from "./tip.js";

const tip = document.createElement("div");
tip.className = "tip raised";
tip.hidden = true;
tip.setAttribute("aria-hidden", "true"); // screen readers read the marks
document.body.append(tip);
let shown;

const markOf = (target) => target?.closest?.("[data-tip]");
const marksOf = (group) => [...group.querySelectorAll("[data-tip]")];

const row = ([kind, name, value]) => {
  const line = document.createElement("span");
  const label = document.createElement("small");
  const figure = document.createElement("strong");
  if (kind) line.className = `key ${kind}`;
  label.textContent = name;
  figure.textContent = value;
  line.append(figure, label);
  return line;
};

const hide = () => {
  shown?.classList.remove("is-on");
  shown = undefined;
  tip.hidden = true;
};

// place puts the tip beside a tall mark, and above or below other marks.
const place = (mark) => {
  const box = mark.getBoundingClientRect();
  const { offsetWidth: wide, offsetHeight: high } = tip;
  const right = document.documentElement.clientWidth;
  const middle = (box.left + box.right) / 2;
  let x = middle - wide / 2;
  let y = box.top - high - 8;
  if (mark instanceof SVGGElement) {
    x = middle > right / 2 ? middle - wide - 16 : middle + 16;
    y = box.top + 4;
  } else if (y < 64) y = box.bottom + 8; // the page header would cover it
  x = Math.max(8, Math.min(right - wide - 8, x));
  tip.style.transform = `translate(${Math.round(x + scrollX)}px, ${Math.round(y + scrollY)}px)`;
};

const show = (mark) => {
  if (mark !== shown) hide();
  const said = parse(mark.dataset.tip);
  const title = document.createElement("b");
  title.textContent = said.title;
  tip.replaceChildren(title, ...said.rows.map(row));
  tip.hidden = false;
  shown = mark;
  mark.classList.add("is-on");
  place(mark);
};

document.addEventListener("pointermove", (event) => {
  if (event.pointerType === "mouse") {
    const mark = markOf(event.target);
    if (mark) return mark === shown || show(mark);
    return shown && !shown.contains(document.activeElement) && hide();
  }
  const group = event.target.closest?.("[data-tips]"); // a touch stays in the group where it began
  const mark = group && markOf(document.elementFromPoint(event.clientX, event.clientY));
  if (mark && group.contains(mark)) show(mark);
});
document.addEventListener("pointerdown", (event) => {
  if (event.pointerType === "mouse") return;
  const mark = markOf(event.target);
  if (mark) show(mark);
  else hide();
});
document.documentElement.addEventListener("pointerleave", (event) => {
  if (event.pointerType === "mouse") hide(); // after a touch, the tip stays until the next tap
});
addEventListener("scroll", (event) => event.target !== document && hide(), { capture: true, passive: true });
addEventListener("resize", hide);

// stop makes a mark the tab stop of its group.
const stop = (group, mark) => {
  for (const old of group.querySelectorAll('[data-tip][tabindex="0"]')) if (old !== mark) old.tabIndex = -1;
  mark.setAttribute("tabindex", "0");
};

// name gives marks of a drawing, which have no text, their tip as their
// accessible name.
const name = (marks) => {
  for (const mark of marks) {
    if (!(mark instanceof SVGGElement)) continue;
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", spoken(parse(mark.dataset.tip)));
  }
};

document.addEventListener("focusin", (event) => {
  const mark = markOf(event.target);
  if (!mark) return;
  const group = mark.closest("[data-tips]");
  if (group && mark === event.target) stop(group, mark);
  if (event.target.matches(":focus-visible")) show(mark);
});
document.addEventListener("focusout", (event) => shown?.contains(event.target) && hide());
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && shown) {
    hide();
    return;
  }
  const group = event.target.closest?.("[data-tips]");
  if (!group || !event.target.dataset.tip || event.ctrlKey || event.metaKey || event.altKey) return;
  const marks = marksOf(group);
  const to = towards(event.key, marks.indexOf(event.target), marks.length, Number(group.dataset.columns ?? 1));
  if (to === undefined) return;
  event.preventDefault();
  stop(group, marks[to]);
  marks[to].focus();
  show(marks[to]);
});

// ready gives each group a tab stop: the last mark if data-tips is "last",
// otherwise the first.
const ready = () => {
  for (const group of document.querySelectorAll("[data-tips]")) {
    const marks = marksOf(group);
    name(marks);
    if (!marks.length || marks.some((m) => m.tabIndex === 0)) continue;
    stop(group, group.dataset.tips === "last" ? marks.at(-1) : marks[0]);
  }
  if (!shown) return;
  if (shown.isConnected) show(shown);
  else hide();
};
document.addEventListener("numbers", ready);
ready();
