// The chart over time, drawn over the one that the page came with, from the table that stands below it: with a cursor for mouse, touch and
// keys. Scales and grid stay the page's.
import { find } from "../../ui/app.js";
import { columns, read, spoken } from "./series.js";

const edge = 4; // lines are drawn a little beyond the scales, so that none is cut in half
const colours = ["--views", "--uniques", "--was"];
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

let chart;
let seen;
let tip;
const at = (i) => seen.rows[Math.min(i, seen.rows.length - 1)];

const line = (i, more) => ({
  label: String(i),
  show: find(`[data-series="${i}"]`)?.checked ?? i < 3,
  stroke: () => colour(colours[i - 1]),
  points: { show: false },
  ...more,
});

// today is the last part of line i, up to a day that is not over.
const today = (i, more) => line(i, { ...more, label: `${i} today`, dash: [1, 5], cap: "round" });

const entry = (name, text, c) => {
  const row = document.createElement("span");
  const label = document.createElement("small");
  const value = document.createElement("strong");
  row.style.setProperty("--c", `var(${c})`);
  label.textContent = name;
  value.textContent = text;
  row.append(label, value);
  return row;
};

const show = (u) => {
  const i = u.cursor.idx;
  const box = u.root.parentElement;
  const hidden = i === null || i === undefined || u.cursor.left < 0;
  tip.hidden = hidden;
  if (hidden) return;
  const row = at(i);
  const title = document.createElement("b");
  title.textContent = row.when;
  tip.replaceChildren(
    title,
    entry("Views", row.counts[0].text, "--views"),
    entry("Unique viewers", row.counts[1].text, "--uniques"),
  );
  if (row.counts.length > 2) tip.append(entry(`Views, ${row.before}`, row.counts[2].text, "--was"));
  const x = u.valToPos(i, "x");
  const room = box.clientWidth - tip.offsetWidth;
  tip.style.transform = `translate(${Math.max(0, Math.min(room, x > box.clientWidth / 2 ? x - tip.offsetWidth - 16 : x + 16))}px, 4px)`;
  box.setAttribute("aria-valuenow", i + 1);
  box.setAttribute("aria-valuetext", spoken(row));
};

const point = (u, i) => u.setCursor({ left: u.valToPos(Math.max(0, Math.min(seen.rows.length - 1, i)), "x"), top: 0 });
const away = (u) => u.setCursor({ left: -10, top: -10 });

const keys = (event) => {
  const i = chart.cursor.left < 0 ? seen.rows.length - 1 : (chart.cursor.idx ?? 0);
  const to = {
    ArrowLeft: i - 1,
    ArrowDown: i - 1,
    ArrowRight: i + 1,
    ArrowUp: i + 1,
    PageUp: i + 7,
    PageDown: i - 7,
    Home: 0,
    End: seen.rows.length - 1,
  }[event.key];
  if (event.key === "Escape") away(chart);
  if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  point(chart, to);
};

// touched follows a finger; a mouse is followed by uPlot.
const touched = (event) => {
  if (event.pointerType === "mouse") return;
  const r = chart.over.getBoundingClientRect();
  chart.setCursor({ left: Math.max(0, Math.min(r.width, event.clientX - r.left)), top: 0 });
};

const describe = (box) => {
  const words = {
    role: "slider",
    tabindex: "0",
    "aria-label": "Chart of views and unique viewers. Arrow keys go from point to point",
    "aria-orientation": "horizontal",
    "aria-valuemin": "1",
  };
  for (const [name, value] of Object.entries(words)) box.setAttribute(name, value);
};

const count = (box) => {
  box.setAttribute("aria-valuemax", seen.rows.length);
  box.setAttribute("aria-valuenow", seen.rows.length);
  box.setAttribute("aria-valuetext", spoken(at(seen.rows.length - 1)));
};

const size = (box) => ({ width: box.clientWidth + 2 * edge, height: box.clientHeight + 2 * edge });

const draw = (box) => {
  describe(box);
  count(box);
  tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  chart = new uPlot(
    {
      ...size(box),
      padding: [edge, edge, edge, edge],
      legend: { show: false },
      axes: [{ show: false }, { show: false }],
      scales: {
        x: { time: false, range: () => [0, Math.max(seen.rows.length - 1, 1)] },
        y: { range: () => [0, seen.top] },
      },
      cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { size: 8, width: 2 } },
      series: [
        {},
        line(1, { width: 2.5, fill: () => colour("--fill") }),
        line(2, { width: 2 }),
        line(3, { width: 1.75, dash: [5, 5] }),
        today(1, { width: 2.5, fill: () => colour("--fill") }),
        today(2, { width: 2 }),
      ],
      hooks: { setCursor: [show] },
    },
    columns(seen.rows),
    box,
  );
  box.append(tip);
  for (const kind of ["pointerdown", "pointermove"]) box.addEventListener(kind, touched);
  box.addEventListener("keydown", keys);
  box.addEventListener("focus", () => box.matches(":focus-visible") && point(chart, seen.rows.length - 1));
  box.addEventListener("blur", () => away(chart));
  new ResizeObserver(() => {
    if (!box.clientWidth) return;
    const s = size(box);
    if (s.width !== chart.width || s.height !== chart.height) chart.setSize(s);
  }).observe(box);
};

// update draws what the table says now.
const update = () => {
  const table = find("#series");
  const box = find("#plot");
  if (!table || !box || !window.uPlot) return;
  seen = read(table);
  if (!seen.rows.length) return;
  if (!chart || chart.root.parentElement !== box) return draw(box);
  const i = chart.cursor.left < 0 ? -1 : chart.cursor.idx;
  chart.setData(columns(seen.rows));
  count(box);
  if (i >= 0) point(chart, i);
};

document.addEventListener("change", (event) => {
  const i = Number(event.target.dataset?.series);
  if (!i || !chart) return;
  chart.setSeries(i, { show: event.target.checked });
  if (i < 3) chart.setSeries(i + 3, { show: event.target.checked });
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => chart?.redraw(false));
document.addEventListener("numbers", update);
update();
