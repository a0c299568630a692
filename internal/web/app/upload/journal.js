// Remembers the uploads of the page in this tab. A reload loses no link, and an
// unfinished file that is chosen again does not make a second link.
const PLACE = "uploads";

const read = () => {
  try {
    const kept = JSON.parse(sessionStorage.getItem(PLACE));
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
};

// kept is the uploads before a reload: their name, size, modified, key, whether
// they were to have a password, and, if there is a link, slug.
export const kept = read();

// keep stores the rows of the page, and the files that wait to be chosen again.
export const keep = (rows, waiting) => {
  const now = rows
    .filter((r) => r.state !== "cancelled" && (r.state !== "failed" || r.canRetry))
    .map((r) => ({
      name: r.name,
      size: r.size,
      modified: r.modified,
      key: r.key,
      slug: r.link?.slug,
      locked: Boolean(r.password),
    }));
  now.push(...waiting);
  try {
    if (now.length) sessionStorage.setItem(PLACE, JSON.stringify(now));
    else sessionStorage.removeItem(PLACE);
  } catch {
    // without storage, the page is empty after a reload
  }
};

// unfinished returns the entries that have no link.
export const unfinished = (entries) => entries.filter((e) => !e.slug);

const placeOf = (entries, file) =>
  entries.findIndex((e) => !e.slug && e.name === file.name && e.size === file.size && e.modified === file.lastModified);

// lockedBefore reports whether a file was to have a password, which is not
// kept.
export const lockedBefore = (entries, file) => Boolean(entries[placeOf(entries, file)]?.locked);

// takeKey returns the idempotency key that a file had before, and removes its
// entry. It returns undefined if there is none.
export const takeKey = (entries, file) => {
  const at = placeOf(entries, file);
  return at < 0 ? undefined : entries.splice(at, 1)[0].key;
};
