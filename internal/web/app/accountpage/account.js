// One's own account: after a failure the form that failed is in view.
const again = document.querySelector(".account .dialog:not([popover])");
if (again) {
  document.querySelector(`[popovertarget="${again.id}"]`).focus(); // where the focus goes when it is closed
  again.popover = "auto";
  again.showPopover();
}
document.querySelector(".account .wrong")?.closest("section")?.scrollIntoView();

// Time zones: a list by region to choose from, and the one of this browser. Where the browser has no list, the name is
// typed.
let zone = document.querySelector("#timezone");
// Browsers name some zones as they were called before.
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
