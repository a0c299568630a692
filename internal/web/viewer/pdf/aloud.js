// Reads the text of the document aloud, with voices of the device. Other voices
// send the text to the maker of the browser.
import { events, id, tell, turn, view } from "./pages.js";

const button = id("aloud");
const panel = id("speaking");
const synth = () => globalThis.speechSynthesis;
const longest = 300; // characters of an utterance; some browsers stop within longer ones
let reading; // what is read: an object for each start

const main = (tag) => tag.toLowerCase().split(/[-_]/)[0];

// voiceFor returns a voice of the device for a language, or otherwise its usual
// one, or undefined.
function voiceFor(language) {
  const here = (synth()?.getVoices() ?? []).filter((v) => v.localService);
  return here.find((v) => main(v.lang) === main(language)) ?? here.find((v) => v.default) ?? here[0];
}

// offer shows the button where it can work, and reports whether it can.
export function offer() {
  button.hidden = !voiceFor("");
  panel.hidden = !reading;
  button.firstChild.data = reading ? "Stop reading" : "Read aloud";
  return !button.hidden;
}
synth()?.addEventListener?.("voiceschanged", offer);

export function stop() {
  if (!reading) return;
  reading = undefined;
  synth().cancel();
  for (const p of document.querySelectorAll(".spoken")) p.classList.remove("spoken");
  offer();
}
addEventListener("pagehide", stop);
panel.querySelector("button").onclick = stop;

// pieces splits a text at ends of sentences, or else between words.
function* pieces(text) {
  let rest = text.trim();
  while (rest.length > longest) {
    const part = rest.slice(0, longest);
    const end = Math.max(part.search(/[.!?。！？…][^.!?。！？…]*$/u) + 1, 0) || part.lastIndexOf(" ") + 1 || longest;
    yield rest.slice(0, end);
    rest = rest.slice(end).trim();
  }
  if (rest) yield rest;
}

function say(text, voice) {
  return new Promise((done, failed) => {
    const u = new SpeechSynthesisUtterance(text);
    u.voice = voice;
    u.lang = voice.lang;
    u.onend = done;
    u.onerror = failed;
    tell({ active: true });
    synth().speak(u);
  });
}

// written resolves when the text of a page is there.
const written = (s) =>
  s.written ||
  new Promise((done) => {
    const heard = ({ detail }) => {
      if (detail !== s) return;
      events.removeEventListener("text", heard);
      done();
    };
    events.addEventListener("text", heard);
  });

const seen = (p) => p.getBoundingClientRect().bottom > 0;

// start reads from the first paragraph in view to the end of the document.
export async function start() {
  const me = {};
  stop();
  reading = me;
  offer();
  try {
    const { info } = await view.doc.getMetadata();
    const voice = voiceFor(info?.Language || navigator.language);
    for (let n = view.current; n <= view.sheets.length; n++) {
      const s = view.sheets[n - 1];
      if (n !== view.current) turn(n);
      await written(s);
      for (const p of [...s.element.querySelectorAll("h2, p")].filter(seen)) {
        p.classList.add("spoken");
        p.scrollIntoView({ block: "nearest" });
        for (const text of pieces(p.textContent)) {
          if (reading !== me) return;
          await say(text, voice);
        }
        p.classList.remove("spoken");
      }
      if (reading !== me) return;
    }
  } catch (error) {
    if (reading === me) console.warn(error);
  }
  if (reading === me) stop();
}

export const toggle = () => (reading ? stop() : start());
