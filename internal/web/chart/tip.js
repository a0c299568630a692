// The texts of tooltips.

// parse returns a tip: its title, and its rows of class, name and value.
export const parse = (text) => {
  const [title, ...lines] = text.split("\n");
  return { title, rows: lines.map((line) => line.split("|")) };
};

// spoken returns a tip as a sentence, for screen readers.
export const spoken = ({ title, rows }) =>
  rows.length ? `${title}: ${rows.map(([, name, value]) => (name ? `${name} ${value}` : value)).join(", ")}` : title;

// towards returns the index of the mark that a key moves to, or undefined for
// other keys. at is the index of the current mark, among count marks in rows of
// so many columns.
export const towards = (key, at, count, columns) => {
  const by = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    PageUp: -7 * columns,
    PageDown: 7 * columns,
    Home: -count,
    End: count,
  }[key];
  if (by === undefined) return undefined;
  const to = at + by;
  if (columns > 1 && (to < 0 || to >= count) && key.startsWith("Arrow")) return at;
  return Math.max(0, Math.min(count - 1, to));
};
