// Text as a search compares it: without case, accents, ligatures, kinds of
// quotes and dashes, and ends of lines.
const letters = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
  "‘": "'",
  "’": "'",
  "‚": "'",
  "“": '"',
  "”": '"',
  "„": '"',
  "‐": "-",
  "‑": "-",
  "–": "-",
  "—": "-",
  "\u00ad": "",
};
// The marks of Latin, Greek, Cyrillic, Hebrew and Arabic. In other scripts such
// marks are letters.
const marks = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g;
const ideograph = /[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff]$/;

function plain(c) {
  const l = c.toLowerCase();
  if (l <= "\x7f") return /\s/.test(l) ? " " : l;
  const bare = l.normalize("NFKD").replace(marks, "").toLowerCase();
  return Array.from(bare, (b) => letters[b] ?? b)
    .join("")
    .replace(/\s+/g, " ");
}

// fold joins the items of a page into one text. With wantPlaces it also returns
// the source of each unit of that text: item, begin and end.
export function fold(items, wantPlaces) {
  let text = "";
  const places = [];
  const add = (units, item, from, to) => {
    for (let i = 0; i < units.length; i++) {
      if (units[i] === " " && (!text || text.endsWith(" "))) continue;
      text += units[i];
      if (wantPlaces) places.push([item, from, to]);
    }
  };
  items.forEach(({ str, hasEOL }, item) => {
    let offset = 0;
    for (const c of str) {
      add(plain(c), item, offset, offset + c.length);
      offset += c.length;
    }
    if (!hasEOL) return;
    if (/\p{L}-$/u.test(text)) {
      text = text.slice(0, -1); // the word continues on the next line
      places.pop();
    } else if (!ideograph.test(text)) add(" ", item, str.length, str.length);
  });
  return { text, places };
}

// pattern returns an expression that finds a query in a folded text, or
// undefined for an empty query. A hyphen in the query is optional, because it
// may have been at the end of a line.
export function pattern(query) {
  const folded = fold([{ str: query }]).text.trim();
  const escaped = folded.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return escaped
    ? new RegExp(/[^-]/.test(folded) ? escaped.replace(/(?<=\p{L})-(?=\p{L})/gu, "-?") : escaped, "gu")
    : undefined;
}
