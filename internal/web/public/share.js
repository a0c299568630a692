// The panel for sharing a page.
const share = document.getElementById("share");
const send = document.getElementById("send");

for (const copy of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(copy.dataset.copy);
  const says = copy.textContent;
  field.addEventListener("focus", () => field.select());
  if (!navigator.clipboard) continue;
  copy.hidden = false;
  const copied = () => {
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = says), 2000);
  };
  copy.addEventListener("click", () => navigator.clipboard.writeText(field.value).then(copied, () => field.select()));
}
if (navigator.share) {
  send.hidden = false;
  send.addEventListener("click", () =>
    navigator.share({ title: document.title, url: document.getElementById("address").value }).catch(() => {}),
  );
}
// A press inside a frame causes no event here, but moves the focus there.
addEventListener(
  "blur",
  () => document.activeElement?.tagName === "IFRAME" && share.matches(":popover-open") && share.hidePopover(),
);
