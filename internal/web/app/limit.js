// Messages about limits that a file exceeds.

// span returns a number of seconds as text.
export const span = (s) =>
  s < 90 ? `${Math.max(1, Math.round(s))} s` : s < 5400 ? `${Math.round(s / 60)} min` : `${Math.round(s / 3600)} h`;

// linksInUse says that the account has reached its limit of links.
export const linksInUse = (err) =>
  err.limit === 1 ? "Your account’s one link is in use." : `${err.used} of ${err.limit} links are in use.`;

// uploadsUsed says that the account has reached its limit of uploads per hour.
export const uploadsUsed = (err) =>
  err.limit === 1 ? "Your account allows one upload per hour." : `Your account allows ${err.limit} uploads per hour.`;

// held says how much of the limit unfinished uploads hold and, if waiting makes
// room, how long to wait.
export const held = (err, text) => {
  if (!err.held) return "";
  const wait = err.retryAfter ? ` They release enough in ${span(err.retryAfter)}.` : "";
  return ` Unfinished uploads hold ${text(err.held)} of it.${wait}`;
};

// deletable reports whether deleting a link can make room. It cannot if
// unfinished uploads, which are not links, hold everything.
export const deletable = (err) => !err.held || err.held < err.used;
