// Shows times of events in the zone that the page names, or else in the
// browser's, with UTC in the title. Days of reports do not change.
const now = new Date();

// formatIn returns a function that formats a time in a zone. The function
// throws if the browser does not know the zone.
const formatIn = (zone) => {
  const format = (date, year) =>
    new Intl.DateTimeFormat("en-GB", {
      day: "numeric",
      month: "short",
      year,
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZone: zone,
    }).format(date);
  return (date, withYear) => format(date, withYear || date.getFullYear() !== now.getFullYear() ? "numeric" : undefined);
};
const ofBrowser = Intl.DateTimeFormat().resolvedOptions().timeZone;

const update = () => {
  for (const time of document.querySelectorAll("time[data-local]")) {
    const date = new Date(time.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    let zone = time.closest("[data-zone]")?.dataset.zone || ofBrowser;
    const utc = date.toISOString();
    const withYear = /\d{4}/.test(time.textContent); // as wide as the text it replaces, so that nothing moves
    try {
      time.textContent = formatIn(zone)(date, withYear);
    } catch {
      zone = ofBrowser;
      time.textContent = formatIn(zone)(date, withYear);
    }
    time.title = `${utc.slice(0, 10)} ${utc.slice(11, 16)} UTC${zone ? `, shown in ${zone}` : ""}`;
  }
  // The page names the zone of its times. It mentions UTC only if the browser's
  // zone is another.
  for (const clock of document.querySelectorAll("[data-clock]"))
    clock.textContent = (clock.closest("[data-zone]")?.dataset.zone || ofBrowser || "").replaceAll("_", " ");
  for (const both of document.querySelectorAll("[data-clocks]")) both.hidden = /^(Etc\/)?UTC$/.test(ofBrowser);
};
document.addEventListener("numbers", update);
update();
