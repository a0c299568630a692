// After a failed submission, opens the dialog that has the error again, or
// scrolls to the section that has it.
const again = document.querySelector(".account .dialog:not([popover])");
if (again) {
  document.querySelector(`[popovertarget="${again.id}"]`).focus(); // the focus returns here when the dialog closes
  again.popover = "auto";
  again.showPopover();
}
document.querySelector(".account .wrong")?.closest("section")?.scrollIntoView();

// Time zones: a list by region, and a button for the browser's zone. If the
// browser has no list of zones, people type the name.
let zone = document.querySelector("#timezone");
// Browsers use the former names of some zones.
const former = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Catamarca": "America/Argentina/Catamarca",
  "America/Coral_Harbour": "America/Atikokan",
  "America/Cordoba": "America/Argentina/Cordoba",
  "America/Godthab": "America/Nuuk",
  "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Jujuy": "America/Argentina/Jujuy",
  "America/Louisville": "America/Kentucky/Louisville",
  "America/Mendoza": "America/Argentina/Mendoza",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};
const today = (name) => former[name] ?? name;
const own = today(Intl.DateTimeFormat().resolvedOptions().timeZone);
const names = (Intl.supportedValuesOf?.("timeZone") ?? []).map(today);
if (names.length > 0) {
  const list = document.createElement("select");
  for (const name of ["id", "name", "class", "aria-describedby", "aria-invalid"]) {
    if (zone.hasAttribute(name)) {
      list.setAttribute(name, zone.getAttribute(name));
    }
  }
  const choice = (name, text) => new Option(text.replaceAll("_", " "), name, false, name === today(zone.value));
  list.append(choice("UTC", "UTC"));
  const regions = new Map();
  for (const name of new Set([today(zone.value), own, ...names])) {
    const [region, ...place] = name.split("/");
    if (place.length === 0) {
      if (name !== "UTC" && name !== "") {
        list.append(choice(name, name));
      }
      continue;
    }
    if (!regions.has(region)) {
      regions.set(region, Object.assign(document.createElement("optgroup"), { label: region }));
    }
    regions.get(region).append(choice(name, place.join(", ")));
  }
  const byLabel = (a, b) => a.label.localeCompare(b.label);
  for (const group of [...regions.values()].sort(byLabel)) {
    group.replaceChildren(...[...group.children].sort(byLabel));
    list.append(group);
  }
  zone.replaceWith(list);
  zone = list;
}
const button = document.querySelector("#own-zone");
button.hidden = !own || own === today(zone.value);
button.textContent = `Use ${own}`;
button.addEventListener("click", () => {
  zone.value = own;
  zone.focus();
});
