// What the page remembers of its uploads, in this tab, so that a reload loses no link, and that a file that was not
// finished and is chosen again makes no second one.
const PLACE = "uploads";

const read = () => {
  try {
    const kept = JSON.parse(sessionStorage.getItem(PLACE));
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
};

// kept are the uploads of the page before it was loaded: name, size, modified, key, and a slug once there is a link.
export const kept = read();

// keep remembers the rows that the page has now, and files that wait to be chosen again.
export const keep = (rows, waiting) => {
  const now = rows
    .filter((r) => r.state !== "cancelled" && (r.state !== "failed" || r.canRetry))
    .map((r) => ({ name: r.name, size: r.size, modified: r.modified, key: r.key, slug: r.link?.slug }));
  now.push(...waiting);
  try {
    if (now.length) sessionStorage.setItem(PLACE, JSON.stringify(now));
    else sessionStorage.removeItem(PLACE);
  } catch {
    // a reload begins anew
  }
};

// unfinished are those of which no link is known.
export const unfinished = (entries) => entries.filter((e) => !e.slug);

// takeKey answers the idempotency key that the same file had before, once; undefined if it had none.
export const takeKey = (entries, file) => {
  const at = entries.findIndex(
    (e) => !e.slug && e.name === file.name && e.size === file.size && e.modified === file.lastModified,
  );
  return at < 0 ? undefined : entries.splice(at, 1)[0].key;
};
