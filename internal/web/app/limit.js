// What a page says of a limit that a file does not fit into.

export const span = (s) =>
  s < 90 ? `${Math.max(1, Math.round(s))} s` : s < 5400 ? `${Math.round(s / 60)} min` : `${Math.round(s / 3600)} h`;

// linksInUse says that an account has as many links as it may have.
export const linksInUse = (err) =>
  err.limit === 1 ? "Your account’s one link is in use." : `${err.used} of ${err.limit} links are in use.`;

// uploadsUsed says that an account has begun as many uploads in an hour as it may.
export const uploadsUsed = (err) =>
  err.limit === 1 ? "Your account allows one upload per hour." : `Your account allows ${err.limit} uploads per hour.`;

// held says how much of the limit other unfinished uploads hold, and how long to wait where that makes room.
export const held = (err, text) => {
  if (!err.held) return "";
  const wait = err.retryAfter ? ` They release enough in ${span(err.retryAfter)}.` : "";
  return ` Unfinished uploads hold ${text(err.held)} of it.${wait}`;
};

// deletable reports whether a link can be deleted to make room: unfinished uploads are no links.
export const deletable = (err) => !err.held || err.held < err.used;
