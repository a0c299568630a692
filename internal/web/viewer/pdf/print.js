// Printing: draws every page as a picture. The browser prints one on each
// sheet.
import { id, unit, view } from "./pages.js";

const maxPages = 300; // pages; a browser cannot hold the pictures of more
const dots = 150 / 72; // pixels per point

const panel = id("printing");
const [words, cancel] = panel.children;
const paper = id("paper");
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [sheet];

let running = false;

const say = (text) => {
  words.textContent = text;
  panel.hidden = false;
};

function clear() {
  for (const picture of paper.children) URL.revokeObjectURL(picture.src);
  paper.replaceChildren();
  running = false;
}

async function picture(number) {
  const page = await view.doc.getPage(number);
  const viewport = page.getViewport({ scale: dots, rotation: (page.rotate + view.turned) % 360 });
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(viewport.width));
  canvas.height = Math.max(1, Math.round(viewport.height));
  await page.render({ canvas, viewport, intent: "print" }).promise;
  const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.92));
  canvas.width = 0;
  const image = new Image();
  image.alt = `${unit} ${number}`;
  image.src = URL.createObjectURL(blob);
  await image.decode();
  if (number === 1)
    sheet.replaceSync(`@page { size: ${viewport.width / dots}pt ${viewport.height / dots}pt; margin: 0 }`);
  return image;
}

// print draws the pages, and then opens the browser's dialog.
export async function print() {
  if (running) return;
  const pages = view.doc.numPages;
  cancel.textContent = "Cancel";
  if (pages > maxPages) {
    cancel.textContent = "Close";
    cancel.onclick = () => (panel.hidden = true);
    say(`This document has ${pages} ${unit.toLowerCase()}s. Download it to print more than ${maxPages}.`);
    return;
  }
  running = true;
  let wanted = true;
  cancel.onclick = () => {
    wanted = false;
    panel.hidden = true;
  };
  try {
    for (let n = 1; n <= pages && wanted; n++) {
      say(`Preparing ${unit.toLowerCase()} ${n} of ${pages}…`);
      paper.append(await picture(n));
    }
    panel.hidden = true;
    if (wanted) window.print();
  } catch (error) {
    console.warn(error);
    cancel.textContent = "Close";
    say("This document cannot be printed here. Download it to print it.");
  }
  clear();
}
