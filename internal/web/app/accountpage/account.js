// One's own account: after a failure the form that failed is in view.
const again = document.querySelector(".account .dialog:not([popover])");
if (again) {
  document.querySelector(`[popovertarget="${again.id}"]`).focus(); // where the focus goes when it is closed
  again.popover = "auto";
  again.showPopover();
}
document.querySelector(".account .wrong")?.closest("section")?.scrollIntoView();
