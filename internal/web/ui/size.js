const units = ["B", "kB", "MB", "GB", "TB"];

// bytes returns a size as text, in decimal units as the server writes them.
export const bytes = (n) => {
  let at = 0;
  while (n >= 999.5 && at < units.length - 1) {
    n /= 1000;
    at++;
  }
  return `${at && n < 9.95 ? n.toFixed(1) : Math.round(n)} ${units[at]}`;
};
