// Times of events in the zone that the page names, or else in the browser's, with UTC in the title. Days of reports stay
// as they are.
const now = new Date();

// formatIn returns what writes a time in a zone. A zone that the browser does not know is like none.
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
    const withYear = /\d{4}/.test(time.textContent); // as long as what it stands for, so that nothing moves
    try {
      time.textContent = formatIn(zone)(date, withYear);
    } catch {
      zone = ofBrowser;
      time.textContent = formatIn(zone)(date, withYear);
    }
    time.title = `${utc.slice(0, 10)} ${utc.slice(11, 16)} UTC${zone ? `, shown in ${zone}` : ""}`;
  }
  // Above times the page names their zone, and says that there are two only if there are.
  for (const clock of document.querySelectorAll("[data-clock]"))
    clock.textContent = (clock.closest("[data-zone]")?.dataset.zone || ofBrowser || "").replaceAll("_", " ");
  for (const both of document.querySelectorAll("[data-clocks]")) both.hidden = /^(Etc\/)?UTC$/.test(ofBrowser);
};
document.addEventListener("numbers", update);
update();
