// One's own account: after a failure the form that failed is in view.
const again = document.querySelector(".account .dialog:not([popover])");
if (again) {
  document.querySelector(`[popovertarget="${again.id}"]`).focus(); // where the focus goes when it is closed
  again.popover = "auto";
  again.showPopover();
}
document.querySelector(".account .wrong")?.closest("section")?.scrollIntoView();

// Time zones: a list to choose from, and the one of this browser.
const zone = document.querySelector("#timezone");
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const name of Intl.supportedValuesOf?.("timeZone") ?? []) {
  const option = document.createElement("option");
  option.value = name;
  document.querySelector("#zones").append(option);
}
const button = document.querySelector("#own-zone");
button.hidden = !own || own === zone.value;
button.textContent = `Use ${own}`;
button.addEventListener("click", () => {
  zone.value = own;
  zone.focus();
});
