// Times of events in the reader's own zone and language, with UTC in the title. Days of reports stay as they are.
const now = new Date();
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const format = (date) =>
  new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: date.getFullYear() === now.getFullYear() ? undefined : "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).format(date);

const update = () => {
  for (const time of document.querySelectorAll("time[data-local]")) {
    const date = new Date(time.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    const utc = date.toISOString();
    time.textContent = format(date);
    time.title = `${utc.slice(0, 10)} ${utc.slice(11, 16)} UTC${zone ? `, shown in ${zone}` : ""}`;
  }
};
document.addEventListener("numbers", update);
update();
