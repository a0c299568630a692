// Shows the document as text that fits the window. The text is in the same
// sections as the pages, so that finding, turning and measuring do not change.
import { canvasOf, draw, events, happen, id, lead, release, root, turn, unit, view } from "./pages.js";
import { reflow } from "./reflow.js";
import { settle } from "./zoom.js";

const compounds = new Set(); // words with a hyphen on the pages laid out so far
const maxPixels = 4096 * 1024; // pixels of the picture of a page without text

export function toggle() {
  const { current } = view;
  const on = !view.reading;
  view.reading = on ? lay : undefined;
  for (const s of view.sheets) release(s);
  root.classList.toggle("reading", on);
  id("read").setAttribute("aria-pressed", on);
  settle();
  happen("scale");
  turn(current);
  draw();
}

// lay puts the text of a page into its section, without moving what is in view.
async function lay(s) {
  const page = await view.doc.getPage(s.number);
  s.page = page;
  const [{ items }, links] = await Promise.all([page.getTextContent(), page.getAnnotations()]);
  const { transform } = page.getViewport({ scale: 1 });
  const placed = items.map(({ str, transform: own, width }) => {
    const [, , c, d, x, y] = view.pdfjs.Util.transform(transform, own);
    return { text: str, x, y, width, size: Math.hypot(c, d) };
  });
  const divs = [];
  const parts = reflow(placed, compounds).map(({ head, runs }) => {
    const p = document.createElement(head ? "h2" : "p");
    p.dir = "auto";
    for (const [number, text] of runs) {
      divs[number] = run(text, items[number], links);
      p.append(divs[number]);
    }
    return p;
  });
  if (!parts.length) parts.push(await picture(page));
  if (view.reading !== lay) return;
  const pin = view.sheets[view.current - 1].element;
  const top = pin.getBoundingClientRect().top;
  s.element.replaceChildren(title(s.number), ...parts);
  scrollBy({ top: pin.getBoundingClientRect().top - top, behavior: "instant" });
  s.text = { textDivs: divs, update() {}, cancel() {} };
  s.at = view.scale;
  s.written = true;
  happen("text", s);
}

function title(number) {
  const header = document.createElement("header");
  const back = document.createElement("button");
  back.type = "button";
  back.textContent = `Show ${unit.toLowerCase()}`;
  back.setAttribute("aria-label", `${back.textContent} ${number} as it is`);
  back.onclick = () => {
    toggle();
    turn(number);
  };
  header.append(`${unit} ${number}`, back);
  return header;
}

// run returns an element with the text of an item. It is a link if the middle
// of the item is on one.
function run(text, { transform, width, height }, links) {
  const x = transform[4] + width / 2;
  const y = transform[5] + height / 2;
  const link = links.find(
    ({ subtype, url, dest, rect: [x1, y1, x2, y2] }) =>
      subtype === "Link" && (url || dest) && x > x1 && x < x2 && y > y1 && y < y2,
  );
  const element = document.createElement(link ? "a" : "span");
  if (link) lead(element, link);
  element.textContent = text;
  return element;
}

async function picture(page) {
  const { width } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: root.clientWidth / width });
  const canvas = canvasOf(viewport, maxPixels);
  await page.render({
    canvas,
    viewport,
    transform: [canvas.width / viewport.width, 0, 0, canvas.height / viewport.height, 0, 0],
  }).promise;
  return canvas;
}

// remark moves the marks of hits to where their words are now.
function remark() {
  if (!view.reading) return;
  for (const m of document.querySelectorAll(".found")) m.remove();
  for (const s of view.sheets) if (s.written) happen("text", s);
}
events.addEventListener("scale", remark);
addEventListener("resize", remark);
